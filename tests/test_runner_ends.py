"""runner: how a script ends, and that nothing of it stays and no other script is harmed."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from scripts import FRESH, Scripts, is_gone

from errorkb.model import Place
from errorkb.runner import Case, Ended, Runner


@FRESH
def test_a_signal_ends_one_script_only(scripts: Scripts, fresh: bool) -> None:
    report = scripts.run(
        "import os, signal\nprint('before')\nos.kill(os.getpid(), signal.SIGSEGV)\n", fresh=fresh
    )
    assert (report.ended, report.detail) == (Ended.KILLED, "killed by SIGSEGV")
    assert scripts.run("actual = 1", fresh=fresh).ended is Ended.FINISHED


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
    assert is_gone(int(pid_file.read_text()))


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
    assert is_gone(int(pid_file.read_text()))


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
    assert is_gone(int(pid_file.read_text()))


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
        assert is_gone(int((tmp_path / "pid").read_text()))
        (tmp_path / "before.py").write_text("pass\n")
        assert own.run(Case(tmp_path / "before.py")).ended is Ended.FINISHED


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
    assert is_gone(int((tmp_path / "pid").read_text()))
    assert not folder.exists()


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
