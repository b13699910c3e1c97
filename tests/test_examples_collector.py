"""`pytest examples`: what is collected, deselected, failed and expected to fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"
_REPOSITORY = Path(__file__).resolve().parent.parent
Collect = Callable[..., tuple[int, str]]


@pytest.fixture
def collect(workshop: Workshop) -> Collect:
    """Run pytest on the workshop's examples; exit code and output."""
    for name in ("conftest.py", "examples/conftest.py", "examples/test_folders.py"):
        shutil.copy(_REPOSITORY / name, workshop.root / name)
    (workshop.root / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")

    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pytest", "-v", "-rxX", "-p", "no:cacheprovider"]
        done = subprocess.run(  # noqa: S603  (our own command)
            [*command, *(arguments or ("examples",))],
            cwd=workshop.root,
            env=os.environ | {"PYTHONPATH": str(_REPOSITORY)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    return run


def test_one_test_for_each_script_and_place(workshop: Workshop, collect: Collect) -> None:
    workshop.example(example={"requires": ["cpu", "gpu"]})
    code, out = collect("examples", "--device", "cpu")
    assert code == 0, out
    assert "examples/demo/odd-total/before.py::cpu PASSED" in out
    assert "examples/demo/odd-total/after.py::cpu PASSED" in out
    assert "examples/test_folders.py::test_every_folder_and_file_belongs_to_a_record PASSED" in out
    assert "3 passed, 2 deselected" in out  # the two on the GPU


def test_paths_and_names_select(workshop: Workshop, collect: Collect) -> None:
    workshop.example()
    workshop.example("demo/zero", code="EKB0002", kind="silent", exceptions=None, messages=None)
    workshop.script("before", "actual, expected = 1, 2\n", "demo/zero")
    after = f"examples/{SLUG}/after.py"
    for argument, count in [("examples/demo", 4), (f"examples/{SLUG}", 2), (f"{after}::cpu", 1)]:
        code, out = collect(argument, "--device", "cpu")
        assert (code, f"{count} passed" in out) == (0, True), out


def test_a_failure_shows_the_reason_and_what_was_printed(
    workshop: Workshop, collect: Collect
) -> None:
    workshop.example()
    workshop.script("after", "print('on the way')\ntotal\n")
    code, out = collect("examples", "--device", "cpu")
    assert code == 1
    assert "demo/odd-total after (cpu)" in out
    assert "after.py must end by itself, but it raised NameError" in out
    assert "on the way\n" in out
    assert 'after.py", line 2, in <module>' in out
    assert "_FailedError" not in out


def test_a_missing_script_and_an_orphan_fail(workshop: Workshop, collect: Collect) -> None:
    workshop.example()
    (workshop.root / "examples" / SLUG / "after.py").unlink()
    workshop.script("before", "", "demo/forgotten")
    code, out = collect("examples", "--device", "cpu")
    assert code == 1
    assert "examples/demo/odd-total/after.py is missing" in out
    assert "there is no record demo/forgotten" in out
    assert "2 failed, 1 passed" in out


def test_a_waived_failure_is_expected(workshop: Workshop, collect: Collect) -> None:
    waiver = {"item": "before", "place": "cpu", "reason": "It is even here."}
    workshop.example(example={"requires": ["cpu"], "waivers": [waiver]})
    code, out = collect("examples", "--device", "cpu")
    assert code == 1
    assert "the waiver of before in cpu is not needed" in out
    workshop.script("before", "total = 8\n")
    code, out = collect("examples", "--device", "cpu")
    assert code == 0
    assert "2 passed, 1 xfailed" in out
    assert "waived: It is even here." in out


def test_what_the_machine_lacks_is_deselected(workshop: Workshop, collect: Collect) -> None:
    workshop.example(example={"requires": ["cpu"], "packages": {"no-such-distribution": "*"}})
    code, out = collect("examples", "--device", "cpu")
    assert (code, "1 passed, 2 deselected" in out) == (0, True), out


def test_a_malformed_record_is_one_sentence(workshop: Workshop, collect: Collect) -> None:
    workshop.example()
    path = workshop.put(severity="dire")
    code, out = collect("examples/demo", "--device", "cpu")
    assert code != 0
    assert f"{path}:" in out
    assert "Traceback" not in out


def test_an_unknown_place_is_refused(workshop: Workshop, collect: Collect) -> None:
    workshop.example()
    code, out = collect("examples", "--device", "moon")
    assert code == 4
    assert "ERROR: --device takes gpu, interpreter, compile, cpu, not 'moon'" in out
