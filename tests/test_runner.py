"""runner: each script is alone, and its report says what `python script.py` would have shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import FRESH, Scripts

from errorkb.compare import Verdict
from errorkb.model import Place
from errorkb.runner import Case, Ended, GuardOutcome, Runner

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


def test_a_script_may_close_its_streams(scripts: Scripts) -> None:
    report = scripts.run("import os\nos.closerange(0, 9)\nraise ValueError('unheard')\n")
    assert (report.ended, report.output) == (Ended.RAISED, "")
    assert report.exceptions[0].message == "unheard"


def test_half_a_surrogate_pair_is_reported_as_it_is_printed(scripts: Scripts) -> None:
    report = scripts.run("raise ValueError('\\ud800')\n")
    assert report.exceptions[0].printed == "ValueError: \\ud800"
    assert report.exceptions[0].message == "\\ud800"
    assert report.output.endswith("ValueError: \\ud800\n")


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
