"""How sure a lookup is of a whole message whose words any program uses."""

from __future__ import annotations

import sys

import pytest

from conftest import Workshop
from errorkb import tier
from errorkb.index import Index
from errorkb.indexer import index_of
from errorkb.lookup import NONE, Answer, as_json, first_slug, lookup
from errorkb.present import Style, answer_lines
from errorkb.tier import MATCH, PROBABLE, SIMILAR

RECORDS = {
    # slug: (class, template, path of the site or None)
    "torch/view": ("RuntimeError", "shape '{s:shape}' is invalid for input of size {n:int}", None),
    "torch/free-view": ("IndexError", "size '{s:str}' is not valid for input of {n:int}", None),
    "torch/device": ("RuntimeError", "invalid device index {n:int}", None),
    "torch/memory": ("RuntimeError", "CUDA error: out of memory", None),
    "torch/value": ("ValueError", "invalid value {what:str}", None),
    "torch/no-value": ("ValueError", "{what:str} is not a valid value", None),
    "torch/key": ("KeyError", "'{key:str}'", None),
    "triton/module": ("AttributeError", "module 'triton' has no attribute '{name:name}'", None),
    "triton/language": ("ImportError", "No module named 'triton.language'; it is shadowed", None),
    "triton/none": ("AttributeError", "'NoneType' object has no attribute 'type'", "compiler.py"),
}
USER = 'Traceback (most recent call last):\n  File "/home/me/train.py", line 6, in <module>\n'
FLASK = f'{USER}  File "/v/lib/python3.11/site-packages/flask/app.py", line 9, in run\n'
VIEW = "shape '[3, 3]' is invalid for input of size 8"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    workshop = Workshop(tmp_path_factory.mktemp("library"))
    (workshop.root / "examples").mkdir()
    for number, (slug, (cls, template, path)) in enumerate(RECORDS.items()):
        package = slug.partition("/")[0]
        workshop.example(
            slug,
            code=f"EKB{number + 1:04}",
            title=f"About {slug}",
            exceptions=[cls],
            messages=[
                {"template": template, "software": package, "versions": "*", "origin": "executed"}
            ],
            sites=[{"package": package, "path": path, "function": "f", "condition": "always"}]
            if path
            else [],
        )
    return index_of(workshop.load())


def found(index: Index, answer: Answer) -> list[tuple[str, str]]:
    return [(index.heads[hit.record][1], hit.tier) for hit in answer.hits]


@pytest.mark.parametrize("around", ["RuntimeError: ", f"{USER}RuntimeError: ", ""])
def test_a_long_phrase_of_common_words_is_a_match(index: Index, around: str) -> None:
    answer = lookup(index, around + VIEW)
    assert (answer.verdict, found(index, answer)) == (MATCH, [("torch/view", MATCH)])
    assert answer.hits[0].captures == {"s": (3, 3), "n": 8}


@pytest.mark.parametrize("around", ["IndexError: ", f"{USER}IndexError: ", ""])
def test_free_text_in_the_phrase_makes_it_less_sure(index: Index, around: str) -> None:
    text = f"{around}size '[3]' is not valid for input of 8"
    answer = lookup(index, text)
    assert (answer.verdict, found(index, answer)) == (SIMILAR, [("torch/free-view", PROBABLE)])
    assert first_slug(index, text) == "torch/free-view"


def test_a_phrase_under_another_class_is_no_match(index: Index) -> None:
    assert lookup(index, f"{USER}ValueError: {VIEW}").verdict != MATCH


@pytest.mark.parametrize("around", ["RuntimeError: ", f"{USER}RuntimeError: ", ""])
def test_a_few_common_words_are_probably_the_record(index: Index, around: str) -> None:
    answer = lookup(index, f"{around}invalid device index 9")
    assert (answer.verdict, found(index, answer)) == (SIMILAR, [("torch/device", PROBABLE)])
    assert as_json(index, answer)["matches"][0]["tier"] == "probable"
    advice = str(answer.advice)
    assert "nothing else in the paste names torch" in advice
    assert "exactly this message" not in advice


@pytest.fixture
def untelling(monkeypatch: pytest.MonkeyPatch) -> None:
    """No word is rare, as in a library of many records."""
    monkeypatch.setattr(tier, "TELLING", 1000.0)


@pytest.mark.usefixtures("untelling")
def test_a_wording_that_names_its_software_needs_no_support(index: Index) -> None:
    answer = lookup(index, f"{FLASK}RuntimeError: CUDA error: out of memory")
    assert found(index, answer) == [("torch/memory", MATCH)]


@pytest.mark.usefixtures("untelling")
@pytest.mark.parametrize(
    ("said", "slug"),
    [
        ("module 'triton' has no attribute 'jit'", "triton/module"),
        ("No module named 'triton.language'; it is shadowed", "triton/language"),
    ],
)
def test_a_module_in_quotes_is_support_where_other_text_stands_around(
    index: Index, said: str, slug: str
) -> None:
    answer = lookup(index, f"the plugin said {said} and is off")
    assert [slug for slug, _ in found(index, answer)] == [slug]
    other = said.replace("'triton", "'trident")
    assert lookup(index, f"the plugin said {other} and is off").verdict != MATCH


def test_probably_is_said_so(index: Index) -> None:
    answer = lookup(index, f"{USER}RuntimeError: invalid device index 9")
    lines = answer_lines(index, answer, Style(sys.stdout))
    assert lines[0].startswith("Probably this one. The message is this record's wording")


def test_frames_of_the_software_make_it_sure(index: Index) -> None:
    frame = '  File "/v/site-packages/torch/cuda.py", line 9, in f\n'
    answer = lookup(index, f"{USER}{frame}RuntimeError: invalid device index 9")
    assert found(index, answer) == [("torch/device", MATCH)]


def test_the_folder_of_its_own_example_is_no_support(index: Index) -> None:
    """What `errorkb verify` sees found, a user finds too."""
    frame = '  File "/c/examples/torch/device/before.py", line 6, in <module>\n'
    answer = lookup(index, f"{frame}RuntimeError: invalid device index 9")
    assert found(index, answer) == [("torch/device", PROBABLE)]
    theirs = frame.replace("examples/torch/device", "torch/cuda")
    answer = lookup(index, f"{theirs}RuntimeError: invalid device index 9")
    assert found(index, answer) == [("torch/device", MATCH)]


@pytest.mark.parametrize(
    "text",
    [
        f"{USER}ValueError: invalid value",
        f"{USER}ValueError: invalid value 3",
        f"{USER}ValueError: 'a' is not a valid value",
        f"{USER}KeyError: 'x'",
        "KeyError: 'x'",
        "ValueError: invalid value",
        f"{USER}OSError: invalid device index 9",
        f"{FLASK}RuntimeError: invalid device index 9",
        # Triton raises it from Python code, whose frame would stand there.
        f"{USER}AttributeError: 'NoneType' object has no attribute 'type'",
        "loading\ninvalid device index 9\ndone",
    ],
)
def test_a_stranger_is_not_swallowed(index: Index, text: str) -> None:
    answer = lookup(index, text)
    assert (answer.verdict, answer.hits) == (NONE, [])


def test_a_wording_that_fits_anything_is_called_general(index: Index) -> None:
    answer = lookup(index, "ValueError: invalid value 3")
    assert (answer.verdict, found(index, answer)) == (SIMILAR, [("torch/value", SIMILAR)])
    assert "so general that it fits others too" in str(answer.advice)
    assert first_slug(index, "ValueError: invalid value 3") is None
