"""The places where scripts run: their environment variables, and what is installed there."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from errorkb.layout import Layout
from errorkb.model import Environment, Place

COMPILE_CAPABILITY = (9, 0)
"""What the compile place compiles for."""

# Settings of the caller's shell that would change what a script prints or whether it ends.
_DROPPED = re.compile(
    r"TRITON_.*|TORCH_(?!HOME).*|TORCHINDUCTOR_.*|TORCHDYNAMO_.*|CUDA_LAUNCH_BLOCKING"
    r"|PYTHON(INSPECT|WARNINGS|STARTUP|BREAKPOINT|OPTIMIZE|VERBOSE|HASHSEED|FAULTHANDLER|DEVMODE)"
    r"|PYTEST_.*|COLUMNS|LINES|FORCE_COLOR"
)

_PROBE = """
import json, torch
found = {"torch": torch.__version__, "cuda": torch.version.cuda}
if torch.cuda.is_available():
    found["gpu"] = torch.cuda.get_device_name(0)
    found["compute_capability"] = ".".join(map(str, torch.cuda.get_device_capability(0)))
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Machine:
    """What a place has here; versions are None where the package is not installed."""

    python: str
    platform: str
    torch: str | None
    triton: str | None
    cuda: str | None
    gpu: str | None
    compute_capability: str | None
    numpy: str | None = None

    def missing(self, place: Place) -> str | None:
        """Why nothing can run in `place`, as a sentence; None where it can."""
        lacks = [name for name in ("torch", "triton") if getattr(self, name) is None]
        if place is not Place.CPU and lacks:
            verb = "is" if len(lacks) == 1 else "are"
            return (
                f"{place} needs {' and '.join(lacks)}, which {verb} not installed here: "
                f"pip install {' '.join(lacks)}"
            )
        if place is Place.GPU and self.gpu is None:
            return "no CUDA GPU is visible to torch here"
        return None


def environ(place: Place, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables of a script in `place`: the caller's, without what misleads.

    Outside the GPU place no GPU is visible, so that a script behaves there as it would without.
    """
    variables = {
        name: value
        for name, value in (os.environ if base is None else base).items()
        if not _DROPPED.fullmatch(name)
    }
    if "PYTHONPATH" in variables:  # scripts run in a directory of their own
        parts = variables["PYTHONPATH"].split(os.pathsep)
        variables["PYTHONPATH"] = os.pathsep.join(str(Path(p).resolve()) for p in parts if p)
    if place is not Place.GPU:
        variables["CUDA_VISIBLE_DEVICES"] = ""
    if place is Place.INTERPRETER:
        variables["TRITON_INTERPRET"] = "1"
    return variables


def probe(place: Place) -> Machine:
    """What `place` has here. Another process asks for the GPU: this one never touches CUDA."""
    found = _ask_torch(place) if place is Place.GPU else {}
    return Machine(
        python=platform.python_version(),
        platform=" ".join([platform.system(), platform.machine(), *platform.libc_ver()]).strip(),
        torch=found.get("torch") or _version("torch"),
        triton=_version("triton"),
        cuda=found.get("cuda"),
        gpu=found.get("gpu"),
        compute_capability=found.get("compute_capability"),
        numpy=_version("numpy"),
    )


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _ask_torch(place: Place) -> dict[str, str]:
    """Nothing where torch cannot be imported: then there is no GPU to use either."""
    run = subprocess.run(  # noqa: S603  (our own interpreter and code)
        [sys.executable, "-c", _PROBE],
        env=environ(place),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = run.stdout.splitlines()
    return json.loads(lines[-1]) if run.returncode == 0 and lines else {}


def describe(
    place: Place,
    machine: Machine,
    layout: Layout,
    name: str | None = None,
    survey: str | None = None,
) -> Environment:
    """The header of a ledger.

    `name` replaces the usual name of the place; `survey` makes it a survey of that label.
    """
    if survey is not None:
        name = f"triton-{_name(place, machine).removeprefix('triton-')}-{survey}"
    capability = machine.compute_capability
    if place is Place.COMPILE:
        capability = ".".join(map(str, COMPILE_CAPABILITY))
    return Environment(
        name=name or _name(place, machine),
        place=place,
        gpu=machine.gpu if place is Place.GPU else None,
        compute_capability=capability,
        driver=_driver() if place is Place.GPU else None,
        cuda=machine.cuda,
        torch=machine.torch,
        triton=machine.triton,
        numpy=machine.numpy,
        python=machine.python,
        platform=machine.platform,
        commit=_commit(layout),
        date=datetime.now(UTC).replace(microsecond=0),
        survey=survey is not None,
    )


def _name(place: Place, machine: Machine) -> str:
    match place:
        case Place.GPU:
            return re.sub(r"[^a-z0-9]+", "-", (machine.gpu or "gpu").lower()).strip("-")
        case Place.INTERPRETER:
            return "triton-interpreter"
        case Place.COMPILE:
            return "triton-compile-sm" + "".join(map(str, COMPILE_CAPABILITY))
        case Place.CPU:
            return "cpu"


def _driver() -> str | None:
    return _first_line(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])


def _commit(layout: Layout) -> str | None:
    return _first_line(["git", "-C", str(layout.root), "rev-parse", "HEAD"])


def _first_line(command: list[str]) -> str | None:
    """What a tool prints first; None where it is absent or fails."""
    if shutil.which(command[0]) is None:
        return None
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  (fixed words)
    lines = run.stdout.split("\n")
    return lines[0].strip() or None if run.returncode == 0 else None
