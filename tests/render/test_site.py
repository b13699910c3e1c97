"""site: the order of families, and what the ledger page counts for each environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from errorkb.model import Outcome, Place
from errorkb.render import plan
from errorkb.render.site import Site

if TYPE_CHECKING:
    from conftest import Html, Workshop


def column(workshop: Workshop, label: str = "CPU") -> dict[str, str]:
    """The facts of one environment."""
    site = Site(workshop.load())
    at = [view.label for view in site.environments].index(label)
    return {name: values[at] for name, values in site.facts}


def test_a_family_begins_with_what_people_meet_most(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    for number, (name, met) in enumerate(
        {"a-rare": "rarely", "b-other": None, "c-other": "sometimes", "d-common": "often"}.items()
    ):
        workshop.put(f"demo/{name}", code=f"EKB000{number}", met=met, title=f"Title of {name}")
    workshop.put("alpha/rare", code="EKB0009", met="rarely")
    files = plan(workshop.load())
    for page in ("errors/demo/index.md", "errors/index.md"):
        text = to_html(files[page].decode()).text
        wanted = ["d-common", "b-other", "c-other", "a-rare"]
        positions = [text.index(f"Title of {name}") for name in wanted]
        assert positions == sorted(positions)
    assert list(Site(workshop.load()).families) == ["alpha", "demo"]


def test_records_and_recipes_are_counted_for_each_environment(
    workshop: Workshop, executed: Callable[..., None]
) -> None:
    recipe = {"tool": "launch-blocking", "names": "if total % 2:", "shows": "The launch."}
    workshop.example(recipes=[recipe])
    workshop.example("demo/two", code="EKB0002")
    workshop.example("demo/three", code="EKB0003", example={"requires": ["cpu", "gpu"]})
    executed()
    executed(place=Place.GPU, gpu="NVIDIA H200", outcomes={"after": Outcome.FAILED})
    workshop.script("after", "total = 10\nactual = expected = 5\n", "demo/two")
    facts = column(workshop)
    assert facts["Records executed"] == "2 of 3"
    assert facts["Records stale"] == "1"
    assert facts["Records failed"] == "0"
    assert facts["Recipes executed"] == "1 of 1"
    assert facts["Cases passed"] == "5 of 7"
    facts = column(workshop, "NVIDIA H200")
    assert facts["Records executed"] == "0 of 1"
    assert facts["Records failed"] == "1"
    assert facts["Recipes executed"] == ""


def test_a_row_that_no_environment_fills_is_left_out(
    workshop: Workshop, executed: Callable[..., None]
) -> None:
    workshop.example()
    executed()
    assert "Recipes executed" not in column(workshop)
    assert "Records executed" in column(workshop)
