"""`errorkb run`: run a command and explain its failure."""

from __future__ import annotations

import argparse
import io
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from errorkb.errors import UsageError

HELP = "run a command and explain its failure"
HEAD = 256 << 10
TAIL = 1 << 20
"""Bytes of the command's output that are kept: its beginning and its end."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--stdout",
        action="store_true",
        help="read its standard output too, where pytest reports; it is then no terminal",
    )
    parser.add_argument(
        "--json", action="store_true", help="end standard error with one line of JSON"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")


def run(args: argparse.Namespace) -> int:
    """Run the command, pass its output and its exit code on; explain a failure on stderr."""
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise UsageError("no command to run; write errorkb run -- COMMAND.")
    code, output = _execute(command, read_stdout=args.stdout)
    if code != 0:
        _explain(args, code, output)
    return 128 - code if code < 0 else code


class _Kept:
    """The beginning and the end of what was written."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        with self._lock:
            room = HEAD - len(self._head)
            self._head += data[:room]
            self._tail += data[max(0, room) :]
            if len(self._tail) > 2 * TAIL:
                del self._tail[:-TAIL]

    def content(self) -> bytes:
        return bytes(self._head + self._tail)


def _execute(command: list[str], *, read_stdout: bool) -> tuple[int, bytes]:
    kept = _Kept()
    pipe = subprocess.PIPE
    try:
        # The user's own command line, as he typed it after `--`; no shell reads it.
        process = subprocess.Popen(  # noqa: S603 - the command that the user gave
            command, stdout=pipe if read_stdout else None, stderr=pipe, bufsize=0
        )
    except OSError as error:
        raise UsageError(f"{command[0]} cannot be run: {error.strerror}.") from None
    except ValueError as error:  # a NUL in an argument
        raise UsageError(f"{command[0]!r} cannot be run: {error}.") from None
    streams = [(process.stderr, sys.stderr.buffer), (process.stdout, sys.stdout.buffer)]
    threads = [
        threading.Thread(target=_pass_on, args=(source, sink, kept), daemon=True)
        for source, sink in streams
        if source is not None
    ]
    with _interrupts_left_to_the_command():
        for thread in threads:
            thread.start()
        code = process.wait()
        for thread in threads:
            # A grandchild may hold the pipe open; it has had its say when the command ends.
            thread.join(timeout=2)
    return code, kept.content()


@contextmanager
def _interrupts_left_to_the_command() -> Iterator[None]:
    """Ctrl-C goes to the command, which is in the same group; its end is waited for."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _pass_on(source: BinaryIO, sink: BinaryIO, kept: _Kept) -> None:
    open_ = True
    while data := source.read(1 << 16):
        kept.add(data)
        if open_:
            try:
                sink.write(data)
                sink.flush()
            except OSError:
                open_ = False  # nobody reads on; the command must not block for that


def _explain(args: argparse.Namespace, code: int, output: bytes) -> None:
    from errorkb.index import load
    from errorkb.layout import Layout
    from errorkb.lookup import as_json, lookup
    from errorkb.paste import read
    from errorkb.present import Style, answer_lines, print_lines

    ended = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    style = Style(sys.stderr)
    said = [style.dim("\u2500" * 40), f"errorkb: the command {ended}."]
    if not output.strip():
        hint = "" if args.stdout else "; if it reports on standard output, add --stdout"
        print_lines([*said, f"errorkb: it printed nothing to explain{hint}."], sys.stderr)
        return
    try:
        paste = read(io.BytesIO(output), "what the command printed on standard error")
    except UsageError as error:
        print_lines([*said, f"errorkb: {error}"], sys.stderr)
        return
    index = load(Layout.chosen(args.root))
    answer = lookup(index, paste)
    if args.json:
        from json import dumps

        print_lines([dumps(as_json(index, answer), ensure_ascii=False)], sys.stderr)
    else:
        print_lines([*said, "", *answer_lines(index, answer, style)], sys.stderr)
