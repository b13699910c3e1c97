"""runner: each script is alone, and its report says what `python script.py` would have shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from errorkb.compare import Verdict
from errorkb.model import Place
from errorkb.runner import Case, Ended, GuardOutcome, Report, Runner


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(Place.CPU, preload=()) as each:
        yield each


class Scripts:
    def __init__(self, folder: Path, runner: Runner) -> None:
        self.folder = folder
        self.runner = runner

    def write(self, text: str, name: str = "before.py") -> Path:
        path = self.folder / name
        path.write_text(dedent(text).lstrip("\n"))
        return path

    def run(
        self, text: str, *, guard: str | None = None, fresh: bool = False, timeout: float = 60
    ) -> Report:
        snippet = self.write(guard, "guard.py") if guard is not None else None
        case = Case(self.write(text), guard=snippet, fresh=fresh, timeout=timeout)
        return self.runner.run(case)


@pytest.fixture
def scripts(tmp_path: Path, runner: Runner) -> Scripts:
    return Scripts(tmp_path, runner)


FRESH = pytest.mark.parametrize("fresh", [False, True], ids=["fork", "process"])

FAILING = """
    import sys

    def inner(total):
        print("on the way")
        raise ValueError(f"odd total {total}")

    try:
        inner(7)
    except ValueError as error:
        raise RuntimeError("could not split") from error
