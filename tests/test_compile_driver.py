"""compile_driver: kernels compile for an absent GPU, and Triton finds what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import errorkb
from errorkb.compile_driver import PROPERTIES
from errorkb.model import Place
from errorkb.runner import Case, Ended, Report, Runner

KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def square(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = i[:, None] * N + i[None, :]
    a = tl.load(x + tile)
    tl.store(out + tile, tl.dot(a, a))
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(Place.COMPILE) as each:
        yield each


def run(runner: Runner, folder: Path, text: str) -> Report:
    script = folder / "before.py"
    script.write_text(KERNEL + dedent(text))
    return runner.run(Case(script))


def test_a_launch_compiles_and_leaves_its_outputs_alone(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        x, out = torch.rand(64, 64), torch.full((64, 64), 7.0)
        kernel = square[(1,)](x, out, N=64)
        square[(1,)](x, out, N=64)
        assert (out == 7).all()
        assert kernel.metadata.target.arch == 90 and "sm_90" in kernel.asm["ptx"]
        assert len(kernel.asm["cubin"]) > 1000
        print(kernel.metadata.shared, kernel.n_regs, kernel.n_spills)
        """,
    )
    assert report.ended is Ended.FINISHED, report.output
    assert report.compiled == 1
    shared, registers, spills = map(int, report.output.splitlines()[-1].split())
    assert 64 * 64 * 4 <= shared <= PROPERTIES["max_shared_mem"]
    assert 0 < registers <= 255
    assert spills == 0


def test_too_much_shared_memory_is_refused_by_triton(runner: Runner, tmp_path: Path) -> None:
    report = run(runner, tmp_path, "x = torch.rand(256, 256)\nsquare[(1,)](x, x, N=256)\n")
    assert report.ended is Ended.RAISED, report.output
    assert report.compiled == 1  # it compiled; it does not fit
    raised = report.exceptions[0]
    assert raised.name == "triton.runtime.errors.OutOfResources"
    assert f"Hardware limit: {PROPERTIES['max_shared_mem']}" in raised.message
    assert "Required: " in raised.message
    # Every frame is the user's or Triton's; a checkout's own name may be errorkb.
    assert str(Path(errorkb.__file__).parent) not in report.output


def test_compilations_ahead_of_time_count(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        from triton.backends.compiler import GPUTarget
        types = {"x": "*fp32", "out": "*fp32", "N": "constexpr"}
        source = triton.compiler.ASTSource(square, types, {"N": 32})
        print(triton.compile(source, target=GPUTarget("cuda", 80, 32)).metadata.target.arch)
        """,
    )
    assert (report.output.splitlines()[-1], report.compiled) == ("80", 1)


def test_a_compile_error_is_raised_as_on_a_gpu(runner: Runner, tmp_path: Path) -> None:
    report = run(runner, tmp_path, "x = torch.rand(8)\nsquare[(1,)](x, x, N=7)\n")
    assert report.exceptions[0].name == "triton.compiler.errors.CompilationError"
    assert report.compiled == 0
    assert "arange's range must be a power of 2" in report.output


def test_autotuning_tries_every_configuration(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        configs = [triton.Config({}, num_warps=w) for w in (2, 4)]
        tuned = triton.autotune(configs, key=[])(square)
        x = torch.rand(32, 32)
        tuned[(1,)](x, x, N=32)
        """,
    )
    assert report.ended is Ended.FINISHED, report.output
    assert report.compiled == 2


def test_the_device_is_described_without_one(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        from triton.runtime import driver
        active = driver.active
        print(active.get_current_target().arch, active.get_current_device(),
              active.get_device_capability(), active.get_active_torch_device(),
              active.utils.get_device_properties(0)["multiprocessor_count"])
        """,
    )
    assert report.output == "90 0 (9, 0) cpu 132\n"


def test_the_interpreter_does_not_get_the_driver(tmp_path: Path) -> None:
    script = tmp_path / "before.py"
    script.write_text(
        KERNEL + "x, out = torch.rand(16, 16), torch.empty(16, 16)\nsquare[(1,)](x, out, N=16)\n"
        "actual, expected = out, x @ x\n"
    )
    with Runner(Place.INTERPRETER) as interpreter:
        report = interpreter.run(Case(script))
    assert report.ended is Ended.FINISHED, report.output
    assert report.comparison is not None
    assert report.comparison.max_error is not None
    assert report.comparison.max_error < 1e-5
    assert report.compiled == 0


@pytest.mark.parametrize(("version", "figures"), [("3.3.1", 4), ("3.4.0", 5)])
def test_a_loaded_kernel_is_described_as_the_release_expects(
    runner: Runner, tmp_path: Path, version: str, figures: int
) -> None:
    report = run(
        runner,
        tmp_path,
        f"""
        x = torch.rand(16, 16)
        cubin = square[(1,)](x, x, N=16).asm["cubin"]
        triton.__version__ = "{version}"
        print(len(triton.runtime.driver.active.utils.load_binary("square", cubin, 0, 0)))
        """,
    )
    assert report.output == f"{figures}\n"
