"""`errorkb import`: the draft of a record from a description in the schemaVersion 2 form."""  # noqa: N999 - a command's module has its name

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from errorkb.errors import FOUND, UsageError
from errorkb.layout import Layout

HELP = "draft a record from a description in the schemaVersion 2 form"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="the JSON file; - for standard input")
    parser.add_argument(
        "--slug", metavar="FAMILY/NAME", help="where the record goes (default: from the file)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Write the draft and say what is missing in it."""
    from errorkb.seed import import_description, read_description

    layout = Layout.chosen(args.root)
    if args.file == "-":
        description = read_description(sys.stdin.buffer, "standard input")
    else:
        path = Path(args.file)
        try:
            with path.open("rb") as stream:
                description = read_description(stream, str(path))
        except IsADirectoryError:
            raise UsageError(f"{path} is a directory; give a JSON file.") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
        except ValueError as error:  # a NUL in the name
            raise UsageError(f"{args.file!r} is not a file name: {error}.") from None
    draft = import_description(layout, description, args.slug)
    if args.json:
        print(
            json.dumps(
                {
                    "code": draft.code,
                    "slug": draft.slug,
                    "paths": [str(each) for each in draft.paths],
                    "missing": draft.missing,
                }
            )
        )
        return FOUND
    print(f"{draft.code} {draft.slug}")
    for path in draft.paths:
        print(f"  {path}")
    print("Missing:")
    for sentence in draft.missing:
        print(f"  - {sentence}")
    print("errorkb check --gate 7 names every place that is still to fill in.")
    return FOUND
