"""environment: the variables of each place, and how a ledger's header is named."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from errorkb.environment import Machine, describe, environ, probe
from errorkb.layout import Layout
from errorkb.model import Place

MACHINE = Machine("3.12.1", "Linux x86_64", "2.11.0", "3.6.0", "13.0", "NVIDIA H200", "9.0")


def test_only_the_gpu_place_sees_a_gpu() -> None:
    base = {"CUDA_VISIBLE_DEVICES": "3", "HOME": "/root"}
    assert environ(Place.GPU, base) == base
    for place in (Place.CPU, Place.COMPILE, Place.INTERPRETER):
        assert environ(place, base)["CUDA_VISIBLE_DEVICES"] == ""
    assert environ(Place.INTERPRETER, base)["TRITON_INTERPRET"] == "1"


@pytest.mark.parametrize(
    "name",
    [
        "TRITON_INTERPRET",
        "TRITON_CACHE_DIR",
        "CUDA_LAUNCH_BLOCKING",
        "TORCH_LOGS",
        "TORCHDYNAMO_VERBOSE",
        "PYTHONINSPECT",
        "PYTHONWARNINGS",
        "PYTHONHASHSEED",
        "PYTEST_CURRENT_TEST",
    ],
)
def test_the_caller_s_settings_do_not_reach_a_script(name: str) -> None:
    assert name not in environ(Place.GPU, {name: "1", "PATH": "/bin"})


def test_relative_search_paths_are_made_absolute() -> None:
    path = environ(Place.CPU, {"PYTHONPATH": os.pathsep.join([".", "kernels", ""])})["PYTHONPATH"]
    assert path.split(os.pathsep) == [str(Path.cwd()), str(Path.cwd() / "kernels")]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (Place.INTERPRETER, "triton-interpreter-3.5"),
        (Place.COMPILE, "triton-compile-sm90-3.5"),
        (Place.CPU, "triton-cpu-3.5"),
    ],
)
def test_a_survey_is_named_by_place_and_label(place: Place, name: str) -> None:
    machine = replace(MACHINE, numpy="2.3.5")
    header = describe(place, machine, Layout.own(), survey="3.5")
    assert (header.name, header.survey, header.numpy) == (name, True, "2.3.5")
    assert not describe(place, machine, Layout.own()).survey


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (Place.GPU, "nvidia-h200"),
        (Place.INTERPRETER, "triton-interpreter"),
        (Place.COMPILE, "triton-compile-sm90"),
        (Place.CPU, "cpu"),
    ],
)
def test_ledgers_are_named_after_what_ran(place: Place, name: str) -> None:
    header = describe(place, MACHINE, Layout.own())
    assert header.name == name
    assert header.triton == "3.6.0"
    assert (header.gpu is not None) is (place is Place.GPU)
    assert header.date.tzinfo is not None
    assert header.commit is None or re.fullmatch("[0-9a-f]{40}", header.commit)
    assert describe(place, MACHINE, Layout.own(), "triton-3.7").name == "triton-3.7"


def test_odd_gpu_names_still_make_a_name() -> None:
    gpu = replace(MACHINE, gpu="NVIDIA GeForce RTX 4090 (Laptop) ")
    assert describe(Place.GPU, gpu, Layout.own()).name == "nvidia-geforce-rtx-4090-laptop"


@pytest.mark.parametrize(
    ("machine", "place", "missing"),
    [
        (MACHINE, Place.GPU, None),
        (replace(MACHINE, gpu=None), Place.GPU, "no CUDA GPU is visible"),
        (replace(MACHINE, triton=None), Place.INTERPRETER, "interpreter needs triton"),
        (replace(MACHINE, torch=None, gpu=None), Place.COMPILE, "compile needs torch"),
        (replace(MACHINE, torch=None, triton=None, gpu=None), Place.CPU, None),
    ],
)
def test_a_place_says_what_it_lacks(machine: Machine, place: Place, missing: str | None) -> None:
    found = machine.missing(place)
    assert (found is None) is (missing is None)
    assert (missing or "") in (found or "")


def test_this_machine_answers() -> None:
    machine = probe(Place.CPU)
    assert machine.gpu is None  # hidden in this place even where there is one
    assert machine.python.startswith("3.")
