"""compile_driver: kernels compile for an absent GPU, and Triton finds what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import errorkb
from errorkb.compile_driver import CAPABILITY, MAX_THREADS, PROPERTIES
from errorkb.limits import table
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
        target = active.get_current_target()
        print(target.backend, target.arch, target.warp_size, active.get_active_torch_device())
        print(active.get_current_device(), active.set_current_device(0), active.is_active())
        print(active.get_current_stream(), active.get_current_stream(0))
        print(active.get_device_capability(), active.get_device_capability(0))
        """,
    )
    assert report.output.splitlines() == ["cuda 90 32 cpu", "0 None True", "0 0", "(9, 0) (9, 0)"]


def test_its_figures_are_those_of_an_h200() -> None:
    row = next(each for each in table() if each.target == f"sm_{CAPABILITY}")
    assert (PROPERTIES["max_shared_mem"], PROPERTIES["max_num_regs"], PROPERTIES["warpSize"]) == (
        row.shared_per_block_opt_in,
        row.registers_per_sm,
        row.warp_size,
    )
    assert row.threads_per_block == MAX_THREADS
    multiprocessors, clock = PROPERTIES["multiprocessor_count"], PROPERTIES["sm_clock_rate"]
    assert (multiprocessors, clock) == (132, 1_980_000)  # its data sheet
    # HBM3e moves two bits a clock and wire.
    bytes_per_second = PROPERTIES["mem_clock_rate"] * 1000 * 2 * PROPERTIES["mem_bus_width"] / 8
    assert bytes_per_second == 4_916_736_000_000


def test_a_script_cannot_change_the_figures(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        properties = triton.runtime.driver.active.utils.get_device_properties
        properties(0).clear()
        print(properties(0)["max_shared_mem"])
        """,
    )
    assert report.output == f"{PROPERTIES['max_shared_mem']}\n"


def test_a_benchmark_calls_once_and_finds_all_equally_fast(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        calls = []
        benchmark = triton.runtime.driver.active.get_benchmarker()
        print(benchmark(lambda: calls.append(1), quantiles=(0.5, 0.2, 0.8), warmup=25), calls)
        """,
    )
    assert report.output == "[1.0, 1.0, 1.0] [1]\n"


def test_registers_and_spills_are_those_of_the_cubin(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        """
        import pathlib, subprocess
        x = torch.rand(64, 64)
        kernel = square[(1,)](x, x, N=64, num_warps=1, maxnreg=64)  # it needs more
        pathlib.Path("cubin").write_bytes(kernel.asm["cubin"])
        tool = pathlib.Path(triton.backends.__path__[0], "nvidia", "bin", "cuobjdump")
        subprocess.run([tool, "--dump-resource-usage", "cubin"], check=True)
        print(kernel.n_regs, kernel.n_spills)
        """,
    )
    assert report.ended is Ended.FINISHED, report.output
    words = report.output.replace("\n", " ").split(" ")
    usage = dict(word.split(":") for word in words if word.startswith(("REG:", "STACK:")))
    registers, spills = map(int, report.output.splitlines()[-1].split())
    assert registers == int(usage["REG"]) == 64
    assert spills == int(usage["STACK"]) / 4 > 0


def test_what_is_no_cubin_is_refused(runner: Runner, tmp_path: Path) -> None:
    report = run(
        runner,
        tmp_path,
        "triton.runtime.driver.active.utils.load_binary('square', b'no cubin', 0, 0)\n",
    )
    assert report.exceptions[0].name == "subprocess.CalledProcessError"


def test_a_kernel_that_cannot_be_made_does_not_count(runner: Runner, tmp_path: Path) -> None:
    report = run(runner, tmp_path, "triton.compiler.CompiledKernel(None, None, None)\n")
    assert (report.ended, report.compiled) == (Ended.RAISED, 0)


def test_the_settings_of_python_are_read_before_the_script_runs(
    runner: Runner, tmp_path: Path
) -> None:
    report = run(
        runner,
        tmp_path,
        """
        import sysconfig
        from errorkb.compile_driver import install
        read, calls = sysconfig.get_config_vars, []
        sysconfig.get_config_vars = lambda *names: calls.append(names) or read(*names)
        print(install() is triton.runtime.driver.active, calls)
        """,
    )
    assert report.output == "True [()]\n"


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


@pytest.mark.parametrize(
    ("version", "largest"), [("3.3.1", []), ("3.4.0", [1024]), ("3.5.0+git1a2b", [1024])]
)
def test_a_loaded_kernel_is_described_as_the_release_expects(
    runner: Runner, tmp_path: Path, version: str, largest: list[int]
) -> None:
    report = run(
        runner,
        tmp_path,
        f"""
        x = torch.rand(16, 16)
        kernel = square[(1,)](x, x, N=16)
        triton.__version__ = "{version}"
        load = triton.runtime.driver.active.utils.load_binary
        module, function, *figures = load("square", kernel.asm["cubin"], 0, 0)
        print(None in (module, function), figures == [kernel.n_regs, kernel.n_spills, *{largest}])
        """,
    )
    assert report.output == "False True\n"
