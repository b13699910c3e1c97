"""The template language: what parses, what matches, and that no input stalls it."""

from __future__ import annotations

import string
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorkb.captures import TYPES
from errorkb.errors import UsageError
from errorkb.pattern import Template, same_wording


def match(template: str, message: str) -> dict[str, object] | None:
    found = Template.parse(template).match(message)
    return None if found is None else dict(found)


def test_an_int_takes_all_its_digits() -> None:
    assert match("got T={T:int}, N={N:int}", "got T=7, N=48") == {"T": 7, "N": 48}


def test_a_template_is_anchored_at_both_ends() -> None:
    assert match("expected beta shape {x:shape}", "unexpected beta shape (2, 2)") is None
    assert match("expected beta shape {x:shape}", "expected beta shape (2, 2) here") is None
    assert match("expected beta shape {x:shape}", "expected beta shape (2, 2)\n") == {"x": (2, 2)}


@pytest.mark.parametrize(("type_", "text", "value"), [("shape", "(128,)", (128,)), ("str", "", "")])
def test_a_capture_has_its_type(type_: str, text: str, value: object) -> None:
    assert match(f"before {{x:{type_}}}", f"before {text}") == {"x": value}
    assert match(f"{{x:{type_}}} after", f"{text} after") == {"x": value}


@pytest.mark.parametrize(("type_", "text"), [("int", "4.5"), ("path", "a\nb"), ("str", "a\nb")])
def test_a_capture_of_another_type_is_refused(type_: str, text: str) -> None:
    assert match(f"before {{x:{type_}}}!", f"before {text}!") is None


@pytest.mark.parametrize("type_", ["int", "shape", "word"])
def test_a_capture_is_at_most_as_long_as_its_type_allows(type_: str) -> None:
    longest = TYPES[type_].longest
    digits = "1" * (longest - 2)
    text = f"({digits})" if type_ == "shape" else f"11{digits}"
    assert match(f"got {{x:{type_}}}!", f"got {text}!") is not None
    longer = text.replace(digits, digits + "1")
    assert match(f"got {{x:{type_}}}!", f"got {longer}!") is None


def test_a_repeated_name_must_agree() -> None:
    assert match("{T:int} of {T:int}", "3 of 3") == {"T": 3}
    assert match("{T:int} of {T:int}", "3 of 4") is None


def test_a_repeated_name_is_searched_for_its_second_place() -> None:
    assert match("{a:str}, {b:str} = {a:str}", "x, y, z = x, y") == {"a": "x, y", "b": "z"}


def test_free_text_backs_up_to_where_the_rest_fits() -> None:
    assert match("{a:str} N={N:int}", "N=b N=c N=5") == {"a": "N=b N=c", "N": 5}
    assert match("{a:str}, {b:shape}", "(1, 2), (3, 4)") == {"a": "(1, 2)", "b": (3, 4)}


def test_braces_are_doubled() -> None:
    assert match("{{{x:int}}}", "{3}") == {"x": 3}
    assert match("a {{}} b", "a {} b") == {}


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("got {x:int", "unclosed"),
        ("got x:int}", "stray"),
        ("got {x:number}", "unknown type 'number'"),
        ("got {x}", "without a type"),
        ("got {:int}", "plain name"),
        ("got {a b:int}", "plain name"),
        ("got {x.shape:str}", "plain name"),
        ("{x:int} {x:str} apart", "two types"),
        ("{x:str}", "no literal text"),
        ("{x:int} {y:int}", "no literal text"),
    ],
)
def test_a_malformed_template_is_one_sentence(template: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        Template.parse(template)
    assert "\n" not in str(caught.value)


def test_wordings_compare_without_types() -> None:
    assert same_wording("got T={T}, N={N}", "got T={T:int}, N={N:int}")
    assert not same_wording("got T={T}, N={N}", "got T={T:int}, N={M:int}")
    assert not same_wording("got T={T}", "got T={T:int}.")
    assert not same_wording("got {{T}}", "got {T:int}")


def test_a_literal_may_look_like_a_pattern() -> None:
    assert match(r"a.*(b)+ [{n:int}] \d", r"a.*(b)+ [3] \d") == {"n": 3}
    assert match(r"a.* {n:int}", "abc 3") is None


ADVERSARIAL = [
    ("{a:text}x{b:text}x{c:text}x{d:int}y", "x" * 1_000_000),
    ("{a:text}x{b:text}x{c:text}x{d:int}y", "x" * 1_000_000 + "y"),
    ("{a:str}x{b:str}x{c:int}x{b:str}y", "x" * 1_000_000 + "y"),
    ("{a:word}x{b:word}x{c:word}x{d:word}x{e:int}y", "x" * 1_000_000 + "y"),
    ("{a:text}N={n:int}!", "N=1 " * 250_000 + "!"),
    ("{a:int}1{b:int}1{c:int}1{d:int}z", "1" * 1_000_000 + "z"),
    ("{a:shape}, {b:shape}, {c:shape}z", "(1), " * 200_000 + "z"),
    ("({a:path}) ({b:path}) ({c:name})", "() " * 300_000 + ")"),
    ("{a:word}{b:word}{c:word}{d:int}z", "1" * 1_000_000 + "z"),
]


@pytest.mark.parametrize(("template", "message"), ADVERSARIAL)
def test_hostile_repetition_does_not_stall(template: str, message: str) -> None:
    parsed = Template.parse(template)
    start = time.process_time()
    parsed.match(message)
    assert time.process_time() - start < 1.0


names = st.text(string.ascii_letters + "_", min_size=1, max_size=8)
ALPHABET = string.printable + "\u00e9\u03bb\u201c\u201d\u2502\x1b\x00\u2028"
texts = st.text(ALPHABET, max_size=12)
lines = st.text(ALPHABET.replace("\n", ""), max_size=12)
values = {
    "int": st.integers(-(10**12), 10**12),
    "float": st.floats(allow_nan=False),
    "word": st.text(string.ascii_letters + string.punctuation, min_size=1, max_size=9),
    "name": names,
    "shape": st.lists(st.integers(-1, 10**6), max_size=5).map(tuple),
    "dtype": names.map(lambda name: f"torch.{name}"),
    "device": st.builds("{}:{}".format, names, st.integers(0, 64)),
    "size": st.integers(0, 1 << 40),
    "path": lines.map("x{}".format),
    "str": lines,
    "text": texts,
}


def test_every_type_has_a_strategy() -> None:
    assert set(values) == set(TYPES)


@given(st.data())
def test_what_is_rendered_matches_and_gives_the_values_back(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=4))
    # The literal \x1f\x1f cannot occur in a drawn value, so there is one way to read the message.
    mark = "\x1f\x1f"
    text = "start " + mark.join(f"{{v{i}:{kind}}}" for i, kind in enumerate(kinds)) + mark + "."
    drawn: dict[str, Any] = {f"v{i}": data.draw(values[kind]) for i, kind in enumerate(kinds)}
    if any(mark[0] in value for value in drawn.values() if isinstance(value, str)):
        return
    template = Template.parse(text)
    assert template.match(template.render(drawn)) == drawn


@given(texts, texts)
def test_any_text_parses_or_is_refused_and_matching_never_crashes(text: str, message: str) -> None:
    try:
        template = Template.parse(text)
    except UsageError:
        return
    template.match(message)


@given(texts)
def test_an_escaped_text_matches_itself(text: str) -> None:
    if not text.strip():
        return
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert Template.parse(escaped).match(text) == {}
