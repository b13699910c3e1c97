"""The page on GPU limits: every figure and source of the table, and the records that rely on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from errorkb.limits import table
from errorkb.model import Place
from errorkb.render import plan

if TYPE_CHECKING:
    from conftest import Html, Workshop

PAGE = "gpu-limits/index.md"


def words(html: Html) -> str:
    return " ".join(html.text.split())


def test_the_page_shows_every_row_with_its_figures_and_sources(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    html = to_html(plan(workshop.load())[PAGE].decode())
    text = words(html)
    for row in table():
        assert (row.capability or row.target) in text
        assert ", ".join(row.gpus) in text
        assert (
            f"{row.shared_per_block_opt_in // 1024} KiB = {row.shared_per_block_opt_in:,}" in text
        )
        for source in row.sources:
            assert source.title in text
            assert ("href", source.where) in html.attributes
    nvidia, _, amd = text.partition("AMD")
    assert "gfx942" not in nvidia
    assert "H200" not in amd.partition("Sources")[0]
    # Of what no source states for a vendor there is no row.
    assert "Registers of a block" in nvidia
    assert "Registers of a block" not in amd
    assert "2,147,483,647" in text
    assert "1,024 x 1,024 x 64" in text
    assert html.tags.count("table") == 2
    assert "None" not in text
    assert "no record yet" in text
    assert "with what the device reports" not in text


def test_records_and_the_page_lead_to_each_other(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(tags=["gpu-limits"], example={"requires": ["gpu"]})
    workshop.example("demo/other", code="EKB0002")
    executed(place=Place.GPU, gpu="NVIDIA H200", capability="9.0")
    files = plan(workshop.load())
    html = to_html(files[PAGE].decode())
    assert ("href", "../errors/demo/odd-total/") in html.attributes
    assert ("href", "../errors/demo/other/") not in html.attributes
    assert "those of NVIDIA H200 are compared in the tests with what the device reports" in words(
        html
    )
    record = to_html(files["errors/demo/odd-total.md"].decode())
    assert ("href", "../../../gpu-limits/") in record.attributes
    other = to_html(files["errors/demo/other.md"].decode())
    assert ("href", "../../../gpu-limits/") not in other.attributes
