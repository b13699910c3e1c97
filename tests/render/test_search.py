"""search: one compact entry per record, appended once, as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errorkb.errors import UsageError
from errorkb.render.search import append_records

if TYPE_CHECKING:
    from conftest import Workshop


def index(site: Path, documents: list[dict[str, Any]]) -> Path:
    path = site / "search" / "search_index.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"config": {"lang": ["en"]}, "docs": documents}))
    return path


HOME = {"location": "", "title": "Home", "text": "Welcome"}


def test_each_record_gets_one_entry_however_often_it_runs(
    workshop: Workshop, tmp_path: Path
) -> None:
    workshop.example()
    path = index(tmp_path / "site", [HOME])
    for _ in range(2):
        assert append_records(workshop.load(), tmp_path / "site") == 1
    found = json.loads(path.read_text())
    assert found["config"] == {"lang": ["en"]}
    assert [each["location"] for each in found["docs"]] == ["", "errors/demo/odd-total/"]
    entry = found["docs"][1]
    assert entry["title"] == "An odd total (EKB0001)"
    assert "expected an even total, got {total}" in entry["text"]
    assert "ValueError" in entry["text"]


def test_entries_are_escaped_because_the_theme_shows_them_as_html(
    workshop: Workshop, tmp_path: Path
) -> None:
    workshop.example(title="<img src=x onerror=alert(1)>")
    path = index(tmp_path / "site", [HOME])
    append_records(workshop.load(), tmp_path / "site")
    assert "<img" not in path.read_text()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"docs": [1]}', '{"docs": [{}]}'])
def test_what_is_no_index_is_refused_and_left_alone(
    workshop: Workshop, tmp_path: Path, content: str
) -> None:
    workshop.example()
    path = index(tmp_path / "site", [])
    path.write_text(content)
    with pytest.raises(UsageError, match="is not a search index"):
        append_records(workshop.load(), tmp_path / "site")
    assert path.read_text() == content


def test_a_folder_that_is_no_site_is_refused(workshop: Workshop, tmp_path: Path) -> None:
    workshop.example()
    with pytest.raises(UsageError, match="build the site first"):
        append_records(workshop.load(), tmp_path / "site")
