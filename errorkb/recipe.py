"""Run a script under a tool that names the launch to blame, as a user would in a shell.

A kernel runs after its launch returned, so the traceback of an asynchronous error ends at the later
call that reports it. A record chooses one of the tools here by name and says which line of the
script its output must name; no command comes from a record.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from errorkb.environment import environ
from errorkb.model import Place, Recipe, Tool
from errorkb.runner import MAX_WRITTEN, printed_more_than, read_output, still_ran
from errorkb.traceback import parse

Answer = Callable[[str], str | None]
"""The slug of the record that a lookup puts first for a text; None where it finds none."""

POLL_SECONDS = 0.01
LINES_AFTER = 3
"""Lines that the excerpt keeps below the one that names the launch."""


@dataclass(frozen=True)
class Command:
    """How a tool runs `python SCRIPT`."""

    variables: Mapping[str, str]
    prefix: tuple[str, ...] = ()
    traceback: bool = False
    """Whether the script's own traceback is what names the launch. It must then end there, and a
    lookup of it must find the record."""

    def text(self, script: str) -> str:
        """What a user types."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        return " ".join([*assignments, shlex.join([*self.prefix, "python", script])])


COMMANDS = MappingProxyType(
    {
        Tool.LAUNCH_BLOCKING: Command({"CUDA_LAUNCH_BLOCKING": "1"}, traceback=True),
        # Torch's allocator hands out pieces of large blocks; without it each tensor is an
        # allocation of its own, and an access just past its end is seen.
        Tool.MEMCHECK: Command(
            {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}, ("compute-sanitizer", "--tool", "memcheck")
        ),
        Tool.DEVICE_ASSERTS: Command({"TRITON_DEBUG": "1"}),
    }
)


@dataclass(frozen=True)
class Run:
    """What one command printed; `stopped` says why it had to be killed, where it had to be."""

    output: str
    seconds: float
    stopped: str | None = None


class MissedError(Exception):
    """A recipe that does not find the launch, as a sentence."""


def missing_tool(tool: Tool) -> str | None:
    """Why the tool cannot run here; None where it can."""
    prefix = COMMANDS[tool].prefix
    if prefix and _program(prefix[0]) is None:
        return f"needs {prefix[0]} of the CUDA toolkit, which is not installed here"
    return None


def _program(name: str) -> str | None:
    """A tool on the path or in the CUDA toolkit, whose folder is often not on the path."""
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")
    return shutil.which(name) or shutil.which(name, path=str(toolkit))


def run(
    tool: Tool, script: Path, place: Place, *, path: Sequence[Path] = (), timeout: float
) -> Run:
    """Run `python SCRIPT` under a tool, in an empty directory, to its end or its time limit.

    Args:
        tool: how; it must not be missing.
        script: the file.
        place: where; it decides the environment variables, to which the tool adds its own.
        path: folders where the script finds packages before it looks anywhere else.
        timeout: seconds.
    """
    command = COMMANDS[tool]
    words = [_program(each) or each for each in command.prefix[:1]] + list(command.prefix[1:])
    with tempfile.TemporaryDirectory(prefix="errorkb-") as name:
        folder = Path(name)
        (folder / "work").mkdir()
        variables = environ(place) | {
            "TMPDIR": name,
            "TRITON_CACHE_DIR": str(folder / "triton"),
            **command.variables,
        }
        found_first = [*(str(each.resolve()) for each in path), variables.get("PYTHONPATH", "")]
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, found_first))
        output = folder / "output"
        started = time.monotonic()
        with output.open("wb") as file:
            try:
                process = subprocess.Popen(  # noqa: S603  (a fixed command on an example script)
                    [*words, sys.executable, str(script.resolve())],
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    cwd=folder / "work",
                    env=variables,
                    start_new_session=True,
                )
            except OSError as error:  # a tool of another machine, or one that is no program
                return Run(f"{words[0]}: {error.strerror}", 0.0)
            stopped = _watch(process, file.fileno(), timeout)
        return Run(read_output(str(output)), time.monotonic() - started, stopped)


def _watch(process: subprocess.Popen[bytes], output: int, timeout: float) -> str | None:
    """Wait for a process: why it had to be killed; whatever happens, nothing of its group is left.

    None where it ended by itself. `output` is a descriptor: a script may remove the file's name.
    """
    deadline = time.monotonic() + timeout
    try:
        while process.poll() is None:
            if time.monotonic() > deadline:
                return still_ran(timeout)
            if os.fstat(output).st_size > MAX_WRITTEN:
                return printed_more_than(MAX_WRITTEN)
            time.sleep(POLL_SECONDS)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def line_number(text: str, line: str) -> int | None:
    """Where a line stands in a script, from 1; None where it is not there exactly once."""
    numbers = [n for n, each in enumerate(text.splitlines(), 1) if each.strip() == line.strip()]
    return numbers[0] if len(numbers) == 1 else None


def named(recipe: Recipe, slug: str, run: Run, text: str, answer: Answer) -> str:
    """The lines of the output that name the launch.

    Args:
        recipe: what was run.
        slug: the record that it belongs to.
        run: what it printed.
        text: the script.
        answer: what a lookup puts first.

    Raises:
        MissedError: the output does not name the line, or names another one as the innermost.
    """
    name = f"{recipe.script}.py"
    number = line_number(text, recipe.names)
    if number is None:
        raise MissedError(f"{name} does not hold exactly one line {recipe.names!r}")
    if run.stopped is not None:
        raise MissedError(f"{recipe.tool} {run.stopped}{_last(run)}")
    lines = [line.rstrip() for line in run.output.splitlines() if line.strip()]
    places = [(at, _named_number(line, name)) for at, line in enumerate(lines)]
    wanted = [at for at, found in places if found == number]
    if not wanted:
        raise MissedError(f"{recipe.tool} does not name line {number} of {name}{_last(run)}")
    if not COMMANDS[recipe.tool].traceback:
        return _excerpt(lines, wanted[0], name)
    innermost = [found for _, found in places if found is not None][-1]
    if innermost != number:
        raise MissedError(f"the traceback ends at line {innermost} of {name}, not at {number}")
    first = answer(run.output)
    if first != slug:
        raise MissedError(f"lookup answers the traceback with {first or 'no record'}{_last(run)}")
    raised = parse(run.output).exceptions
    if not raised:
        raise MissedError(f"{recipe.tool} prints no exception below line {number}{_last(run)}")
    ended = raised[-1]
    said = ended.message.split("\n", 1)[0]
    frame = textwrap.dedent("\n".join(lines[wanted[-1] : wanted[-1] + 2]))
    return f"{frame}\n{ended.cls}: {said}"


def _named_number(line: str, name: str) -> int | None:
    """The number of the line of `name` that a traceback, an assertion or a tool names."""
    found = re.search(rf'(?<![\w.-]){re.escape(name)}(?:", line |:)(\d+)', line)
    return int(found[1]) if found else None


def _excerpt(lines: list[str], at: int, name: str) -> str:
    """A line with its neighbours, up to the next one that names a line of the script."""
    kept = lines[max(at - 1, 0) : at + 1]
    for line in lines[at + 1 : at + 1 + LINES_AFTER]:
        if _named_number(line, name) is not None:
            break
        kept.append(line)
    return "\n".join(kept)


def _last(run: Run) -> str:
    lines = run.output.strip().splitlines()
    return f", after printing {' '.join(lines[-1].split())[:300]!r}" if lines else ""