"""


@FRESH
@pytest.mark.parametrize(
    "text",
    [
        FAILING,
        "def broken(:\n    pass\n",
        "raise ExceptionGroup('two', [ValueError('a'), TypeError('b')])\n",
        "class Own(Exception): pass\nerror = Own('x')\nerror.add_note('a note')\nraise error\n",
        "import sys\nprint('out')\nsys.exit('a sentence')\n",
        "raise KeyboardInterrupt\n",
        "print('fine')\n",
        "import json\njson.loads('{')\n",
    ],
    ids=["chain", "syntax", "group", "note", "exit", "interrupt", "fine", "library"],
)
def test_output_is_what_python_prints(scripts: Scripts, text: str, fresh: bool) -> None:
    report = scripts.run(text, fresh=fresh)
    python = subprocess.run(  # noqa: S603  (a script of this test)
        [sys.executable, str(scripts.folder / "before.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert sorted(report.output.splitlines()) == sorted(python.stdout.splitlines())
    assert "errorkb" not in report.output


def test_the_chain_is_reported_outermost_first(scripts: Scripts) -> None:
    report = scripts.run(FAILING)
    assert report.ended is Ended.RAISED
    assert [(e.name, e.message) for e in report.exceptions] == [
        ("RuntimeError", "could not split"),
        ("ValueError", "odd total 7"),
    ]
    assert report.exceptions[1].printed == "ValueError: odd total 7"


def test_class_names_are_as_printed(scripts: Scripts) -> None:
    report = scripts.run("import json\njson.loads('{')\n")
    assert report.exceptions[0].name == "json.decoder.JSONDecodeError"
    assert report.exceptions[0].printed in report.output
    report = scripts.run(
        "class Own(Exception):\n    class Nested(Exception): pass\nraise Own.Nested"
    )
    assert report.exceptions[0].name == "Own.Nested"


def test_what_was_suppressed_is_not_part_of_the_chain(scripts: Scripts) -> None:
    report = scripts.run(
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise TypeError from None\n"
    )
    assert [e.name for e in report.exceptions] == ["TypeError"]


@FRESH
def test_a_script_sees_what_python_gives_it(scripts: Scripts, fresh: bool) -> None:
    scripts.write("VALUE = 5\n", "beside.py")
    report = scripts.run(
        """
        import sys, os, pathlib, __main__
        import beside
        here = pathlib.Path(__file__)
        actual = [__name__, sys.argv, sys.path[0], beside.VALUE, __main__.__dict__ is globals(),
                  os.listdir(), sys.stdin.read(), __spec__ is None]
        expected = ["__main__", [str(here)], str(here.parent), 5, True, [], "", True]
        """,
        fresh=fresh,
    )
    assert report.comparison is not None, report.output
    assert report.comparison.verdict is Verdict.AGREE, report.comparison.sentence


@FRESH
def test_a_signal_ends_one_script_only(scripts: Scripts, fresh: bool) -> None:
    report = scripts.run(
        "import os, signal\nprint('before')\nos.kill(os.getpid(), signal.SIGSEGV)\n", fresh=fresh
    )
    assert (report.ended, report.detail) == (Ended.KILLED, "killed by SIGSEGV")
    assert scripts.run("actual = 1", fresh=fresh).ended is Ended.FINISHED


def test_native_output_is_captured_even_when_it_is_the_last(scripts: Scripts) -> None:
    report = scripts.run(
        """
        import ctypes, os
        libc = ctypes.CDLL(None)
        libc.printf(b"from printf\\n")
        os.write(2, b"from the device assert\\n")
        libc.fflush(None)
        os.abort()
        """
    )
    assert report.detail == "killed by SIGABRT"
    assert "from printf" in report.output
    assert "from the device assert" in report.output


def test_buffered_native_output_is_not_lost(scripts: Scripts) -> None:
    report = scripts.run("import ctypes\nctypes.CDLL(None).printf(b'late\\n')\n")
    assert report.output == "late\n"


@FRESH
def test_nothing_leaks_into_the_next_script(scripts: Scripts, fresh: bool) -> None:
    scripts.run(
        """
        import os, sys, tempfile, random
        os.environ["LEAKED"] = "1"
        os.environ["PATH"] = "/nowhere"
        os.chdir("/")
        sys.path.append("/leaked")
        sys.modules["leaked"] = sys
        open(os.path.join(tempfile.gettempdir(), "leaked"), "w").close()
        """,
        fresh=fresh,
    )
    report = scripts.run(
        """
        import os, sys, tempfile
        actual = ["LEAKED" in os.environ, os.environ.get("PATH") == "/nowhere", os.getcwd() == "/",
                  "/leaked" in sys.path, "leaked" in sys.modules,
                  os.path.exists(os.path.join(tempfile.gettempdir(), "leaked"))]
        expected = [False] * 6
        """,
        fresh=fresh,
    )
    assert report.comparison is not None, report.output
    assert report.comparison.verdict is Verdict.AGREE, report.comparison.sentence
    assert "LEAKED" not in os.environ


@FRESH
def test_the_time_limit_ends_the_script_and_its_children(scripts: Scripts, fresh: bool) -> None:
    pid_file = scripts.folder / "pid"
    started = time.monotonic()
    report = scripts.run(
        f"""
        import subprocess, time
        child = subprocess.Popen(["sleep", "600"])
        open({str(pid_file)!r}, "w").write(str(child.pid))
        print("waiting", flush=True)
        time.sleep(600)
        """,
        fresh=fresh,
        timeout=2,
    )
    assert (report.ended, report.detail) == (Ended.TIMED_OUT, "still ran after 2 s")
    assert report.output == "waiting\n"
    assert time.monotonic() - started < 30
    assert _is_gone(int(pid_file.read_text()))


def test_a_process_left_behind_is_ended(scripts: Scripts) -> None:
    pid_file = scripts.folder / "pid"
    report = scripts.run(
        f"""
        import subprocess
        child = subprocess.Popen(["sleep", "600"])
        open({str(pid_file)!r}, "w").write(str(child.pid))
        """
    )
    assert report.ended is Ended.FINISHED
    assert _is_gone(int(pid_file.read_text()))


@FRESH
def test_a_process_in_a_session_of_its_own_is_ended(scripts: Scripts, fresh: bool) -> None:
    pid_file = scripts.folder / "pid"
    report = scripts.run(
        f"""
        import subprocess
        line = "import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); "
        line += "print(flush=True); time.sleep(600)"
        child = subprocess.Popen(
            ["python3", "-c", line], start_new_session=True, stdout=subprocess.PIPE
        )
        child.stdout.readline()
        """,
        fresh=fresh,
    )
    assert report.ended is Ended.FINISHED
    assert _is_gone(int(pid_file.read_text()))


def _is_gone(pid: int) -> bool:
    """Whether the process ended; what nobody waits for stays as a zombie."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_an_end_without_a_report_is_said(scripts: Scripts) -> None:
    report = scripts.run("import os\nprint('x', flush=True)\nos._exit(3)\n")
    assert report.ended is Ended.LOST
    assert report.detail == "ended with exit code 3 before its results could be read"


