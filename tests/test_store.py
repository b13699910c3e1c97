"""store: what is wrong with a record file is said in one sentence with its file and line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errorkb.errors import UsageError
from errorkb.layout import Layout
from errorkb.store import MAX_FILE_BYTES, load

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"


def refusal(workshop: Workshop) -> str:
    with pytest.raises(UsageError) as caught:
        workshop.load()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_records_are_found_by_slug_code_and_former_slug(workshop: Workshop) -> None:
    workshop.example(redirects_from=["demo/uneven"])
    workshop.put("demo/other", code="EKB0002")
    library = workshop.load()
    assert list(library.records) == [SLUG, "demo/other"]
    for name in (SLUG, "EKB0001", "ekb0001", "demo/uneven", " EKB0001 "):
        assert library.find(name)[0] == SLUG
        assert library.get(name) is library.records[SLUG]
    assert library.get("EKB9999") is None
    with pytest.raises(UsageError, match="the nearest are demo/odd-total"):
        library.find("demo/odd-totals")


def test_items_are_before_after_and_the_triggers_of_the_record(workshop: Workshop) -> None:
    triggers = [
        {"when": "The total is odd.", "case": "before"},
        {"when": "The total is negative.", "case": "trigger_negative"},
        {"when": "The total is huge.", "not_reproduced": "It takes a day."},
    ]
    workshop.example(triggers=triggers)
    workshop.put(
        "demo/told",
        code="EKB0002",
        example=None,
        not_executed="It needs a cluster.",
        triggers=[{"when": "Always.", "not_reproduced": "It needs a cluster."}],
    )
    library = workshop.load()
    assert library.items(SLUG) == ["before", "after", "trigger_negative"]
    assert library.items("demo/told") == []
    assert "actual" in (library.example_text(SLUG, "after") or "")
    assert library.example_text(SLUG, "guard") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("code: EKB0001\ntitle: [", ":3: not valid YAML"),
        ("code: EKB0001\ncode: EKB0002\n", ":2: key 'code' is given twice (first on line 1)"),
        ("a: {b: 1, b: 2}\n", ":1: key 'b' is given twice"),
        ("a: &x 1\nb: *x\n", "anchors and aliases"),
        ("a: !!python/object/apply:os.system [id]\n", ":1: tags such as"),
        ("a: !!set {b, c}\n", ":1: tags such as"),
        ("a: 1\nb: !!bool c\n", ":2: tags such as"),
        ("a: !!timestamp c\n", ":1: tags such as"),
        ("a: !!int ''\n", ":1: tags such as"),
        ("<<: {a: 1, b: 2}\n", ":1: a key must be plain text"),
        ("a: 1\n2026-01-01: b\n", ":2: a key must be plain text"),
        ("a: 1\nb: '\u202ec'\n", ":2: the character U+202E cannot be seen; leave it out"),
        ('a: "\\0"\n', ":1: the character U+0000 cannot be seen; leave it out"),
        ('a: "\\e[2J"\n', ":1: the character U+001B cannot be seen; leave it out"),
        ("? [1]\n: 2\n", ":1: a key must be plain text"),
        ("[" * 5000, "not valid YAML"),
        ("a: 2026-13-40\n", "month must be in 1..12"),
        ("", "is empty"),
        ("- 1\n", ":1:"),
        ("just text\n", ":1:"),
    ],
    ids=["cut", "twice", "nested-twice", "alias", "tag", "tag-of-mapping", "tag-of-text",
         "tag-of-date", "tag-of-number", "merge", "key-no-text", "reordered", "nul", "escape",
         "key", "deep", "date", "empty", "list", "text"],
)  # fmt: skip
def test_yaml_that_is_no_record(workshop: Workshop, text: str, says: str) -> None:
    path = workshop.put()
    path.write_text(text)
    sentence = refusal(workshop)
    assert sentence.startswith(str(path))
    assert says in sentence


def test_the_line_of_the_offending_key_is_named(workshop: Workshop) -> None:
    path = workshop.put(unheard_of=1)
    line = path.read_text().splitlines().index("unheard_of: 1") + 1
    assert refusal(workshop) == f"{path}:{line}: unheard_of: unknown key"


def test_the_line_of_a_nested_value_is_named(workshop: Workshop) -> None:
    path = workshop.put(triggers=[{"when": "ab", "case": "before"}])
    line = path.read_text().splitlines().index("- when: ab") + 1
    assert f"{path}:{line}: triggers.0.when: " in refusal(workshop)


def test_several_mistakes_are_counted(workshop: Workshop) -> None:
    workshop.put(severity="dire", error_type="odd")
    assert "(and 1 more)" in refusal(workshop)


def test_codes_and_former_slugs_are_unique(workshop: Workshop) -> None:
    workshop.put()
    workshop.put("demo/other")
    assert "demo/other.yaml: code EKB0001 already belongs to demo/odd-total" in refusal(workshop)
    workshop.put("demo/other", code="EKB0002", redirects_from=[SLUG])
    assert "which is a record" in refusal(workshop)
    workshop.put(redirects_from=["demo/old"])
    workshop.put("demo/other", code="EKB0002", redirects_from=["demo/old"])
    assert "already redirected to" in refusal(workshop)


def test_a_link_out_of_the_tree_is_refused(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = workshop.put()
    outside = tmp_path_factory.mktemp("outside") / "record.yaml"
    path.rename(outside)
    path.symlink_to(outside)
    assert "is a link out of" in refusal(workshop)


def test_a_family_that_links_out_of_the_tree_is_refused(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    family = workshop.put().parent
    outside = tmp_path_factory.mktemp("outside") / "demo"
    family.rename(outside)
    family.symlink_to(outside)
    assert "is a link out of" in refusal(workshop)


def test_an_example_that_links_out_of_the_tree_is_refused(workshop: Workshop) -> None:
    workshop.example()
    script = workshop.script("before", "")
    script.unlink()
    script.symlink_to("/etc/hostname")
    with pytest.raises(UsageError, match="is a link out of"):
        workshop.load().example_text(SLUG, "before")


def test_what_is_no_small_text_file_is_refused(workshop: Workshop) -> None:
    path = workshop.put()
    path.write_bytes(b"title: \xff\n")
    assert f"{path}:1: not UTF-8" in refusal(workshop)
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    assert "is larger than 256 KiB" in refusal(workshop)
    path.unlink()
    path.mkdir()
    assert "is a directory" in refusal(workshop)
    path.rmdir()
    os.mkfifo(path)
    assert "is not a readable file" in refusal(workshop)
    path.unlink()
    path.symlink_to(path.name)
    assert "is not a readable file" in refusal(workshop)


def test_a_script_that_shows_other_code_than_runs_is_refused(workshop: Workshop) -> None:
    workshop.example()
    path = workshop.script("before", "total = 7\ntotal = 8  # \u2066 and back\n")
    with pytest.raises(UsageError, match=rf"{path}:2: .*U\+2066 .*; write it as an escape"):
        workshop.load().example_text(SLUG, "before")


@pytest.mark.parametrize(
    "name", ["demo/odd-total.yml", "demo/Odd.yaml", "demo/notes.txt", "x.yaml"]
)
def test_a_misplaced_file_is_refused(workshop: Workshop, name: str) -> None:
    path = workshop.put()
    path.rename(path.parent.parent / name)
    assert "is not expected" in refusal(workshop)


def test_no_records_at_all(workshop: Workshop, tmp_path: Path) -> None:
    assert "no records under" in refusal(workshop)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="is not a directory; records lie there"):
        load(Layout.at(tmp_path / "empty"))
