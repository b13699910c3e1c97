"""recipe: a tool runs a script as a user would, and its output must name the guilty line."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError
from scripts import is_gone

from errorkb.fingerprint import claims, fingerprint
from errorkb.model import ErrorRecord, Outcome, Place, Recipe, Tool
from errorkb.plan import problems, tasks
from errorkb.recipe import COMMANDS, MissedError, Run, line_number, missing_tool, named, run
from errorkb.verify import Checked, Verifier, lookup_answer

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"
SHOWS = "The traceback ends at the launch."
LAUNCH = {"tool": "launch-blocking", "names": "halve(7)", "shows": SHOWS}
MEMCHECK = {
    "tool": "memcheck",
    "names": "exec(DRIVER, driver)",
    "shows": "The read.",
}

# As a GPU does it: the launch only notes the error, and a later call raises it, unless each launch
# waits.
BEFORE = """
    DRIVER = '''
    import os

    def halve(total):
        halve.late = ValueError(f"expected an even total, got {total}")
        if "CUDA_LAUNCH_BLOCKING" in os.environ:
            raise halve.late
    '''
    driver = {}
    exec(DRIVER, driver)
    halve = driver["halve"]

    halve(7)
    raise halve.late
"""
SANITIZER = """\
#!/bin/sh
echo "$@" "$PYTORCH_NO_CUDA_MEMORY_CACHING" > "$RECORDED"
"$3" "$4" 2> /dev/null
echo "========= Invalid __global__ read of size 4 bytes"
echo "=========     at halve+0x30 in $4:10"
echo "=========     by thread (3,0,0) in block (0,0,0)"
echo "=========     Access is out of bounds"
echo "=========     Saved host backtrace up to driver entry point at kernel launch time"
"""


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A CUDA toolkit that is not on the path, with a compute-sanitizer that records its call."""
    tool = tmp_path / "toolkit" / "bin" / "compute-sanitizer"
    tool.parent.mkdir(parents=True)
    tool.write_text(SANITIZER)
    tool.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tool.parent.parent))
    folders = os.environ["PATH"].split(os.pathsep)
    without = [folder for folder in folders if not Path(folder, tool.name).exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(without))
    monkeypatch.setenv("RECORDED", str(tmp_path / "call"))
    return tool


@pytest.fixture
def verify(workshop: Workshop) -> Callable[[], dict[str, Checked]]:
    def call() -> dict[str, Checked]:
        library = workshop.load()
        found: list[Checked] = []
        with Verifier(library, lookup_answer(library)) as verifier:
            verifier.check_all(tasks(library, [], [Place.CPU]), jobs=2, done=found.append)
        return {each.task.item: each for each in found}

    return call


def recipe(**changes: str) -> Recipe:
    return Recipe.model_validate(LAUNCH | changes)


def output(text: str) -> Run:
    return Run(dedent(text).lstrip("\n"), 1.0)


def test_recipes_run_as_items_and_keep_what_names_the_launch(
    workshop: Workshop, verify: Callable[[], dict[str, Checked]], toolkit: Path, tmp_path: Path
) -> None:
    workshop.example(recipes=[LAUNCH, MEMCHECK])
    workshop.script("before", BEFORE)
    found = verify()
    assert sorted(list(found)[:2]) == ["after", "before"]
    assert list(found)[2:] == [
        "recipe_launch_blocking",
        "recipe_memcheck",
    ]  # alone, after the others
    assert [each.result.reason for each in found.values()] == [None] * 4
    assert {each.result.outcome for each in found.values()} == {Outcome.PASSED}
    assert found["recipe_launch_blocking"].result.message == (
        f'File "examples/{SLUG}/before.py", line 13, in <module>\n'
        "  halve(7)\n"
        "ValueError: expected an even total, got 7"
    )
    assert found["recipe_memcheck"].result.message == (
        "========= Invalid __global__ read of size 4 bytes\n"
        f"=========     at halve+0x30 in examples/{SLUG}/before.py:10\n"
        "=========     by thread (3,0,0) in block (0,0,0)\n"
        "=========     Access is out of bounds\n"
        "=========     Saved host backtrace up to driver entry point at kernel launch time"
    )
    script = workshop.root / "examples" / SLUG / "before.py"
    assert (tmp_path / "call").read_text() == f"--tool memcheck {sys.executable} {script} 1\n"


