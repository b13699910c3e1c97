"""api: the JSON of a record holds what its page holds, and the other form has every field."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from errorkb import ledger
from errorkb.api import dataset_version, files, pattern
from errorkb.fingerprint import fingerprint
from errorkb.model import Environment, Ledger, Outcome, Place, Result
from errorkb.render.site import Site

if TYPE_CHECKING:
    from conftest import Workshop

FIELDS = [
    "id",
    "repo",
    "slug",
    "errorCode",
    "errorMessage",
    "messagePattern",
    "errorType",
    "errorClass",
    "httpStatus",
    "severity",
    "filePath",
    "lineNumber",
    "sourceCode",
    "sourceCodeStart",
    "sourceCodeEnd",
    "githubUrl",
    "documentation",
    "triggerScenarios",
    "commonSituations",
    "solutions",
    "exampleFix",
    "handlingStrategy",
    "validationCode",
    "typeGuard",
    "tryCatchPattern",
    "preventionTips",
    "tags",
    "backgroundTag",
    "analyzedSha",
    "analyzedAt",
    "schemaVersion",
]
SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
UPSTREAM = {
    "package": "sglang",
    "commit": SHA,
    "path": "python/x.py",
    "line": 9,
    "function": "f",
    "condition": "total is odd",
}
OWN = {
    "package": "kda_kernels",
    "path": "kda_kernels/contract.py",
    "function": "check",
    "condition": "total % 2",
}
DATE = datetime.datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=datetime.UTC)


def read(workshop: Workshop, name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files(Site(workshop.load()))[f"api/{name}.json"])
    return data


def form_2(workshop: Workshop) -> dict[str, Any]:
    record: dict[str, Any] = read(workshop, "errors/EKB0001.v2")["record"]
    return record


@pytest.fixture
def execute(workshop: Workshop) -> Callable[[], None]:
    """Write a ledger in which everything passed."""

    def write() -> None:
        library = workshop.load()
        environment = Environment(
            name="cpu", place=Place.CPU, python="3.11", platform="Linux", date=DATE
        )
        results = [
            Result(
                code=record.code,
                slug=slug,
                item=item,
                outcome=Outcome.PASSED,
                message=None if item == "after" else "ValueError: expected an even total, got 7",
                seconds=0.1,
                hash=fingerprint(library, slug),
                date=DATE,
            )
            for slug, record in library.records.items()
            for item in library.items(slug)
        ]
        ledger.write(Ledger(environment=environment, results=results), library.layout)

    return write


def test_our_form_holds_record_scripts_and_results(
    workshop: Workshop, execute: Callable[[], None]
) -> None:
    workshop.example(diagnosis=[{"say": "{total % 2} is left over."}])
    workshop.script("guard", "assert total % 2 == 0")
    execute()
    data = read(workshop, "errors/EKB0001")
    assert (data["code"], data["slug"], data["status"]) == ("EKB0001", "demo/odd-total", "verified")
    assert data["record"]["meaning"] == "The total is split into halves."
    assert sorted(data["example"]) == ["after", "before", "guard"]
    assert data["example"]["after"].startswith("total = 8")
    assert "-total = 7\n" in data["diff"]
    assert data["diagnosed"] == ["1 is left over."]
    before, after = data["results"]
    assert (before["item"], before["state"]) == ("before", "passed")
    assert before["message"] == "ValueError: expected an even total, got 7"
    assert before["environment"]["name"] == "cpu"
    assert after["item"] == "after"


def test_an_edit_shows_as_stale_in_the_data_too(
    workshop: Workshop, execute: Callable[[], None]
) -> None:
    workshop.example()
    execute()
    workshop.script("after", "total = 10\nactual = expected = 5\n")
    data = read(workshop, "errors/EKB0001")
    assert data["status"] == "stale"
    assert {each["state"] for each in data["results"]} == {"stale"}
    assert read(workshop, "index")["records"][0]["status"] == "stale"


def test_the_other_form_has_every_field_and_no_other(workshop: Workshop) -> None:
    workshop.example()
    data = read(workshop, "errors/EKB0001.v2")
    assert sorted(data) == ["datasetVersion", "record"]
    assert list(data["record"]) == FIELDS
    assert data["record"]["schemaVersion"] == 2


def test_the_other_form_names_the_public_site(workshop: Workshop) -> None:
    workshop.example(
        sites=[OWN, UPSTREAM],
        exceptions=["kda_kernels.errors.ContractError", "ValueError"],
        messages=[
            {
                "template": "{total:int} is odd",
                "software": "kda_kernels",
                "versions": "*",
                "origin": "executed",
            },
            {
                "template": "expected an even total, got {total:int}",
                "software": "sglang",
                "versions": "*",
                "origin": "source",
                "reference": "x.py",
            },
        ],
    )
    record = form_2(workshop)
    assert record["repo"] == "sgl-project/sglang"
    assert (record["filePath"], record["lineNumber"]) == ("python/x.py", 9)
    assert record["analyzedSha"] == SHA
    assert record["githubUrl"] == f"https://github.com/sgl-project/sglang/blob/{SHA}/python/x.py#L9"
    assert record["errorClass"] == "ValueError"
    assert record["errorMessage"] == "expected an even total, got {total}"
    assert record["slug"] == "expected-an-even-total-got-total"
    assert record["sourceCode"] is None


def test_the_other_form_quotes_our_source_where_the_site_is_ours(workshop: Workshop) -> None:
    workshop.example(sites=[OWN], exceptions=["kda_kernels.errors.ContractError", "ValueError"])
    package = workshop.root / "kernels" / "kda_kernels"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    source = '    if total % 2:\n        raise ContractError("EKB0001", f"odd {total}")'
    (package / "contract.py").write_text(f"def check(total):\n{source}\n")
    record = form_2(workshop)
    assert record["sourceCode"] == source
    assert (record["sourceCodeStart"], record["sourceCodeEnd"], record["lineNumber"]) == (2, 3, 3)
    assert record["errorClass"] == "ContractError"
    assert record["githubUrl"] is None


def test_the_other_form_takes_its_fix_from_the_scripts(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("guard", "assert total % 2 == 0")
    record = form_2(workshop)
    before, after = record["exampleFix"].removeprefix("# before\n").split("\n# after\n")
    assert before.splitlines()[0] == "total = 7"
    assert after.splitlines()[0] == "total = 8"
    assert record["validationCode"] == "assert total % 2 == 0"


@pytest.mark.parametrize(
    ("template", "message", "groups"),
    [
        ("got T={T:int}, N={N:int}", "got T=7, N=48", ("7", "48")),
        ("shape {s:shape} on {d:device}", "shape (1, 8, 2) on cuda:0", ("(1, 8, 2)", "cuda:0")),
        ("{n:size} of {f:float}", "2.00 GiB of -1.5e-3", ("2.00 GiB", "-1.5e-3")),
        ("is {t:dtype} a.b* {w:word}", "is torch.half a.b* x", ("torch.half", "x")),
        ("say {all:text}", "say a\nb", ("a\nb",)),
    ],
)
def test_a_pattern_captures_the_whole_message(
    template: str, message: str, groups: tuple[str, ...]
) -> None:
    compiled = re.compile(pattern(template))
    found = compiled.match(message)
    assert found is not None
    assert found.groups() == groups
    assert compiled.match(f"un{message}") is None


def test_a_pattern_is_anchored_at_its_end() -> None:
    assert not re.match(pattern("got N={N:int}"), "got N=4 and more")


def test_the_version_is_the_newest_result_and_not_the_clock(
    workshop: Workshop, execute: Callable[[], None]
) -> None:
    workshop.example()
    assert dataset_version(Site(workshop.load()).pages) == "2026-01-01T00:00:00.000Z"
    execute()
    assert dataset_version(Site(workshop.load()).pages) == "2026-01-02T03:04:05.678Z"
    assert read(workshop, "index")["datasetVersion"] == "2026-01-02T03:04:05.678Z"


def test_the_index_leads_to_every_file(workshop: Workshop) -> None:
    workshop.example()
    workshop.example("demo/other", code="EKB0002", withdrawn="Gone.")
    written = files(Site(workshop.load()))
    records = json.loads(written["api/index.json"])["records"]
    assert {each["json"] for each in records} | {each["json_v2"] for each in records} == {
        name for name in written if name != "api/index.json"
    }
    assert [each["withdrawn"] for each in records] == [False, True]
