"""pages: what a record page says, in which order, and that nothing on it can lie or be markup."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from errorkb.model import Outcome, Place
from errorkb.render import plan

if TYPE_CHECKING:
    from conftest import Html, Workshop

PAGE = "errors/demo/odd-total.md"


def page(workshop: Workshop, name: str = PAGE) -> str:
    return plan(workshop.load())[name].decode()


def text_of(workshop: Workshop, to_html: Callable[[str], Html], name: str = PAGE) -> str:
    return " ".join(to_html(page(workshop, name)).text.split())


def test_the_same_input_gives_the_same_bytes(
    workshop: Workshop, executed: Callable[..., None]
) -> None:
    workshop.example()
    executed()
    assert plan(workshop.load()) == plan(workshop.load())


def test_the_order_is_what_a_reader_in_a_hurry_needs(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(
        diagnosis=[{"say": "{total} leaves {total % 2} over."}],
        prevention=["Check the total where it is counted."],
        situations=["Items were dropped."],
        fixes=[
            {"title": "Pass an even total", "when": "Always."},
            {"title": "Pad", "when": "Padding is free."},
        ],
        sources=[{"fact": "Halves are even.", "where": "https://example.org/halves"}],
    )
    workshop.script("guard", "assert total % 2 == 0")
    executed()
    shown = text_of(workshop, to_html)
    wanted = [
        "ValueError",
        "expected an even total, got total",
        "An odd total",
        "EKB0001",
        "verified on CPU, 2026-01-02",
        "raises an exception",
        "ValueError: expected an even total, got 7",
        "7 leaves 1 over.",
        "Fix",
        "Pass an even total",
        "-total = 7",
        "+total = 8",
        "Executed on CPU, 2026-01-02: largest error 0.",
        "Other solutions",
        "not executed here",
        "What it means",
        "Items were dropped.",
        "Triggers",
        "The total is odd.",
        "it fails with this error.",
        "Prevention",
        "Check the total where it is counted.",
        "assert total % 2 == 0",
        "Executed: rejects Before, accepts After (CPU).",
        "Verification",
        "torch 2.13.0, Python 3.11.7",
        "Sources",
        "History",
        "Report it",
    ]
    position = 0
    for each in wanted:
        found = shown.find(each, position)
        assert found >= 0, f"{each!r} is missing or too early"
        position = found + 1


def test_a_page_is_left_out_of_the_builders_search(workshop: Workshop) -> None:
    workshop.example()
    assert "\nsearch:\n  exclude: true\n" in page(workshop).split("---")[1]


@pytest.mark.parametrize(
    ("ledger", "badge", "absent"),
    [
        ({}, "verified on CPU, 2026-01-02", "stale"),
        ({"stale": True}, "stale on CPU", "verified on CPU"),
        (
            {"outcomes": {"after": Outcome.FAILED}, "reason": "error 3e-2 above 4e-3"},
            "failed on CPU",
            "verified on CPU",
        ),
    ],
)
def test_a_badge_says_what_the_ledger_says(
    workshop: Workshop,
    executed: Callable[..., None],
    to_html: Callable[[str], Html],
    ledger: dict[str, object],
    badge: str,
    absent: str,
) -> None:
    workshop.example()
    executed(**ledger)
    shown = text_of(workshop, to_html).partition("Fix ")[0]
    assert badge in shown
    assert absent not in shown


def test_a_failed_result_shows_its_reason(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    executed(outcomes={"after": Outcome.FAILED}, reason="error 3e-2 above 4e-3")
    assert "Failed on CPU, 2026-01-02: error 3e-2 above 4e-3" in text_of(workshop, to_html)


def test_an_edited_example_turns_its_page_stale(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    workshop.script("guard", "assert total % 2 == 0")
    executed()
    workshop.script("after", "total = 10\nactual, expected = total // 2, 5\n")
    shown = text_of(workshop, to_html)
    assert "stale on CPU" in shown
    assert "verified on CPU" not in shown
    assert "Stale on CPU: the files have changed since 2026-01-02." in shown
    assert "Not executed with the current files." in shown


def test_without_a_ledger_nothing_is_called_executed(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    shown = text_of(workshop, to_html)
    assert "Executed" not in shown
    assert "verified" not in shown
    assert "No ledger holds a result for this error yet." in shown


def test_a_documented_record_says_why_it_was_not_executed(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    workshop.put(
        example=None,
        not_executed="It needs two machines.",
        triggers=[{"when": "Odd.", "not_reproduced": "It needs two machines."}],
    )
    shown = text_of(workshop, to_html)
    assert "documented, not executed" in shown
    assert "Not reproduced: It needs two machines." in shown
    assert "Nothing of this page was executed: It needs two machines." in shown


def test_a_silent_record_shows_how_wrong_the_numbers_are(
    workshop: Workshop, to_html: Callable[[str], Html], executed: Callable[..., None]
) -> None:
    workshop.example(kind="silent", exceptions=[], messages=[])
    executed(message=None, max_error=0.25)
    shown = text_of(workshop, to_html)
    assert shown.startswith("no error, wrong numbers An odd total")
    assert "Nothing is printed. The numbers of Before:" in shown


def test_environments_that_print_differently_are_shown_each(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(example={"requires": ["cpu", "gpu"]})
    executed()
    executed(place=Place.GPU, gpu="NVIDIA X", message="InterpreterError: got 7")
    shown = text_of(workshop, to_html)
    gpu, cpu = shown.find("Printed on NVIDIA X"), shown.find("Printed on CPU")
    assert 0 < gpu < cpu


HOSTILE = '</script><script>alert(1)</script>"><img src=x onerror=alert(1)> {: onclick=x } [a](b)'
BRACED = HOSTILE.replace("{", "{{").replace("}", "}}")


def test_a_hostile_record_stays_text(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(
        title=HOSTILE,
        meaning=HOSTILE,
        messages=[
            {
                "template": f"expected {BRACED} {{total:int}}",
                "software": HOSTILE,
                "versions": HOSTILE,
                "origin": "report",
                "reference": HOSTILE,
            }
        ],
        sites=[{"package": HOSTILE, "path": HOSTILE, "function": HOSTILE, "condition": HOSTILE}],
        triggers=[{"when": HOSTILE, "case": "before"}],
        situations=[HOSTILE],
        fixes=[{"title": HOSTILE, "when": HOSTILE, "detail": HOSTILE} for _ in range(2)],
        prevention=[HOSTILE],
        diagnosis=[{"say": f"{{total}} {BRACED}"}],
        sources=[{"fact": HOSTILE, "where": HOSTILE}],
        withdrawn=HOSTILE,
        tags=[HOSTILE],
        history=[{"version": HOSTILE, "date": "2026-01-01", "change": HOSTILE}],
    )
    workshop.script("before", f"# ``` {HOSTILE}\n```\nraise ValueError({HOSTILE!r})\n")
    executed(message=f"ValueError: {HOSTILE}\n```\n{HOSTILE}", reason=HOSTILE)
    for name, content in plan(workshop.load()).items():
        if name.endswith(".md"):
            html = to_html(content.decode())
            assert not {"script", "img", "iframe"} & set(html.tags), name
            assert not [each for each, _ in html.attributes if each.startswith("on")], name
            hrefs = [value or "" for each, value in html.attributes if each == "href"]
            assert not [each for each in hrefs if ":" in each and not each.startswith("http")]
            front = content.decode().split("---\n")[1]
            assert "<" not in front
            assert ">" not in front


def test_permalink_and_former_addresses_lead_to_the_page(workshop: Workshop) -> None:
    workshop.example(redirects_from=["old/name"])
    files = plan(workshop.load())
    for name in ("e/EKB0001/index.html", "errors/old/name/index.html"):
        up = "../" * name.count("/")
        assert f'url={up}errors/demo/odd-total/"' in files[name].decode()


def test_a_withdrawn_record_keeps_page_and_permalink(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    workshop.example(withdrawn="The check was removed in 0.2.")
    assert "Withdrawn The check was removed in 0.2." in text_of(workshop, to_html)
    assert "e/EKB0001/index.html" in plan(workshop.load())


def test_indexes_list_each_record_where_it_belongs(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    workshop.example(
        "other/silent-one", code="EKB0002", kind="silent", exceptions=[], messages=[], title="Mute"
    )
    kinds = text_of(workshop, to_html, "by-kind/index.md")
    assert kinds.find("silent: wrong numbers") < kinds.find("Mute")
    classes = text_of(workshop, to_html, "by-exception/index.md")
    assert "An odd total" in classes
    assert "Mute" not in classes
    assert "Mute" in text_of(workshop, to_html, "errors/other/index.md")
    assert "Mute" not in text_of(workshop, to_html, "errors/demo/index.md")


def test_verification_counts_from_the_ledgers(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    workshop.example("demo/other", code="EKB0002")
    executed()
    workshop.script("after", "total = 10\nactual = expected = 5\n", "demo/other")
    shown = text_of(workshop, to_html, "verification/index.md")
    assert "1 of 2 records verified" in shown
    assert "1 of 2 triggers executed" in shown
    assert "1 stale" in shown
    assert "0 failed" in shown
    home = text_of(workshop, to_html, "index.md")
    assert (
        "Newest verifications: CPU, 2026-01-02, torch 2.13.0, Python 3.11.7: 2 of 4 cases passed"
        in home
    )


def test_our_own_site_shows_its_source_line(
    workshop: Workshop, to_html: Callable[[str], Html]
) -> None:
    workshop.example(
        sites=[
            {
                "package": "kda_kernels",
                "path": "kda_kernels/contract.py",
                "function": "check",
                "condition": "total % 2",
            },
            {
                "package": "sglang",
                "commit": "0132848349585cfe6aae51c4941cbae872505f8a",
                "path": "python/x.py",
                "line": 9,
                "function": "f",
                "condition": "always",
            },
        ]
    )
    package = workshop.root / "kernels" / "kda_kernels"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "contract.py").write_text(
        'def check(total):\n    """A docstring\n\n    of lines."""\n    if total % 2:\n'
        '        raise ContractError("EKB0001", f"expected an even total, got {total}")\n'
    )
    html = to_html(page(workshop))
    shown = " ".join(html.text.split())
    assert "kda_kernels/contract.py:6" in shown
    assert "if total % 2: raise ContractError(" in shown
    assert "of lines." not in shown
    link = "https://github.com/sgl-project/sglang/blob/0132848349585cfe6aae51c4941cbae872505f8a/python/x.py#L9"
    assert ("href", link) in html.attributes


@pytest.mark.parametrize(
    ("template", "heading"),
    [
        ("short {n:int}", "short n"),
        (f"{'word ' * 40}end {{n:int}}", f"{'word ' * 20}…"),
        (f"{'a' * 90} {{first:int}}{{{{x}}}} {{n:int}}, more", f"{'a' * 90} first{{x}} n …"),
        ("first line {n:int}\nsecond line", "first line n"),
    ],
)
def test_a_long_message_is_cut_in_the_heading(
    workshop: Workshop, to_html: Callable[[str], Html], template: str, heading: str
) -> None:
    message = {"template": template, "software": "x", "versions": "*", "origin": "executed"}
    workshop.example(messages=[message])
    line = next(each for each in page(workshop).splitlines() if each.startswith("# "))
    shown = to_html(line.removeprefix("# ").removesuffix(" { #message }"))
    assert shown.text == heading


def test_a_ledger_of_a_part_of_the_library_says_nothing_of_the_rest(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    workshop.example("demo/other", code="EKB0002")
    executed(name="all")
    executed(name="some", only="demo/other")
    assert "CPU, torch 2.13.0, some" in text_of(workshop, to_html, "errors/demo/other.md")
    shown = text_of(workshop, to_html)
    assert "verified on CPU, torch 2.13.0, all" in shown
    assert "some" not in shown.partition("Verification")[2].partition("History")[0]
    assert "not run yet" not in shown


def test_a_place_without_any_result_is_said_to_be_open(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(example={"requires": ["cpu", "gpu"]})
    workshop.example("demo/other", code="EKB0002", example={"requires": ["cpu", "gpu"]})
    executed()
    executed(place=Place.GPU, gpu="NVIDIA X", only="demo/other")
    assert "not run yet on NVIDIA X" in text_of(workshop, to_html)
