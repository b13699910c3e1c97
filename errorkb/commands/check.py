"""`errorkb check`: run the gates."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from errorkb.errors import FOUND, NOT_FOUND, UsageError
from errorkb.gates import GATES, Finding, Gate, Severity, Tree
from errorkb.gates import run as run_gates
from errorkb.layout import Layout
from errorkb.store import load

HELP = "check that records, kernels, examples, ledgers and site agree"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "gates:\n" + "\n".join(f"  {gate.number}  {gate.rule}" for gate in GATES)
    parser.add_argument(
        "--gate",
        type=int,
        action="append",
        default=[],
        metavar="N",
        choices=[gate.number for gate in GATES],
        help="run this gate only; may be repeated",
    )
    parser.add_argument("--site", type=Path, metavar="DIR", help="a built site, for gate 6")
    parser.add_argument(
        "--against", metavar="REVISION", help="what gate 4 compares with (default: main)"
    )
    parser.add_argument(
        "--release", action="store_true", help="let what only a release needs fail too"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(args: argparse.Namespace) -> int:
    """Run the gates; 1 where one of them has an error."""
    if args.site is not None and not args.site.is_dir():
        raise UsageError(f"{args.site} is not a directory; build the site first: make site.")
    if 6 in args.gate and args.site is None:
        raise UsageError("gate 6 reads a built site; add --site DIR.")
    if find_spec("packaging") is None:  # compares versions; a lookup does without
        raise UsageError(
            "the gates need packaging, which is not installed here: pip install packaging"
        )
    library = load(Layout.chosen(args.root))
    tree = Tree(
        library,
        library.ledgers(),
        site=args.site.resolve() if args.site else None,
        against=args.against,
        release=args.release,
    )
    findings = run_gates(tree, args.gate, begin=_progress)
    _progress(None)
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    _print(findings, errors, len(library.records), as_json=args.json)
    return NOT_FOUND if errors else FOUND


def _progress(gate: Gate | None) -> None:
    """The gate that runs, on one line of a terminal, wiped at the end."""
    if sys.stderr.isatty():
        text = f"gate {gate.number}: {gate.rule}" if gate else ""
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _print(findings: list[Finding], errors: int, records: int, *, as_json: bool) -> None:
    notices = len(findings) - errors
    if as_json:
        print(
            json.dumps(
                {
                    "records": records,
                    "errors": errors,
                    "notices": notices,
                    "findings": [asdict(finding) for finding in findings],
                },
                indent=2,
            )
        )
        return
    for finding in sorted(findings, key=lambda each: each.severity is Severity.ERROR):
        label = "notice: " if finding.severity is Severity.NOTICE else ""
        print(f"{label}{finding}")
    print(f"{records} records checked: {errors} errors, {notices} notices.")
