"""`errorkb explain`: all that is known about one error."""

from __future__ import annotations

import argparse
import sys

from errorkb.errors import FOUND, NOT_FOUND
from errorkb.index import load
from errorkb.layout import Layout
from errorkb.lookup import url_of
from errorkb.present import Style, print_json, print_lines, record_lines, shortened

HELP = "show all that is known about one error"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", metavar="CODE|SLUG", help="EKB6120, or kda/beta-shape")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Print a record; 1 where there is none of that name."""
    index = load(Layout.chosen(args.root))
    number = index.find(args.name)
    if number is None:
        from difflib import get_close_matches

        names = [name for head in index.heads for name in head[:2]]
        near = get_close_matches(shortened(args.name), names, n=3, cutoff=0.5)
        hint = (
            f"the nearest are {', '.join(near)}" if near else "errorkb search WORDS finds by words"
        )
        print_lines([f"errorkb: no record {shortened(args.name)!r}; {hint}."], sys.stderr)
        return NOT_FOUND
    record = index.record(number)
    if args.json:
        del record["rules"]  # the compiled form
        print_json({**record, "url": url_of(record["code"])})
    else:
        print_lines(record_lines(record, Style(sys.stdout)))
    return FOUND
