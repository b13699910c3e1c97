"""The command line: finds the command, imports only that one, turns errors into sentences.

Exit codes: 0 found or passed, 1 not found or failed, 2 usage or bad input; 130 after Ctrl-C and 141
when the reader of a pipe went away, as shells have it.
"""

from __future__ import annotations

import io
import os
import sys

from errorkb.errors import BAD_INPUT, UsageError

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Sequence

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


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    _open_closed_streams()
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except UsageError as error:
        _say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        _say("interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename is not None else ""
        _say(f"{where}{error.strerror or error}.")
        return BAD_INPUT
    return code


def _say(sentence: str) -> None:
    """One line on stderr, whatever the names in it hold; nothing where stderr takes none."""
    shown = "".join(each if each.isprintable() else "\ufffd" for each in sentence)
    try:
        print(f"errorkb: {shown}", file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _open_closed_streams() -> None:
    """Give a stream that the caller closed nothing to read, or nowhere to write to.

    The others write what their encoding has and a mark for what it lacks.
    """
    # Kept open to the end, and opened before any other file could take its descriptor.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):  # no terminal's encoding ends a command
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdout else "backslashreplace")


def _drop_output() -> None:
    """Let what is still buffered go nowhere: the interpreter flushes stdout once more at exit."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # a caller in this process reads it, so that nothing is left to flush
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _dispatch(argv: list[str]) -> int:
    code = _plain_lookup(argv)
    if code is not None:
        return code
    name = _command_name(argv)
    if name is not None and name not in COMMANDS:
        raise UsageError(f"there is no command '{name}'; the commands are {', '.join(COMMANDS)}.")
    from errorkb.arguments import run

    return run(argv, name, COMMANDS)


def _plain_lookup(argv: list[str]) -> int | None:
    """Run `lookup [--json] [FILE]`, for which argparse would take as long as all of the lookup.

    None where the arguments are anything else, for argparse to read or to refuse.
    """
    if argv[:1] != ["lookup"]:
        return None
    files = [argument for argument in argv[1:] if argument != "--json"]
    if len(files) > 1 or any(each.startswith("-") and each != "-" for each in files):
        return None
    from errorkb.commands.lookup import look_up

    return look_up(files[0] if files else None, json="--json" in argv, root=None)


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
