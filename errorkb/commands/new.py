"""`errorkb new`: write the files of a new record."""

from __future__ import annotations

import argparse

from errorkb.errors import FOUND, UsageError
from errorkb.layout import Layout
from errorkb.model import Kind
from errorkb.scaffold import new_record, write_schema

HELP = "write a new record with its example, ready to be filled in"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("slug", nargs="?", metavar="FAMILY/NAME", help="for example kda/beta-shape")
    parser.add_argument(
        "--kind",
        choices=[each.value for each in Kind],
        default="raises",
        help="how it shows itself",
    )
    parser.add_argument("--title", help="what is wrong, not what was printed")
    parser.add_argument(
        "--code", help="a code that the kernels already raise (default: a fresh one)"
    )
    parser.add_argument(
        "--documented",
        action="store_true",
        help="write no example, because nothing can be run; the record says why",
    )
    parser.add_argument(
        "--schema",
        action="store_true",
        help="write the JSON Schema with which editors complete and check records, and no record",
    )


def run(args: argparse.Namespace) -> int:
    """Write the files and say what comes next."""
    layout = Layout.chosen(args.root)
    if args.schema:
        if args.slug:
            raise UsageError("--schema writes no record; leave FAMILY/NAME out.")
        print(write_schema(layout))
        return FOUND
    if not args.slug:
        raise UsageError("name the record: errorkb new FAMILY/NAME.")
    code, paths = new_record(
        layout,
        args.slug,
        kind=Kind(args.kind),
        title=args.title,
        code=args.code,
        documented=args.documented,
    )
    print(f"{code} {args.slug}")
    for path in paths:
        print(f"  {path}")
    print(f"Next: fill in what is marked; errorkb check --gate 7 | grep {args.slug} names it.")
    if not args.documented:
        print(f"Then execute it and write the ledger: errorkb verify {code} --write")
    return FOUND