def test_a_plain_run_ends_at_the_later_call(
    workshop: Workshop, verify: Callable[[], dict[str, Checked]]
) -> None:
    """What the recipe of the test above finds is not seen without it."""
    workshop.example()
    workshop.script("before", BEFORE)
    assert "line 13, in <module>" not in verify()["before"].output


def test_a_missing_tool_is_a_reason_not_to_run(
    workshop: Workshop,
    verify: Callable[[], dict[str, Checked]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    workshop.example(recipes=[MEMCHECK])
    workshop.script("before", BEFORE)
    result = verify()["recipe_memcheck"].result
    assert result.outcome is Outcome.NOT_RUN
    assert (
        result.reason == "needs compute-sanitizer of the CUDA toolkit, which is not installed here"
    )
    assert missing_tool(Tool.LAUNCH_BLOCKING) is None


def test_a_recipe_that_finds_another_line_fails(
    workshop: Workshop, verify: Callable[[], dict[str, Checked]]
) -> None:
    workshop.example(recipes=[LAUNCH | {"names": "raise halve.late  # later"}])
    workshop.script("before", BEFORE.rstrip() + "  # later\n")
    result = verify()["recipe_launch_blocking"].result
    assert result.outcome is Outcome.FAILED
    assert result.reason is not None
    assert result.reason.startswith("launch-blocking does not name line 14 of before.py, after ")


def test_a_waiver_of_a_recipe_is_checked_like_any_other(
    workshop: Workshop, verify: Callable[[], dict[str, Checked]]
) -> None:
    waiver = {"item": "recipe_launch_blocking", "place": "cpu", "reason": "Not tried yet."}
    workshop.example(recipes=[LAUNCH], example={"requires": ["cpu"], "waivers": [waiver]})
    workshop.script("before", BEFORE)
    result = verify()["recipe_launch_blocking"].result
    assert result.outcome is Outcome.FAILED
    assert "is not needed: it passes" in (result.reason or "")


def test_a_script_of_its_own_is_run_and_hashed(
    workshop: Workshop, verify: Callable[[], dict[str, Checked]]
) -> None:
    own = LAUNCH | {"script": "recipe_launch_blocking"}
    workshop.example(recipes=[own])
    assert verify()["recipe_launch_blocking"].result.reason == (
        f"examples/{SLUG}/recipe_launch_blocking.py is missing"
    )
    workshop.script("recipe_launch_blocking", BEFORE)
    assert problems(workshop.load()) == []
    assert workshop.load().scripts(SLUG) == ["before", "after", "recipe_launch_blocking"]
    workshop.put(recipes=[LAUNCH])
    assert workshop.load().scripts(SLUG) == ["before", "after"]
    assert [each.partition(": ")[2] for each in problems(workshop.load())] == [
        f"nothing in the record {SLUG} refers to this file",
        "the recipe of launch-blocking names a line that is not exactly once in before.py: "
        "halve(7)",
    ]
    workshop.put(recipes=[own])
    before = fingerprint(workshop.load(), SLUG)
    assert verify()["recipe_launch_blocking"].result.outcome is Outcome.PASSED
    workshop.script("recipe_launch_blocking", BEFORE + "# changed\n")
    assert fingerprint(workshop.load(), SLUG) != before


def test_the_named_line_must_stand_in_the_script_once(workshop: Workshop) -> None:
    workshop.example(recipes=[LAUNCH])
    workshop.script("before", BEFORE)
    assert problems(workshop.load()) == []
    workshop.script("before", BEFORE + "halve(7)\n")
    assert [each.partition(": ")[2] for each in problems(workshop.load())] == [
        "the recipe of launch-blocking names a line that is not exactly once in before.py: halve(7)"
    ]
    assert line_number("a\n  b\na\n", "b") == 2
    assert line_number("a\n  b\na\n", "a") is None


def test_the_innermost_line_of_the_script_is_the_launch() -> None:
    text = "f()\nhalve(7)\n"
    shown = output(
        """
        Traceback (most recent call last):
          File "/x/before.py", line 2, in <module>
            halve(7)
          File "/x/before.py", line 1, in f
            f()
        ValueError: late
        """
    )
    with pytest.raises(MissedError, match=r"ends at line 1 of before\.py, not at 2"):
        named(recipe(), SLUG, shown, text, lambda _: SLUG)
    shown = output(
        """
          File "/x/before.py", line 2, in <module>
            halve(7)
          File "/y/other_before.py", line 7, in g
        ValueError: late
        """
    )
    assert named(recipe(), SLUG, shown, text, lambda _: SLUG).endswith("ValueError: late")


def test_the_traceback_must_be_of_this_record() -> None:
    shown = output(
        """
        Traceback (most recent call last):
          File "/x/before.py", line 1, in <module>
            halve(7)
        NameError: name 'halve' is not defined
        """
    )
    with pytest.raises(
        MissedError, match=r"lookup answers the traceback with no record.*NameError"
    ):
        named(recipe(), SLUG, shown, "halve(7)\n", lambda _: None)


def test_frames_without_an_exception_are_no_traceback() -> None:
    """As faulthandler prints them of a crash; a lookup finds records by such frames too."""
    shown = output(
        """
        Current thread 0x00007f (most recent call first):
          File "/x/before.py", line 1 in <module>
          File "/x/before.py", line 1, in <module>
        """
    )
    with pytest.raises(MissedError, match="launch-blocking prints no exception below line 1"):
        named(recipe(), SLUG, shown, "halve(7)\n", lambda _: SLUG)


def test_an_assertion_is_quoted_once() -> None:
    lines = [
        f"/x/before.py:1: halve: block: [2,0,0], thread: [{thread},0,0] Assertion `even` failed."
        for thread in range(4)
    ]
    shown = output("\n".join(["compiling", "", *lines, "RuntimeError: device-side assert"]))
    found = named(recipe(tool="device-asserts"), SLUG, shown, "halve(7)\n", lambda _: None)
    assert found == f"compiling\n{lines[0]}"


def _assert_missed(found: Run, words: str) -> None:
    with pytest.raises(MissedError, match=words):
        named(recipe(), SLUG, found, "halve(7)\n", lambda _: SLUG)


def test_a_script_that_does_not_end_is_killed_with_its_children(tmp_path: Path) -> None:
    path = tmp_path / "before.py"
    child = tmp_path / "child"
    path.write_text(
        "import pathlib, subprocess\n"
        "each = subprocess.Popen(['sleep', '60'])\n"
        f"pathlib.Path({str(child)!r}).write_text(str(each.pid))\n"
        "each.wait()\n"
    )
    started = time.monotonic()
    found = run(Tool.LAUNCH_BLOCKING, path, Place.CPU, timeout=2)
    assert found.stopped == "still ran after 2 s"
    assert time.monotonic() - started < 20
    assert is_gone(int(child.read_text()), within=30)  # it sleeps for 60
    _assert_missed(found, "launch-blocking still ran after 2 s")


def test_a_script_that_never_stops_printing_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorkb.recipe.MAX_WRITTEN", 2 << 20)
    path = tmp_path / "before.py"
    path.write_text("import time\nprint('x' * 3_000_000, flush=True)\ntime.sleep(60)\n")
    found = run(Tool.LAUNCH_BLOCKING, path, Place.CPU, timeout=30)
    assert found.stopped == "printed more than 2 MiB and was ended"
    assert found.seconds < 30
    _assert_missed(found, "launch-blocking printed more than 2 MiB")


def test_a_script_that_clears_its_temporary_folder_runs_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "before.py"
    done = tmp_path / "done"
    path.write_text(
        "import os, pathlib, time\n"
        "for each in pathlib.Path(os.environ['TMPDIR']).iterdir():\n"
        "    each.unlink() if each.is_file() else None\n"
        f"time.sleep(0.5)\npathlib.Path({str(done)!r}).touch()\n"
    )
    found = run(Tool.LAUNCH_BLOCKING, path, Place.CPU, timeout=30)
    assert (found.output, found.stopped) == ("", None)
    assert done.exists()


def test_a_script_sees_the_tools_variables_and_not_the_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    path = tmp_path / "before.py"
    path.write_text(
        "import os, sys\n"
        "print(os.environ.get('TRITON_INTERPRET'), os.environ['TRITON_DEBUG'], os.listdir())\n"
        "print(os.environ['PYTHONPATH'].split(os.pathsep)[0])\n"
    )
    found = run(Tool.DEVICE_ASSERTS, path, Place.CPU, path=[tmp_path], timeout=60)
    assert found.output.splitlines() == ["None 1 []", str(tmp_path)]
    assert found.stopped is None


@pytest.mark.parametrize(
    ("tool", "typed"),
    [
        (Tool.LAUNCH_BLOCKING, "CUDA_LAUNCH_BLOCKING=1 python before.py"),
        (
            Tool.MEMCHECK,
            "PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer --tool memcheck python before.py",
        ),
        (Tool.DEVICE_ASSERTS, "TRITON_DEBUG=1 python before.py"),
    ],
)
def test_the_command_is_what_a_user_types(tool: Tool, typed: str) -> None:
    assert COMMANDS[tool].text("before.py") == typed


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no program\n", "Exec format error"),
        ("#!/no/such/interpreter\n", "No such file or directory"),
        ("#!/bin/sh\nprintf '\\377\\000 line'; kill -9 $$\n", "line"),
        ("#!/bin/sh\nexit 0\n", "does not name line 10"),
        ("#!/bin/sh\nhead -c 5000000 /dev/zero\n", "does not name line 10"),
    ],
    ids=["no-program", "no-interpreter", "killed", "silent", "endless-zeros"],
)
def test_a_tool_that_does_something_else_fails_its_recipe_alone(
    workshop: Workshop,
    verify: Callable[[], dict[str, Checked]],
    toolkit: Path,
    text: str,
    says: str,
) -> None:
    workshop.example(recipes=[LAUNCH, MEMCHECK])
    workshop.script("before", BEFORE)
    toolkit.write_bytes(text.encode())
    found = verify()
    outcomes = {item: each.result.outcome for item, each in found.items()}
    assert outcomes.pop("recipe_memcheck") is Outcome.FAILED
    assert set(outcomes.values()) == {Outcome.PASSED}
    assert says in (found["recipe_memcheck"].result.reason or "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "device"}, "needs `recipes` that find the launch"),
        ({"recipes": [LAUNCH, LAUNCH]}, "`recipes` name a tool twice"),
        ({"recipes": [LAUNCH | {"script": "after"}]}, "runs 'before' or 'recipe_launch_blocking'"),
        (
            {
                "recipes": [LAUNCH],
                "example": None,
                "not_executed": "It needs a cluster.",
                "triggers": [{"when": "Always.", "not_reproduced": "It needs a cluster."}],
            },
            "`recipes` run the example, and the record has none",
        ),
        (
            {"triggers": [{"when": "Always.", "case": "recipe_memcheck"}]},
            "a recipe finds the launch and cannot be a trigger's case",
        ),
    ],
)
def test_a_record_with_impossible_recipes_is_refused(
    make_record: Callable[..., dict[str, object]], changes: dict[str, object], said: str
) -> None:
    with pytest.raises(ValidationError, match=re.escape(said)):
        ErrorRecord.model_validate(make_record(**changes))


def test_a_hash_without_recipes_is_as_it_was(workshop: Workshop) -> None:
    """A key of an empty list in the claims would make every earlier result stale."""
    workshop.example()
    without = fingerprint(workshop.load(), SLUG)
    assert "recipes" not in claims(workshop.load().records[SLUG])
    workshop.put(recipes=[LAUNCH])
    one = fingerprint(workshop.load(), SLUG)
    workshop.put(recipes=[LAUNCH | {"shows": "Other prose."}])
    assert fingerprint(workshop.load(), SLUG) == one != without
