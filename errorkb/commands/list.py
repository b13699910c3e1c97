"""errorkb list: every record with its status today."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from errorkb.errors import FOUND
from errorkb.layout import Layout
from errorkb.ledger import Standing, State, status
from errorkb.model import ErrorRecord, Slug
from errorkb.present import print_json, print_lines
from errorkb.store import load

HELP = "list the records and what the ledgers say about each"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `errorkb list`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object a record")


def run(args: argparse.Namespace) -> int:
    """Exit code 0; a library without records is bad input."""
    library = load(Layout.chosen(args.root))
    standings = status(library, library.ledgers())
    for slug, record in library.records.items():
        standing = standings[slug]
        if args.json:
            print_json(_row(slug, record, standing))
        else:
            where = " ".join(_summary(name, cells) for name, cells in _states(standing).items())
            line = f"{record.code}  {standing.status:<10}  {slug}  {record.title}  {where}"
            print_lines([line.rstrip()])
    if not args.json:
        counts = Counter(standing.status.value for standing in standings.values())
        found = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
        print(f"{len(standings)} records: {found}", file=sys.stderr)
    return FOUND


def _states(standing: Standing) -> dict[str, dict[str, State]]:
    """Environment → item → state."""
    return {
        name: {cell.item: cell.state for cell in cells}
        for name, cells in standing.by_environment().items()
    }


def _summary(environment: str, states: dict[str, State]) -> str:
    passed = sum(state is State.PASSED for state in states.values())
    return f"{environment}:{passed}/{len(states)}"


def _row(slug: Slug, record: ErrorRecord, standing: Standing) -> dict[str, Any]:
    return {
        "code": record.code,
        "slug": slug,
        "kind": record.kind.value,
        "title": record.title,
        "status": standing.status.value,
        "environments": {
            name: {item: state.value for item, state in states.items()}
            for name, states in _states(standing).items()
        },
    }
