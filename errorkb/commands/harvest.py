"""`errorkb harvest`: list the raise and assert sites of a package."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from errorkb.errors import FOUND, NOT_FOUND, UsageError
from errorkb.harvest import RaiseSite, harvest, locate

HELP = "list the errors that a package raises, read from its source without importing it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "target", metavar="PACKAGE_OR_PATH", help="a package installed here, or a path"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(args: argparse.Namespace) -> int:
    """List the sites; 1 where there are none."""
    path = locate(args.target)
    found = harvest(path)
    if found.files == 0:
        raise UsageError(f"there is no Python file at {path}.")
    if path.is_file() and found.skipped:
        raise UsageError(f"{path} is not harvested: {found.skipped[0].reason}.")
    if args.json:
        print(json.dumps(asdict(found), indent=2))
    else:
        for site in found.sites:
            print(_line(site))
        silent = sum(site.template is None for site in found.sites)
        print(
            f"{len(found.sites)} sites in {found.files} files, {silent} without a literal message.",
            file=sys.stderr,
        )
    for skipped in found.skipped:
        print(f"skipped {skipped.path}: {skipped.reason}.", file=sys.stderr)
    return FOUND if found.sites else NOT_FOUND


def _line(site: RaiseSite) -> str:
    code = f" {site.code}" if site.code else ""
    message = f": {site.template!r}" if site.template else ""
    where = f"{site.path}:{site.line} {site.function}"
    return f"{where}{code} {site.exception}{message} if {site.condition}"
