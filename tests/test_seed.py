"""seed: a description becomes a draft that loads, claims nothing, and overwrites nothing."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorkb.errors import UsageError
from errorkb.gates import Tree, run
from errorkb.layout import Layout
from errorkb.model import ErrorRecord, Place
from errorkb.pattern import Template
from errorkb.scaffold import PLACEHOLDER
from errorkb.seed import (
    MAX_BYTES,
    default_slug,
    draft,
    import_description,
    read_description,
    template_of,
)

if TYPE_CHECKING:
    from conftest import Workshop

RECORD: dict[str, Any] = {
    "id": "0123456789abcdef",
    "repo": "example-org/engine",
    "slug": "expected-even-total",
    "errorCode": None,
    "errorMessage": "expected an even total {(a, b)}, got {total}",
    "messagePattern": "expected (.+?)",
    "errorType": "validation",
    "errorClass": "ValueError",
    "severity": "error",
    "filePath": "engine/halves.py",
    "lineNumber": 12,
    "sourceCode": "raise ValueError",
    "githubUrl": "https://github.com/example-org/engine/blob/0123456789/engine/halves.py",
    "documentation": "The total is a decay.",
    "triggerScenarios": "Passing 7.",
    "commonSituations": "Counting.",
    "solutions": ["Round it.", "Pad it."],
    "exampleFix": "import os; os.remove('x')",
    "handlingStrategy": "validation",
    "validationCode": "assert total % 2 == 0",
    "preventionTips": ["Count twice."],
    "tags": ["Halves!", "odd"],
    "backgroundTag": "invalid-argument",
    "analyzedSha": "0132848349585cfe6aae51c4941cbae872505f8a",
    "schemaVersion": 2,
}


def read(data: object) -> Any:  # noqa: ANN401 - whatever a test passes on
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return read_description(io.BytesIO(text), "seed.json")


@pytest.fixture
def layout(workshop: Workshop) -> Layout:
    workshop.example()
    return Layout.at(workshop.root)


@pytest.mark.parametrize("wrapped", [True, False])
def test_both_forms_are_read(wrapped: bool) -> None:
    data = {"record": RECORD, "datasetVersion": "2026-01-01T00:00:00.000Z"} if wrapped else RECORD
    assert read(data).errorMessage == RECORD["errorMessage"]


def test_the_draft_is_a_record_of_the_library(workshop: Workshop, layout: Layout) -> None:
    made = import_description(layout, read(RECORD))
    assert made.slug == "engine/expected-even-total"
    record = workshop.load().records[made.slug]
    assert record.code == made.code
    assert record.messages[0].template == "expected an even total {value1:str}, got {total:str}"
    assert record.exceptions == ["ValueError"]
    assert (record.sites[0].path, record.sites[0].line) == ("engine/halves.py", 12)
    assert record.tags == ["halves", "odd"]
    assert [fix.title for fix in record.fixes] == [
        f"{PLACEHOLDER}, imported and not executed: {each}" for each in RECORD["solutions"]
    ]


def test_every_imported_sentence_is_refused_until_it_is_written_anew(
    workshop: Workshop, layout: Layout
) -> None:
    made = import_description(layout, read(RECORD))
    findings = [str(each) for each in run(Tree(workshop.load()), [7])]
    for text in ("The total is a decay.", "Passing 7.", "Counting.", "Round it.", "Count twice."):
        assert any("still to fill in" in each and text in each for each in findings), text
    assert any(f"{made.slug}/before.py" in each for each in findings)


def test_no_imported_code_reaches_a_script(layout: Layout) -> None:
    made = import_description(layout, read(RECORD))
    for path in made.paths:
        text = path.read_text()
        assert "os.remove" not in text
        assert "assert total" not in text


@pytest.mark.parametrize(
    ("slug", "requires", "calls"),
    [
        ("triton/odd-total", [Place.INTERPRETER, Place.GPU], "@triton.jit"),
        ("engine/odd-total", [Place.CPU, Place.GPU], "actual = x + x"),
    ],
)
def test_the_scripts_call_what_the_places_run(
    workshop: Workshop, layout: Layout, slug: str, requires: list[Place], calls: str
) -> None:
    import_description(layout, read(RECORD), slug)
    library = workshop.load()
    example = library.records[slug].example
    assert example is not None
    assert example.requires == requires
    assert calls in (library.example_text(slug, "before") or "")


def test_what_is_missing_is_said() -> None:
    _, missing = draft(read({"errorMessage": "bad {x}", "schemaVersion": 2}), "EKB0002", ["gpu"])
    text = "\n".join(missing)
    for each in ("placeholders x", "software", "class that is raised", "where it is raised"):
        assert each in text


def test_nothing_is_overwritten(layout: Layout) -> None:
    made = import_description(layout, read(RECORD))
    before = {path: path.read_bytes() for path in made.paths}
    with pytest.raises(UsageError, match="is there already"):
        import_description(layout, read(RECORD))
    assert {path: path.read_bytes() for path in made.paths} == before


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is not JSON"),
        (b"[]", "holds no JSON object"),
        (b'{"record": 1}', "holds no JSON object"),
        (b" " * (MAX_BYTES + 1), "is larger than"),
        ({"schemaVersion": 2}, "errorMessage"),
        ({"errorMessage": "abc"}, "schemaVersion"),
        ({"errorMessage": "abc", "schemaVersion": 3}, "has schemaVersion 3"),
        ({"errorMessage": "abc", "schemaVersion": True}, "schemaVersion"),
        ({"errorMessage": ["abc"], "schemaVersion": 2}, "errorMessage"),
        ({"errorMessage": "abc", "schemaVersion": 2, "solutions": "x"}, "solutions"),
        ({"errorMessage": "abc", "schemaVersion": 2, "lineNumber": "12"}, "lineNumber"),
    ],
)
def test_what_is_not_in_the_form_is_refused(data: object, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read(data)


@pytest.mark.parametrize("slug", ["../../etc/passwd", "A/b", "a", "a/b/c", "a/b.yaml", ""])
def test_the_place_cannot_leave_the_library(layout: Layout, slug: str) -> None:
    seed = read(RECORD | {"repo": "../..", "slug": "../../../x"})
    assert default_slug(seed) == "imported/x"
    if slug:
        with pytest.raises(UsageError, match="is not FAMILY/NAME"):
            import_description(layout, seed, slug)


HOSTILE = st.text(st.sampled_from("ab {}:'\"#&*!|>%@`-\n\t<\x00\x1b\u202e,[]é"), max_size=40)


@given(message=HOSTILE, text=HOSTILE, tags=st.lists(HOSTILE, max_size=3))
def test_any_text_makes_a_valid_record(message: str, text: str, tags: list[str]) -> None:
    seed = read(
        {
            "errorMessage": f"abc{message}",
            "schemaVersion": 2,
            "repo": text,
            "errorClass": text,
            "severity": text,
            "errorType": text,
            "filePath": text,
            "lineNumber": -1,
            "githubUrl": text,
            "documentation": text,
            "triggerScenarios": text,
            "solutions": [text],
            "preventionTips": [text],
            "handlingStrategy": text,
            "tags": tags,
            "backgroundTag": text,
            "analyzedSha": text,
        }
    )
    record, _ = draft(seed, "EKB0002", ["gpu"])
    ErrorRecord.model_validate(record)


@pytest.mark.parametrize(
    ("message", "template", "guessed"),
    [
        ("plain", "plain", []),
        ("got {T}, {N}", "got {T:str}, {N:str}", ["T", "N"]),
        ("shape {(1, T, H)} {x.shape}", "shape {value1:str} {value2:str}", ["value1", "value2"]),
        ("a } b { c", "a }} b {{ c", []),
        ("set() {}", "set() {{}}", []),
        ("{x}", f"{PLACEHOLDER} {{x:str}}", ["x"]),
    ],
)
def test_template_of(message: str, template: str, guessed: list[str]) -> None:
    assert template_of(message) == (template, guessed)
    Template.parse(template)
