"""`errorkb lookup`: from a pasted traceback to the record of its error."""

from __future__ import annotations

import sys

from errorkb.errors import FOUND, NOT_FOUND, UsageError

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    import argparse

    from errorkb.paste import Paste

HELP = "find the record of a pasted traceback, log or message"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="what to read; - or nothing: standard input"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Look a paste up; 0 where a record answers it, 1 where none does."""
    return look_up(args.file, json=args.json, root=None if args.root is None else str(args.root))


def look_up(file: str | None, *, json: bool, root: str | None) -> int:
    """The same of plain arguments."""
    from errorkb.index import load
    from errorkb.lookup import as_json, lookup
    from errorkb.paste import excerpt_note
    from errorkb.places import Places
    from errorkb.tier import MATCH, SIMILAR

    paste = _read(file)
    index = load(Places.own() if root is None else Places.at(root))
    answer = lookup(index, paste)
    note = excerpt_note(paste)
    if json:
        from errorkb.present import print_json

        if note is not None:
            answer.advice = f"{answer.advice} {note}" if answer.advice else note
        print_json(as_json(index, answer))
    else:
        from errorkb.present import Style, answer_lines, print_lines

        style = Style(sys.stdout)
        lines = answer_lines(index, answer, style)
        print_lines(lines if note is None else [*lines, "", *style.wrapped(note, "")])
    return FOUND if answer.verdict in {MATCH, SIMILAR} else NOT_FOUND


def _read(name: str | None) -> Paste:
    from errorkb.paste import read

    if name is None and sys.stdin.isatty():
        raise UsageError(
            "nothing to look up; give a file (errorkb lookup error.log), pipe a command's output "
            "(python train.py 2>&1 | errorkb lookup), or paste after errorkb lookup - and end "
            "with Ctrl-D."
        )
    if name is None or name == "-":
        try:
            return read(sys.stdin.buffer, "standard input")
        except OSError as error:
            raise UsageError(f"standard input cannot be read: {error.strerror}.") from None
    if not name:
        raise UsageError("'' is not a file name; give the file that holds the traceback.")
    try:
        with open(name, "rb") as file:
            return read(file, name)
    except IsADirectoryError:
        raise UsageError(f"{name} is a directory; give a file that holds the traceback.") from None
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"{name!r} is not a file name: {error}.") from None
