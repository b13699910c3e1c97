"""linkcheck: each way in which a link can lead nowhere is found, with its file and target."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorkb.errors import UsageError
from errorkb.linkcheck import Broken, check_links


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Pages that link to each other in every way that is right."""
    pages = {
        "index.html": '<a href="a/#part">a</a> <a href="#top">up</a> <a href="">self</a>'
        '<link rel="canonical" href="https://example.org/base/">'
        '<img src="x.png" srcset="x.png 2x">',
        "a/index.html": '<h2 id="part">A</h2><a href="../b%20c/">b</a> <a href="/base/a/">abs</a>',
        "b c/index.html": '<a href="../a?q=1#part">a</a><script src="../s.js?v=1"></script>',
        "e/EKB0001/index.html": '<meta http-equiv="refresh" content="0; url=../../a/">',
        "404.html": '<a href="/base/a/#part">a</a> <a href="mailto:a@b.c">m</a>'
        '<a href="https://elsewhere.org/x#y">x</a>',
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"<!doctype html>\n{text}")
    (tmp_path / "x.png").touch()
    (tmp_path / "s.js").touch()
    return tmp_path


def add(site: Path, html: str, name: str = "index.html") -> list[Broken]:
    path = site / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(f"\n{html}\n")
    return check_links(site)


def test_right_links_are_not_reported(site: Path) -> None:
    assert check_links(site) == []


@pytest.mark.parametrize(
    ("html", "target", "reason"),
    [
        ('<a href="c/">c</a>', "c/", "there is no such file"),
        ('<a href="A/">A</a>', "A/", "there is no such file"),
        ('<a href="a/#Part">A</a>', "a/#Part", "a/index.html has no anchor 'Part'"),
        ('<a href="#none">x</a>', "#none", "index.html has no anchor 'none'"),
        ('<a href="../a/">x</a>', "../a/", "there is no such file"),
        ('<a href="/a/">x</a>', "/a/", "there is no such file"),
        ('<img src="y.png">', "y.png", "there is no such file"),
        ('<img srcset="x.png 1x, z.png 2x">', "z.png", "there is no such file"),
        ('<script src="t.js"></script>', "t.js", "there is no such file"),
        ('<link rel="stylesheet" href="t.css">', "t.css", "there is no such file"),
        ('<meta http-equiv="Refresh" content="0;url=b/">', "b/", "there is no such file"),
        ('<a href="x.png/">x</a>', "x.png/", "there is no such file"),
        ('<a href="file:///etc/passwd">x</a>', "file:///etc/passwd", "'file:' is not a scheme"),
        ('<a href="http://[">x</a>', "http://[", "it is not an address"),
    ],
)
def test_a_broken_link_is_reported_with_its_place(
    site: Path, html: str, target: str, reason: str
) -> None:
    (broken,) = add(site, html)
    assert (broken.page, broken.line, broken.target) == ("index.html", 3, target)
    assert broken.message.startswith(f"{target!r} leads nowhere: {reason}")


def test_a_redirect_to_a_page_that_is_gone_is_reported(site: Path) -> None:
    stub = '<meta http-equiv="refresh" content="0; url=../../gone/">'
    (broken,) = add(site, stub, "e/EKB0002/index.html")
    assert (broken.page, broken.target) == ("e/EKB0002/index.html", "../../gone/")


def test_addresses_in_the_indexes_are_checked(site: Path) -> None:
    (site / "search").mkdir()
    (site / "api").mkdir()
    (site / "search" / "search_index.json").write_text(
        json.dumps({"docs": [{"location": "a/#part"}, {"location": "a/#gone"}]})
    )
    entry = {"url": "a/", "json": "api/none.json", "json_v2": "x.png"}
    (site / "api" / "index.json").write_text(json.dumps({"records": [entry]}))
    assert [(each.page, each.target) for each in check_links(site)] == [
        ("api/index.json", "api/none.json"),
        ("search/search_index.json", "a/#gone"),
    ]


def test_a_folder_that_is_no_site_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a built site"):
        check_links(tmp_path)


def test_an_index_that_is_not_ours_is_refused(site: Path) -> None:
    (site / "api").mkdir()
    (site / "api" / "index.json").write_text("[]")
    with pytest.raises(UsageError, match="is not what the renderer writes"):
        check_links(site)
