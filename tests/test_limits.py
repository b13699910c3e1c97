"""limits: each row is complete and sourced, says what the device says, and what records rely on.

The test of the device needs a GPU: `pytest tests/test_limits.py --device gpu`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from errorkb.diagnosis import diagnose
from errorkb.layout import Layout
from errorkb.limits import Limits, gpus_for, gpus_with, table
from errorkb.model import Diagnosis
from errorkb.store import load_record

ROOT = Path(__file__).parents[1]
NVIDIA = [row for row in table() if row.capability]
BY_TARGET = {row.target: row for row in table()}

ATTRIBUTES = {
    "threads_per_block": 1,
    "shared_per_block": 8,
    "warp_size": 10,
    "registers_per_block": 12,
    "threads_per_sm": 39,
    "shared_per_sm": 81,
    "registers_per_sm": 82,
    "shared_per_block_opt_in": 97,
    "blocks_per_sm": 106,
    "block": (2, 3, 4),
    "grid": (5, 6, 7),
}
"""Numbers of `CUdevice_attribute` in cuda.h, by the field that they fill."""
CAPABILITY = (75, 76)
NOT_REPORTED = {"target", "gpus", "sources", "registers_per_thread"}

ASK_DEVICE = """
import ctypes, json, sys, torch
driver = ctypes.CDLL("libcuda.so.1")
assert driver.cuInit(0) == 0

def ask(number):
    value = ctypes.c_int()
    assert driver.cuDeviceGetAttribute(ctypes.byref(value), number, 0) == 0, number
    return value.value

