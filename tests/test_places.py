"""The folders of a library as strings are those that `Layout` has as paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errorkb.errors import UsageError
from errorkb.index import load
from errorkb.layout import Layout
from errorkb.places import Places

if TYPE_CHECKING:
    from conftest import Workshop


def test_a_checkout_has_the_same_folders() -> None:
    places, layout = Places.own(), Layout.own()
    for name in ("root", "records", "examples", "verification", "kernels", "docs"):
        assert getattr(places, name) == str(getattr(layout, name))


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Places.at(str(tmp_path / "link")).root == str(tmp_path / "real")


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a directory"):
        Places.at(str(tmp_path / "missing"))


def test_both_share_one_cache(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workshop.example()
    heads = load(Places.at(str(workshop.root))).heads
    monkeypatch.setattr("errorkb.indexer.compile_layout", lambda _: pytest.fail("compiled again"))
    assert load(Layout.at(workshop.root)).heads == heads
