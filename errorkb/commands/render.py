"""`errorkb render`: write the pages and the data of the site into docs/."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from errorkb.errors import FOUND, NOT_FOUND, UsageError
from errorkb.layout import IN_A_CHECKOUT, Layout
from errorkb.store import load

HELP = "write the site's pages and data from records, examples and ledgers"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    action = parser.add_mutually_exclusive_group()
    action.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where docs/ is not up to date"
    )
    action.add_argument(
        "--search-index",
        type=Path,
        metavar="SITE",
        help="add the records to the search index of the site that mkdocs has built",
    )


def run(args: argparse.Namespace) -> int:
    """Render, compare, or extend a search index."""
    library = load(Layout.chosen(args.root))
    if args.search_index is not None:
        from errorkb.render.search import append_records

        print(f"{append_records(library, args.search_index)} records added to the search index.")
        return FOUND
    docs = library.layout.docs
    if docs is None:
        raise UsageError(f"the site is rendered in a checkout; {IN_A_CHECKOUT}.")
    try:
        from errorkb.render.output import differences, write
        from errorkb.render.pages import plan
    except ModuleNotFoundError as error:
        raise UsageError(
            f"rendering needs {error.name}, which is not installed here: "
            "make site installs all that it needs"
        ) from None
    files = plan(library)
    if args.check:
        lines = differences(files, docs)
        for line in lines:
            print(line)
        if lines:
            print(f"{len(lines)} files of {docs} differ; repair: errorkb render", file=sys.stderr)
        return NOT_FOUND if lines else FOUND
    written, removed = write(files, docs)
    print(f"{len(library.records)} records: {written} files written, {removed} removed in {docs}.")
    return FOUND