wanted = json.loads(sys.argv[1])
driver_says = {n: [ask(e) for e in a] if isinstance(a, list) else ask(a) for n, a in wanted.items()}
properties = torch.cuda.get_device_properties(0)
names = {
    "warp_size": "warp_size",
    "shared_per_block": "shared_memory_per_block",
    "shared_per_block_opt_in": "shared_memory_per_block_optin",
    "shared_per_sm": "shared_memory_per_multiprocessor",
    "threads_per_sm": "max_threads_per_multi_processor",
    "registers_per_sm": "regs_per_multiprocessor",
}
torch_says = {n: getattr(properties, a) for n, a in names.items() if hasattr(properties, a)}
import triton
active = triton.runtime.driver.active.utils.get_device_properties(0)
triton_says = {"shared_per_block_opt_in": active["max_shared_mem"], "warp_size": active["warpSize"]}
print(json.dumps({"driver": driver_says, "torch": torch_says, "triton": triton_says}))
"""

COMPILE = """
import importlib.util, json, sys
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile
spec = importlib.util.spec_from_file_location("kernel", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"}
constants = {"M": 128, "N": 256, "BLOCK_K": 64}
signature = types | dict.fromkeys(constants, "constexpr")
aligned = {(n,): [["tt.divisibility", 16]] for n in range(4)}
for arch, stages in json.loads(sys.argv[2]):
    source = ASTSource(module.matmul, signature, constexprs=constants, attrs=aligned)
    options = {"num_warps": 8, "num_stages": stages}
    print(compile(source, target=GPUTarget("cuda", arch, 32), options=options).metadata.shared)
"""

STAGES_THAT_FIT = {80: 4, 86: 3, 87: 4, 89: 3, 90: 4, 100: 4, 120: 3}
"""What the record triton/out-of-shared-memory says of its example's tiles."""


@pytest.mark.parametrize("row", table(), ids=lambda row: row.target)
def test_a_row_is_complete_and_sourced(row: Limits) -> None:
    assert row.gpus
    assert row.sources
    assert all(source.where.startswith("https://") for source in row.sources)
    for field, value in row._asdict().items():
        if field in ("block", "grid"):
            wanted: object = 3
            assert value is None or [type(each) for each in value] == [int] * 3
        elif field not in ("target", "gpus", "sources"):
            wanted = int
            assert value is None or (type(value) is wanted and value > 0), field
    assert row.shared_per_block <= row.shared_per_block_opt_in <= row.shared_per_sm


@pytest.mark.parametrize("row", NVIDIA, ids=lambda row: row.target)
def test_an_nvidia_row_lacks_nothing_and_agrees_with_itself(row: Limits) -> None:
    assert None not in row
    assert row.threads_per_sm is not None
    assert row.threads_per_block is not None
    assert row.block is not None
    assert row.threads_per_sm % row.warp_size == 0
    assert row.threads_per_sm >= row.threads_per_block == row.block[0]
    major = int((row.capability or "").partition(".")[0])
    assert row.shared_per_sm - row.shared_per_block_opt_in == (1024 if major >= 8 else 0)


def test_a_target_has_one_row_and_nvidia_s_a_compute_capability() -> None:
    assert len(BY_TARGET) == len(table())
    hopper = BY_TARGET["sm_90"]
    assert (hopper.capability, hopper.name) == ("9.0", "9.0 (H100, H200, GH200)")
    assert BY_TARGET["sm_103"].capability == "10.3"
    cdna = BY_TARGET["gfx942"]
    assert (cdna.capability, cdna.shared_per_block_opt_in) == (None, 65536)
    assert cdna.name.startswith("gfx942 (")


def test_a_diagnosis_names_gpus_by_what_a_block_may_have() -> None:
    assert gpus_with(101376).startswith("8.6 (A10, A40, ")
    assert gpus_with(101377) == ""
    assert gpus_for(101377).startswith("8.0 (A100, A30), 8.7 ")
    assert gpus_for(232449) == ""
    said = ["Of {gpus_with(limit)}.", "On {gpus_for(2 * limit)}."]
    rules = [Diagnosis(say=each) for each in said]
    assert diagnose(rules, {"limit": 163840}) == ["Of gfx950 (MI350X, MI355X)."]
    assert diagnose(rules, {"limit": "163840"}) == []


def test_the_record_of_shared_memory_says_where_the_limit_and_the_need_belong() -> None:
    record = load_record(
        ROOT / "errorkb/records/triton/out-of-shared-memory.yaml", within=ROOT / "errorkb/records"
    )
    said = " ".join(diagnose(record.diagnosis, {"required": 147456, "limit": 101376}))
    assert "99 KiB is what a block may have on 8.6 (A10, A40," in said
    assert (
        "A block may have 147,456 bytes on 8.0 (A100, A30), 8.7 (Jetson Orin), 9.0 (H100," in said
    )
    assert "4 in place of 6, 2 in place of 4, 2 in place of 3" in said
    nowhere = " ".join(diagnose(record.diagnosis, {"required": 294912, "limit": 232448}))
    assert "294,912 bytes are needed and 232,448 are allowed" in nowhere
    assert "A block may have" not in nowhere
    assert "227 KiB is what a block may have on 9.0 (H100, H200, GH200), 10.0" in nowhere


@pytest.mark.parametrize(
    ("slug", "says_threads"),
    [("triton/launch-invalid-argument", False), ("torch-cuda/invalid-launch-configuration", True)],
)
def test_records_about_launches_state_the_limits_of_every_row(
    slug: str, says_threads: bool
) -> None:
    record = load_record(ROOT / f"errorkb/records/{slug}.yaml", within=ROOT / "errorkb/records")
    stated = {int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d", record.meaning)}
    stated.add(2**31 - 1 if "2**31 - 1" in record.meaning else 0)
    for row in NVIDIA:
        assert row.grid is not None
        assert set(row.grid) <= stated, row.target
        assert (row.threads_per_block in stated) is says_threads


def test_the_stages_that_the_record_names_fit_and_one_more_does_not(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    example = Layout.find(ROOT).examples / "triton" / "out-of-shared-memory" / "before.py"
    kernel = tmp_path / "kernel.py"
    kernel.write_text(example.read_text().partition("\ndevice = ")[0])
    asked = [(arch, fits + more) for arch, fits in STAGES_THAT_FIT.items() for more in (0, 1)]
    run = subprocess.run(  # noqa: S603  (this interpreter, on the text above)
        [sys.executable, "-c", COMPILE, str(kernel), json.dumps(asked)],
        capture_output=True,
        text=True,
        check=False,
        env={name: x for name, x in os.environ.items() if name != "TRITON_INTERPRET"},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    for (arch, stages), line in zip(asked, run.stdout.split(), strict=True):
        fits = int(line) <= BY_TARGET[f"sm_{arch}"].shared_per_block_opt_in
        assert fits == (stages == STAGES_THAT_FIT[arch]), (arch, stages, line)
    record = load_record(
        ROOT / "errorkb/records/triton/out-of-shared-memory.yaml", within=ROOT / "errorkb/records"
    )
    detail = record.fixes[0].detail or ""
    assert "four stages fit on 8.0, 8.7, 9.0 and 10.0, three on 8.6, 8.9 and 12.0" in detail


def test_the_device_reports_what_its_row_says(pytestconfig: pytest.Config) -> None:
    """Driver, torch and Triton against the row of the device's compute capability."""
    wanted = pytestconfig.getoption("--device")
    if importlib.util.find_spec("torch") is None or wanted not in (None, "gpu"):
        pytest.skip("needs a GPU")
    names = ATTRIBUTES | {"capability": CAPABILITY}
    run = subprocess.run(  # noqa: S603  (this interpreter, on the text above)
        [sys.executable, "-c", ASK_DEVICE, json.dumps(names)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0 and wanted is None:
        pytest.skip("needs a GPU")
    assert run.returncode == 0, run.stderr[-2000:]
    said = json.loads(run.stdout.splitlines()[-1])
    major, minor = said["driver"].pop("capability")
    row = BY_TARGET.get(f"sm_{major}{minor}")
    assert row is not None, f"the table has no row for compute capability {major}.{minor}"
    in_table = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in row._asdict().items()
        if name not in NOT_REPORTED
    }
    assert said["driver"] == in_table
    assert len(said["torch"]) >= 3
    for reports in (said["torch"], said["triton"]):
        assert reports == {name: in_table[name] for name in reports}
