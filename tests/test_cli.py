"""The command line: what it imports, its exit codes, one sentence for each kind of bad input."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from errorkb import __version__
from errorkb.cli import COMMANDS, main


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "errorkb", *arguments], input=stdin, capture_output=True, check=False
    )


def sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr, with nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("errorkb: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"errorkb {__version__}\n"
    assert main([]) == 2
    text = capsys.readouterr().out
    assert all(f"\n    {command} " in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: errorkb {command}")


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lokup"]) == 2
    assert "there is no command 'lokup'; the commands are lookup," in sentence(capsys)


@pytest.mark.parametrize("arguments", [["--frob"], ["check", "--frob"], ["check", "--gate", "9"]])
def test_an_unknown_flag_or_value(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "--help" in sentence(capsys)


def test_a_root_that_is_no_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(tmp_path / "nothing"), "check"]) == 2
    assert "is not a directory" in sentence(capsys)


def test_root_may_stand_on_either_side_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["--root", str(tmp_path), "list"], ["list", "--root", str(tmp_path)]):
        assert main(arguments) == 2
        assert str(tmp_path) in sentence(capsys)


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "errorkb", "harvest", "json"],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", ["lookup --json", "list"])
def test_a_closed_stream_is_no_traceback(closed: str, arguments: str, tmp_path: Path) -> None:
    log = tmp_path / "stderr"
    done = subprocess.run(  # noqa: S603 - our own program
        ["/bin/sh", "-c", f"{sys.executable} -m errorkb {arguments} 2>{log} {closed}"],
        input=b"x: y",
        capture_output=True,
        check=False,
    )
    lookup = 2 if "<" in closed else 1  # nothing to read, or nothing found
    assert done.returncode == (0 if arguments == "list" else lookup)
    assert "Traceback" not in log.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["lookup", "-"], ["lookup", "--json"], ["list"]])
def test_an_answer_that_cannot_be_written_is_a_sentence(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "errorkb", *arguments],
            input=b"ValueError: x",
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"errorkb: No space left on device.\n"


def test_an_error_of_the_system_is_a_sentence_to_a_caller_in_this_process_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: list[str]) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "ledger.json")

    monkeypatch.setattr("errorkb.cli._dispatch", full)
    assert main(["list"]) == 2
    assert sentence(capsys) == "errorkb: ledger.json: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["list", "lookup nowhere.txt"])
def test_where_nothing_can_be_said_the_exit_code_says_it(command: str) -> None:
    line = f"exec {sys.executable} -m errorkb {command} >/dev/full 2>&1"
    assert subprocess.run(["/bin/sh", "-c", line], check=False).returncode == 2  # noqa: S603


def test_a_name_in_a_refusal_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "demo/two\n\x1b[2Jlines"]) == 2
    assert sentence(capsys).startswith("errorkb: 'demo/two\ufffd\ufffd[2Jlines' is not")


def test_an_encoding_that_lacks_a_character_ends_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "caf\u00e9"
    for name in ("errorkb/records", "examples", "docs"):
        (folder / name).mkdir(parents=True)
    for arguments in (["new", "demo/one"], ["check"], ["check", "--json"], ["render"], ["list"]):
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "errorkb", "--root", str(folder), *arguments],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.returncode == (1 if arguments[0] == "check" else 0)
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminated_command_cleans_up_as_after_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    def terminate(*_: object) -> int:
        signal.raise_signal(number)
        return 0

    monkeypatch.setattr("errorkb.commands.harvest.run", terminate)
    before = signal.signal(number, signal.SIG_DFL)  # these tests may run under nohup themselves
    try:
        assert main(["harvest", "json"]) == 130
        assert sentence(capsys) == "errorkb: interrupted.\n"
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_nohup_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang_up(*_: object) -> int:
        signal.raise_signal(signal.SIGHUP)
        return 0

    monkeypatch.setattr("errorkb.commands.harvest.run", hang_up)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert main(["harvest", "json"]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("errorkb.commands.harvest.run", interrupt)
    assert main(["harvest", "json"]) == 130
    assert sentence(capsys) == "errorkb: interrupted.\n"


def test_a_lookup_imports_only_what_it_needs(tmp_path: Path) -> None:
    """What each of these costs is a part of, or more than, all that a lookup does itself."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from errorkb.cli import main; code = main(['lookup', '-'])\n"
        "print('\\n'.join(set(sys.modules) - before), file=sys.stderr); sys.exit(code)"
    )
    for _ in range(2):  # the first run compiles the index into the cache
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", code],
            input=b"ValueError: arange's range must be a power of 2",
            capture_output=True,
            check=False,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        )
        assert done.returncode == 0
    loaded = {name for name in done.stderr.decode().split() if not name.startswith("errorkb")}
    assert loaded <= {"__future__", "_io", "io", "marshal", "math", "os", "zlib"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["lookup", "--frob"],
        ["lookup", "a", "b"],
        ["lookup", "--json=1"],
        ["lookup", "--", "a", "b"],
    ],
)
def test_a_lookup_with_wrong_arguments_is_refused_like_any_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "--help" in sentence(capsys)
