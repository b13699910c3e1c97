"""fingerprint: claims, scripts and kernels make a result stale; prose does not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from errorkb import fingerprint as module
from errorkb.fingerprint import fingerprint, is_current

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"


def hash_of(workshop: Workshop) -> str:
    module._kernel_sources.cache_clear()
    return fingerprint(workshop.load(), SLUG)


@pytest.mark.parametrize(
    "prose",
    [
        {"title": "Another title"},
        {"meaning": "Said in other words."},
        {"triggers": [{"when": "Told differently.", "case": "before"}]},
        {"fixes": [{"title": "Subtract one", "when": "Sometimes."}]},
        {"tags": ["new"]},
        {"diagnosis": [{"say": "{total} is odd."}]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_prose_keeps_results_current(workshop: Workshop, prose: dict[str, object]) -> None:
    workshop.example()
    before = hash_of(workshop)
    workshop.put(SLUG, **prose)
    assert hash_of(workshop) == before


def test_a_pipe_among_the_kernels_is_no_source(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("before", "import kda_kernels\n")
    package = workshop.root / "kernels" / "kda_kernels"
    package.mkdir(parents=True)
    before = hash_of(workshop)
    os.mkfifo(package / "pipe.py")
    assert hash_of(workshop) == before


@pytest.mark.parametrize(
    "claim",
    [
        {"exceptions": ["TypeError"]},
        {"messages": [{"template": "odd {total:int}", "software": "demo", "versions": "*",
                       "origin": "executed"}]},
        {"example": {"requires": ["cpu"], "isolation": "process"}},
        {"example": {"requires": ["cpu"], "tolerance": {"relative": 0.1, "reason": "Coarse."}}},
        {"example": {"requires": ["cpu"], "nothing_to_compare": "There is no number."}},
        {"triggers": [{"when": "The total is odd.", "case": "trigger_other"}]},
        {"kind": "compile"},
    ],
    ids=["class", "template", "isolation", "tolerance", "waived", "case", "kind"],
)  # fmt: skip
def test_claims_make_results_stale(workshop: Workshop, claim: dict[str, object]) -> None:
    workshop.example()
    before = hash_of(workshop)
    workshop.put(SLUG, **claim)
    assert hash_of(workshop) != before


@pytest.mark.parametrize("item", ["before", "after", "guard"])
def test_each_script_makes_results_stale(workshop: Workshop, item: str) -> None:
    workshop.example()
    workshop.script("guard", "assert total % 2 == 0")
    before = hash_of(workshop)
    workshop.script(item, "# another script")
    assert hash_of(workshop) != before


def test_kernel_sources_count_where_a_script_imports_them(workshop: Workshop) -> None:
    package = workshop.root / "kernels" / "kda_kernels"
    package.mkdir(parents=True)
    (package / "op.py").write_text("A = 1\n")
    workshop.example()
    plain = hash_of(workshop)
    assert "+" not in plain
    (package / "op.py").write_text("A = 2\n")
    assert hash_of(workshop) == plain

    workshop.script("after", "from kda_kernels import op\n")
    one = hash_of(workshop)
    (package / "op.py").write_text("A = 1\n")
    two = hash_of(workshop)
    assert one.partition("+")[0] == two.partition("+")[0]
    assert one != two
    assert not is_current(one, two)
    (package / "op.py").rename(package / "moved.py")
    assert hash_of(workshop) != two


def test_without_kernel_sources_the_example_decides(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("after", "import kda_kernels.op as op\n")
    now = hash_of(workshop)
    own, plus, kernels = now.partition("+")
    assert (plus, kernels) == ("+", "?")
    assert is_current(f"{own}+0123456789abcdef", now)
    assert not is_current(f"{own[::-1]}+0123456789abcdef", now)
