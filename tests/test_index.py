"""The compiled index: current or rebuilt, whole or absent, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import errorkb.indexer
from errorkb.errors import UsageError
from errorkb.index import Index, load
from errorkb.indexer import index_of
from errorkb.layout import Layout
from errorkb.lookup import first_slug

if TYPE_CHECKING:
    from conftest import Workshop

PASTE = "ValueError: expected an even total, got 7"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    return path / "errorkb"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Layout]:
    """The layouts that were compiled, in order."""
    made: list[Layout] = []
    original = errorkb.indexer.compile_layout

    def counted(layout: Layout) -> dict[str, object]:
        made.append(layout)
        return original(layout)

    monkeypatch.setattr(errorkb.indexer, "compile_layout", counted)
    return made


def test_the_second_load_reads_the_cache(
    workshop: Workshop, cache: Path, compiled: list[Layout]
) -> None:
    workshop.example()
    layout = Layout.at(workshop.root)
    first, second = load(layout), load(layout)
    assert len(compiled) == 1
    assert first.heads == second.heads
    assert first.record(0) == second.record(0)
    assert [path.suffix for path in cache.iterdir()] == [".index"]


@pytest.mark.parametrize("changed", ["record", "example", "ledger", "new record"])
def test_a_changed_file_is_compiled_again(
    workshop: Workshop, cache: Path, compiled: list[Layout], changed: str
) -> None:
    workshop.example()
    layout = Layout.at(workshop.root)
    load(layout)
    if changed == "record":
        workshop.put(title="Another title")
    elif changed == "example":
        workshop.script("after", "actual = expected = 1\n")
    elif changed == "ledger":
        layout.verification.mkdir(parents=True, exist_ok=True)
        (layout.verification / ".gitkeep").write_text("")
        (layout.verification / "note.txt").write_text("x")
    else:
        workshop.example("demo/other", code="EKB0002")
    load(layout)
    assert len(compiled) == 2


@pytest.mark.parametrize("damage", [b"", b"errorkb index\n", b"garbage" * 100])
def test_a_damaged_cache_is_replaced(
    workshop: Workshop, cache: Path, compiled: list[Layout], damage: bytes
) -> None:
    workshop.example()
    layout = Layout.at(workshop.root)
    load(layout)
    (file,) = cache.iterdir()
    file.write_bytes(damage)
    assert first_slug(load(layout), PASTE) == "demo/odd-total"
    load(layout)
    assert len(compiled) == 2


def test_a_flipped_byte_or_a_cut_is_noticed(
    workshop: Workshop, cache: Path, compiled: list[Layout]
) -> None:
    workshop.example()
    layout = Layout.at(workshop.root)
    load(layout)
    (file,) = cache.iterdir()
    content = bytearray(file.read_bytes())
    content[-40] ^= 0xFF
    file.write_bytes(content)
    load(layout)
    file.write_bytes(file.read_bytes()[:-1])
    load(layout)
    assert len(compiled) == 3


def test_without_a_writable_cache_it_works_in_memory(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    workshop.example()
    assert first_slug(load(Layout.at(workshop.root)), PASTE) == "demo/odd-total"
    assert (tmp_path / "file").read_text() == "no folder"


def test_libraries_do_not_share_a_cache(workshop: Workshop, cache: Path, tmp_path: Path) -> None:
    workshop.example()
    other = type(workshop)(tmp_path / "second")
    (other.root / "examples").mkdir(parents=True)
    other.example("demo/second", title="The second")
    load(Layout.at(workshop.root))
    load(Layout.at(other.root))
    assert len(list(cache.iterdir())) == 2
    assert load(Layout.at(workshop.root)).heads[0][1] == "demo/odd-total"


def test_a_rule_that_does_not_parse_names_its_record(workshop: Workshop) -> None:
    workshop.example(diagnosis=[{"say": "It is {sum}."}])
    with pytest.raises(
        UsageError, match=r"odd-total\.yaml: diagnosis: .*no template captures 'sum'"
    ):
        index_of(workshop.load())


def test_names_find_a_record(workshop: Workshop) -> None:
    workshop.example(redirects_from=["demo/former"])
    index: Index = index_of(workshop.load())
    for name in ("EKB0001", "ekb0001", "demo/odd-total", "demo/former", " EKB0001 "):
        assert index.find(name) == 0
    assert index.find("EKB0002") is None


def test_the_diff_is_the_fix(workshop: Workshop) -> None:
    workshop.example()
    diff = index_of(workshop.load()).record(0)["diff"]
    assert "-total = 7" in diff
    assert "+total = 8" in diff


WARM = """
import sys
at_start = set(sys.modules)  # an interpreter's .pth files may import what they like
from errorkb.cli import main
code = main(["--root", sys.argv[1], "lookup", sys.argv[2]])
heavy = {"pydantic", "yaml", "dataclasses", "inspect", "ast", "json", "errorkb.model"}
print("CODE", code, "HEAVY", sorted(heavy & (set(sys.modules) - at_start)))
"""


def test_a_warm_lookup_imports_neither_pydantic_nor_yaml(
    workshop: Workshop, cache: Path, tmp_path: Path
) -> None:
    workshop.example()
    load(Layout.at(workshop.root))
    paste = tmp_path / "paste"
    paste.write_text(PASTE)
    done = subprocess.run(  # noqa: S603  our own command line
        [sys.executable, "-c", WARM, str(workshop.root), str(paste)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert "An odd total" in done.stdout
    assert done.stdout.splitlines()[-1] == "CODE 0 HEAVY []"
