"""The arguments of the command line, read with argparse; one module for each command."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn, Protocol, cast

from errorkb import __version__
from errorkb.errors import BAD_INPUT, UsageError


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


def run(argv: list[str], name: str | None, commands: Sequence[str]) -> int:
    """Read the arguments and run the command `name`; without one, print what there is.

    Raises:
        UsageError: see the command.
    """
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
    for each in commands if name is None else (name,):
        command = cast("Command", import_module(f"errorkb.commands.{each}"))
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
    with terminated_like_interrupted():
        return int(args.run(args))


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """A time limit ends a run by SIGTERM, a closed terminal by SIGHUP: neither leaves half a file,
    a script that runs on, or a result unwritten."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    known = [each for each in signal.Signals if each.name in ("SIGTERM", "SIGHUP")]
    # nohup lets a run ignore SIGHUP; that stays.
    ours = [each for each in known if signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


def _add_root(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        default=default,
        help="the checkout whose records and examples are used (default: the installed ones)",
    )
