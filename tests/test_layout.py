"""Layout: the checkout that a path belongs to, or the package's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import errorkb
from errorkb.errors import UsageError
from errorkb.layout import Layout


def test_the_package_of_a_checkout_finds_the_checkout() -> None:
    layout = Layout.own()
    assert layout.root == Path(errorkb.__file__).resolve().parent.parent
    assert (layout.records / "kda").is_dir()
    assert layout.kernels is not None


def test_a_path_inside_a_checkout_finds_it(tmp_path: Path) -> None:
    (tmp_path / "errorkb" / "records").mkdir(parents=True)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    layout = Layout.find(deep)
    assert layout.root == tmp_path.resolve()
    assert layout.examples == tmp_path.resolve() / "examples"
    assert layout.kernels is None  # there is no such folder here


def test_elsewhere_there_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give --root"):
        Layout.find(tmp_path)
    with pytest.raises(UsageError, match="is not a directory"):
        Layout.at(tmp_path / "missing")


def test_the_one_named_is_chosen_before_the_own(tmp_path: Path) -> None:
    assert Layout.chosen(tmp_path) == Layout.at(tmp_path)
    assert Layout.chosen(None) == Layout.own()


def test_an_installed_package_brings_its_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_examples").mkdir()
    monkeypatch.setattr("errorkb.places._PACKAGE", str(tmp_path))
    layout = Layout.own()
    assert (layout.root, layout.examples) == (tmp_path, tmp_path / "_examples")
    assert (layout.kernels, layout.docs) == (None, None)
