"""text: whatever a record holds, the builder's HTML shows it as text and as nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorkb.render import text

if TYPE_CHECKING:
    from conftest import Html

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{: onclick=alert(1) }",
    "[a](javascript:alert(1))",
    "![a](x) **b** _c_ ~~d~~ ==e== ^f^",
    "1. one",
    "# heading {#id .class}",
    "!!! note",
    "a | b\n--|--\nc | d",
    "&lt;b&gt; &#60;i&#62; &amp;",
    "\x02klzzwxh:0001\x03 \x02wzxhzdk:0\x03",
    "got {T}, {{x}}",
    "--8<-- 'file'",
    "*[HTML]: x",
    "    indented",
    "a\\*b\\",
]
# Characters that Markdown, HTML and attribute lists care about, and a few that nobody does.
CHARACTERS = st.text(st.sampled_from("ab1 .\n\t<>&\"'`*_{}[]()#!|~=-+:;\\/^$%?@,\x02\x03é漢\u2028"))


def flat(string: str) -> str:
    return " ".join(text.clean(string).split())


@pytest.mark.parametrize("string", HOSTILE)
def test_hostile_text_stays_text(string: str, to_html: Callable[[str], Html]) -> None:
    for filtered in (text.entities(string), text.prose(string)):
        html = to_html(filtered)
        assert set(html.tags) <= {"p", "code"}
        assert html.attributes == []
    assert to_html(text.entities(string)).text == flat(string)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(string=CHARACTERS)
def test_any_text_comes_back_unchanged(string: str, to_html: Callable[[str], Html]) -> None:
    html = to_html(f"x {text.entities(string)} x")
    assert html.tags == ["p"]
    assert html.text.split() == flat(f"x {string} x").split()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(string=CHARACTERS)
def test_prose_makes_code_spans_and_nothing_else(
    string: str, to_html: Callable[[str], Html]
) -> None:
    html = to_html(f"x {text.prose(string)} x")
    assert set(html.tags) <= {"p", "code"}
    assert html.attributes == []


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(string=CHARACTERS)
def test_no_code_ends_its_own_fence(string: str, to_html: Callable[[str], Html]) -> None:
    body = text.clean(f"a\n{string}\nz")
    fence = text.fence_for(body)
    html = to_html(f"{fence} {{ .text }}\n{body}\n{fence}\n\nbehind")
    assert html.tags == ["div", "pre", "span", "code", "p"]
    shown = html.text.replace("behind", "").split()
    assert shown == body.split()


def test_prose_links_addresses_without_the_full_stop(to_html: Callable[[str], Html]) -> None:
    html = to_html(text.prose("See https://example.org/a?b=c#d. Then `x[1]`."))
    assert ("href", "https://example.org/a?b=c#d") in html.attributes
    assert html.text == "See https://example.org/a?b=c#d. Then x[1]."


def test_an_address_cannot_leave_its_attribute(to_html: Callable[[str], Html]) -> None:
    html = to_html(text.prose('https://example.org/"onmouseover="alert(1)'))
    assert [name for name, _ in html.attributes] == ["href"]


def test_prose_does_not_link_other_schemes(to_html: Callable[[str], Html]) -> None:
    assert to_html(text.prose("javascript:alert(1) data:text/html,x")).attributes == []


def test_a_template_shows_its_placeholders(to_html: Callable[[str], Html]) -> None:
    html = to_html(text.template_html("got {{x}} T={T:int}, <N>={N:int}"))
    assert html.tags == ["p", "var", "var"]
    assert html.text == "got {x} T=T, <N>=N"
    assert text.template_text("got {{x}} T={T:int}") == "got {x} T={T}"


def test_clean_drops_colours_controls_and_overrides() -> None:
    assert text.clean("\x1b[31mred\x1b[0m\r\nb\x00\x02\u202ec\ud800\td") == "red\nbc\td"
