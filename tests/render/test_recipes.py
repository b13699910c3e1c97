"""The part of a record page that finds the launch of an asynchronous error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from errorkb.model import Outcome
from errorkb.render import plan

if TYPE_CHECKING:
    from conftest import Html, Workshop

PAGE = "errors/demo/odd-total.md"
RECIPE = {
    "tool": "launch-blocking",
    "names": "if total % 2:",
    "shows": "The traceback ends at the launch.",
}
MEMCHECK = {
    "tool": "memcheck",
    "script": "recipe_memcheck",
    "names": "total = 9",
    "shows": "The kernel and the thread.",
}
HOSTILE = "</code></pre><script>alert(1)</script> ``` {{ 7 * 7 }} **bold**"


def shown(workshop: Workshop, to_html: Callable[[str], Html]) -> Html:
    return to_html(plan(workshop.load())[PAGE].decode())


def words(html: Html) -> str:
    return " ".join(html.text.split())


def test_a_recipe_says_what_to_type_what_it_printed_and_where_it_ran(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(recipes=[RECIPE, MEMCHECK])
    workshop.script("recipe_memcheck", "total = 9\n")
    executed(message='File "before.py", line 2, in <module>')
    html = shown(workshop, to_html)
    text = words(html)
    text = text[text.index("Find the launch") :]
    wanted = [
        "Find the launch",
        "CUDA_LAUNCH_BLOCKING=1 python before.py",
        "The traceback ends at the launch. The line is if total % 2:, line 2 of before.py.",
        "Executed on CPU, 2026-01-02: its output names the line.",
        "Printed on CPU",
        'File "before.py", line 2, in <module>',
        "compute-sanitizer --tool memcheck python recipe_memcheck.py",
        "The kernel and the thread. The line is total = 9, line 1 of recipe_memcheck.py.",
        "What it means",
        "recipe_launch_blocking",
    ]
    positions = [text.index(each) for each in wanted]
    assert positions == sorted(positions)
    assert ("class", "ekb-trigger ekb-ok") in html.attributes
    data = json.loads(plan(workshop.load())["api/errors/EKB0001.json"])
    assert data["example"]["recipe_memcheck"] == "total = 9"
    assert [each["tool"] for each in data["record"]["recipes"]] == ["launch-blocking", "memcheck"]


def test_a_recipe_that_did_not_run_is_not_called_executed(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(recipes=[RECIPE])
    assert words(shown(workshop, to_html)).count("Not executed yet.") == 1 + 2
    executed(
        outcomes={"recipe_launch_blocking": Outcome.NOT_RUN}, reason="needs a tool", message=None
    )
    text = words(shown(workshop, to_html))
    assert "Not run on CPU: needs a tool." in text
    assert "its output names the line" not in text


def test_a_record_without_recipes_has_no_such_section(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    executed()
    assert "Find the launch" not in shown(workshop, to_html).text


def test_a_hostile_recipe_stays_text(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(recipes=[RECIPE | {"names": HOSTILE, "shows": f"Shown {HOSTILE}"}])
    executed(message=HOSTILE)
    html = shown(workshop, to_html)
    assert "script" not in html.tags
    assert words(html).count("<script>alert(1)</script>") >= 3
    assert "**bold**" in words(html)