def test_exit_codes_are_told_apart(scripts: Scripts) -> None:
    assert scripts.run("raise SystemExit(0)").ended is Ended.FINISHED
    assert scripts.run("raise SystemExit").ended is Ended.FINISHED
    report = scripts.run("raise SystemExit(3)")
    assert (report.ended, report.detail) == (Ended.EXITED, "exit code 3")


def test_the_server_s_own_death_is_survived(scripts: Scripts) -> None:
    report = scripts.run("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n")
    assert report.ended is Ended.LOST
    assert "the process that starts scripts ended" in report.detail
    assert scripts.run("pass").ended is Ended.FINISHED


@FRESH
@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_server_that_a_script_takes_away_leaves_no_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, fresh: bool
) -> None:
    monkeypatch.setattr("errorkb.runner.PATIENCE", 2.0)
    (tmp_path / "before.py").write_text(
        "import os, signal, time\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        f"os.kill(os.getppid(), signal.{how})\ntime.sleep(600)\n"
    )
    with Runner(Place.CPU, preload=()) as own:
        report = own.run(Case(tmp_path / "before.py", timeout=2, fresh=fresh))
        assert report.ended is Ended.LOST
        assert _is_gone(int((tmp_path / "pid").read_text()))
        (tmp_path / "before.py").write_text("pass\n")
        assert own.run(Case(tmp_path / "before.py")).ended is Ended.FINISHED


@FRESH
def test_a_script_cannot_write_into_the_answers(scripts: Scripts, fresh: bool) -> None:
    report = scripts.run(
        """
        import os
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"nonsense\\n")
            except OSError:
                pass
        """,
        fresh=fresh,
    )
    assert report.ended is Ended.FINISHED
    assert scripts.run("pass").ended is Ended.FINISHED


@pytest.mark.parametrize(
    "spoil",
    [
        "shutil.rmtree(mine)",
        "shutil.rmtree(mine.parent)",
        "(mine / 'result').mkdir()",
        "(mine / 'result').write_text('{'); os._exit(0)",
        "(mine / 'result').write_text('[]'); os._exit(0)",
        "(mine / 'output').unlink(); (mine / 'output').mkdir()",
    ],
)
def test_a_script_that_spoils_the_runner_s_files_is_lost_and_no_other(
    scripts: Scripts, spoil: str
) -> None:
    start = "import os, pathlib, shutil\nmine = pathlib.Path.cwd().parent\n"
    assert scripts.run(f"{start}{spoil}\n").ended in (Ended.LOST, Ended.FINISHED)
    report = scripts.run("print('here')")
    assert (report.ended, report.output) == (Ended.FINISHED, "here\n")


def test_a_real_time_signal_has_a_number(scripts: Scripts) -> None:
    report = scripts.run("import os\nos.kill(os.getpid(), 40)\n")
    assert (report.ended, report.detail) == (Ended.KILLED, "killed by signal 40")


def test_a_script_may_close_its_streams(scripts: Scripts) -> None:
    report = scripts.run("import os\nos.closerange(0, 9)\nraise ValueError('unheard')\n")
    assert (report.ended, report.output) == (Ended.RAISED, "")
    assert report.exceptions[0].message == "unheard"


def test_half_a_surrogate_pair_is_reported_as_it_is_printed(scripts: Scripts) -> None:
    report = scripts.run("raise ValueError('\\ud800')\n")
    assert report.exceptions[0].printed == "ValueError: \\ud800"
    assert report.exceptions[0].message == "\\ud800"
    assert report.output.endswith("ValueError: \\ud800\n")


