"""The command line: finds the command, imports only that one, turns errors into sentences.

Exit codes: 0 found or passed, 1 not found or failed, 2 usage or bad input; 130 after Ctrl-C and 141
when the reader of a pipe went away, as shells have it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn, Protocol, cast

from errorkb import __version__
from errorkb.errors import BAD_INPUT, UsageError

COMMANDS = (
    "lookup",
    "explain",
    "search",
    "run",
    "list",
    "new",
    "check",
    "verify",
    "render",
    "harvest",
    "import",
)
INTERRUPTED = 130
BROKEN_PIPE = 141


class Command(Protocol):
    """What a module of `errorkb.commands` offers."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it; `args.root` is the library's directory or None for the one found."""


class _Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are one sentence, without the usage block."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"errorkb: {message}; see `{self.prog} --help`.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except UsageError as error:
        print(f"errorkb: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("errorkb: interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit; let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return code


def _dispatch(argv: list[str]) -> int:
    name = _command_name(argv)
    if name is not None and name not in COMMANDS:
        raise UsageError(f"there is no command '{name}'; the commands are {', '.join(COMMANDS)}.")
    parser = _Parser(
        prog="errorkb",
        description="Look up an error of the GPU-kernel stack and get a fix that was executed.",
        epilog="Exit codes: 0 found or passed, 1 not found or failed, 2 usage or bad input.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"errorkb {__version__}")
    _add_root(parser, default=None)
    subparsers = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    # A named command pays for itself only; help lists them all.
    for each in COMMANDS if name is None else (name,):
        command = _load(each)
        sub = subparsers.add_parser(
            each, help=command.HELP, description=command.HELP, allow_abbrev=False
        )
        _add_root(sub, default=argparse.SUPPRESS)
        command.configure(sub)
        sub.set_defaults(run=command.run)
    args = parser.parse_args(argv)
    if name is None:
        parser.print_help()
        return BAD_INPUT
    if args.root is not None and not args.root.is_dir():
        raise UsageError(f"--root {args.root} is not a directory; name the one with the library.")
    return int(args.run(args))


def _add_root(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        default=default,
        help="the checkout whose records and examples are used (default: the installed ones)",
    )


def _command_name(argv: list[str]) -> str | None:
    """The first argument that is neither an option nor the value of `--root`."""
    skip = False
    for argument in argv:
        if skip:
            skip = False
        elif argument == "--root":
            skip = True
        elif argument in ("-h", "--help"):
            return None
        elif not argument.startswith("-"):
            return argument
    return None


def _load(name: str) -> Command:
    return cast("Command", import_module(f"errorkb.commands.{name}"))