def test_an_interrupt_ends_the_running_script(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    with Runner(Place.CPU, preload=()) as own:
        folder = own._folder

        def interrupt(number: int, frame: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 2)
        try:
            with pytest.raises(KeyboardInterrupt):
                own.run(Case(tmp_path / "slow.py"))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert _is_gone(int((tmp_path / "pid").read_text()))
    assert not folder.exists()


def test_numbers_are_compared_where_both_variables_are_left(scripts: Scripts) -> None:
    assert scripts.run("actual = 1").variables == {"actual"}
    assert scripts.run("actual = 1").comparison is None
    report = scripts.run("actual, expected = 1.0, 1.0 + 1e-12")
    assert report.comparison is not None
    assert report.comparison.verdict is Verdict.AGREE
    assert report.comparison.max_error == pytest.approx(1e-12, rel=1e-3)
    report = scripts.run("class Odd:\n    pass\nactual = expected = Odd()")
    assert report.comparison is not None
    assert report.comparison.verdict is Verdict.UNUSABLE


@pytest.mark.parametrize(
    ("guard", "outcome"),
    [
        ("if total % 2:\n    raise ValueError(f'odd total {total}')", GuardOutcome.REJECTED),
        ("assert total % 2 == 0, 'odd'", GuardOutcome.REJECTED),
        (
            "def check(total):\n    if total % 2:\n        raise TypeError\ncheck(total)",
            GuardOutcome.REJECTED,
        ),
        ("if totl % 2:\n    raise ValueError", GuardOutcome.BROKEN),
        ("len(total)", GuardOutcome.BROKEN),
        ("if total >", GuardOutcome.BROKEN),
        ("assert total > 0", GuardOutcome.PASSED),
    ],
    ids=["raise", "assert", "helper", "name", "native", "syntax", "passes"],
)
def test_a_guard_counts_only_when_it_rejects_on_purpose(
    scripts: Scripts, guard: str, outcome: GuardOutcome
) -> None:
    report = scripts.run("total = 7\nraise ValueError(total)", guard=guard)
    assert report.guard is not None
    assert report.guard.outcome is outcome
    assert report.output.count("Traceback") == 1  # the guard's own is not the script's output


def test_random_numbers_are_fresh_and_their_seed_is_reported(scripts: Scripts) -> None:
    text = "import random\nprint(random.random())\n"
    one, two = scripts.run(text), scripts.run(text)
    assert one.output != two.output
    assert one.seed != two.seed


def test_long_output_keeps_both_ends(scripts: Scripts) -> None:
    report = scripts.run("print('first')\nprint('x' * 3_000_000)\nprint('last')")
    assert len(report.output) < 1.1 * 2**20
    assert report.output.startswith("first\n")
    assert report.output.endswith("last\n")
    assert "bytes left out" in report.output


@FRESH
@pytest.mark.parametrize("who", ["script", "child"])
def test_a_script_that_never_stops_printing_is_ended(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch, who: str, fresh: bool
) -> None:
    monkeypatch.setattr("errorkb.runner.MAX_WRITTEN", 2 << 20)
    flood = "import time; print('first'); print('x' * 3_000_000, flush=True); time.sleep(60)"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {flood!r}])"
    report = scripts.run(flood if who == "script" else child, fresh=fresh, timeout=30)
    assert report.ended is Ended.FLOODED
    assert report.detail == "printed more than 2 MiB and was ended"
    assert report.output.startswith("first\nxxx")
    fine = scripts.run("print('x' * 2_000_000)", fresh=fresh)  # and what is below the limit is not
    assert fine.ended is Ended.FINISHED


def test_preloaded_modules_are_there_and_missing_ones_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("import sys\nprint('wave' in sys.modules)\n")
    with Runner(Place.CPU, preload=("no_such_module", "wave")) as own:
        assert own.run(Case(tmp_path / "s.py")).output == "True\n"
        assert own.run(Case(tmp_path / "s.py", fresh=True)).output == "False\n"


def test_packages_of_the_given_path_come_first(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "wave.py").write_text("OURS = True\n")
    (tmp_path / "s.py").write_text("import wave\nprint(wave.OURS)\n")
    with Runner(Place.CPU, preload=("wave",), path=[tmp_path / "lib"]) as own:
        assert own.run(Case(tmp_path / "s.py")).output == "True\n"
        assert own.run(Case(tmp_path / "s.py", fresh=True)).output == "True\n"
