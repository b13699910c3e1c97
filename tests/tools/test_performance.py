"""The performance page and its plot hold what the committed benchmark says."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from kda_kernels.benchmarks.cases import TARGETS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, on copies of the page, the plot and the results."""
    spec = importlib.util.spec_from_file_location("performance_tool", ROOT / "tools/performance.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # where its models look up their types
    spec.loader.exec_module(module)
    for name in ("PAGE", "PLOT", "RESULTS"):
        source = getattr(module, name)
        copy = tmp_path / source.name
        copy.write_bytes(source.read_bytes())
        monkeypatch.setattr(module, name, copy)
    return module


def test_the_committed_page_is_what_the_results_say(tool: ModuleType) -> None:
    assert tool.main(["--check"]) == 0


def test_other_results_change_page_and_plot(
    tool: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    results = json.loads(tool.RESULTS.read_text())
    results["results"][0]["microseconds"] = 54.3
    tool.RESULTS.write_text(json.dumps(results))
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().err.count("is not what the results say") == 2
    assert tool.main([]) == 0
    assert "| verify, rings | 64 | 8 | 54.3 |" in tool.PAGE.read_text()
    assert tool.main(["--check"]) == 0


def test_the_committed_results_begin_with_every_target(tool: ModuleType) -> None:
    results = json.loads(tool.RESULTS.read_text())["results"][: tool.TARGETS]
    assert [(r["op"], r["N"], r["tokens"], r["H"]) for r in results] == [tuple(c) for c in TARGETS]


def test_the_table_of_the_page_has_one_row_for_each_target(tool: ModuleType) -> None:
    block = tool.PAGE.read_text().partition("<!-- begin times -->")[2].partition("<!-- end")[0]
    table = [line.split(" | ") for line in block.split("\n") if line.startswith("| ")][2:]
    shown = [(cells[0].removeprefix("| "), *map(int, cells[1:3])) for cells in table]
    assert shown == [(tool.CALLS[case.op], case.N, case.tokens) for case in TARGETS]


def _without_target(results: dict[str, Any]) -> None:
    results["results"] = results["results"][1 : len(TARGETS)]


def _without_decode(results: dict[str, Any]) -> None:
    results["results"] = [each for each in results["results"] if each["op"] != "decode"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda r: r.clear(), "schema: Field required"),
        (lambda r: r.update(schema=2), "schema: Input should be 1"),
        (lambda r: r["environment"].update(date="today"), "environment.date: "),
        (lambda r: r["environment"].update(gpu="<b>"), "environment.gpu: "),
        (lambda r: r["results"][3].update(op="<b>"), "results.3.op: "),
        (lambda r: r["results"][3].update(microseconds=0), "results.3.microseconds: "),
        (lambda r: r["results"].append(r["results"][0]), "('verify-rings', 64, 8, 12) 2 times"),
        (lambda r: r["results"][-1].update(peer_microseconds=-1), "microseconds: Input should be"),
        (_without_decode, "holds nothing of decode, in place, 1 token; write it with"),
        (_without_target, "results: List should have at least 17 items"),
    ],
)
def test_bad_results_are_one_sentence_and_write_nothing(
    tool: ModuleType,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[dict[str, Any]], None],
    said: str,
) -> None:
    before = tool.PAGE.read_bytes(), tool.PLOT.read_bytes()
    results = json.loads(tool.RESULTS.read_text())
    spoil(results)
    tool.RESULTS.write_text(json.dumps(results))
    assert tool.main([]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1
    assert (tool.PAGE.read_bytes(), tool.PLOT.read_bytes()) == before


@pytest.mark.parametrize("content", [b"not json", b"\xff", None])
def test_results_that_are_no_json_are_one_sentence(
    tool: ModuleType, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    tool.RESULTS.unlink()
    if content is not None:
        tool.RESULTS.write_bytes(content)
    assert tool.main(["--check"]) == 2
    printed = capsys.readouterr().err
    assert "python -m kda_kernels.benchmarks --all --json FILE" in printed
    assert printed.count("\n") == 1


def test_a_page_without_a_block_is_refused(
    tool: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    tool.PAGE.write_text("no blocks")
    assert tool.main([]) == 2
    assert "has no block <!-- begin setting -->" in capsys.readouterr().err


def test_a_page_that_is_not_there_is_one_sentence(
    tool: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    tool.PAGE.unlink()
    assert tool.main([]) == 2
    assert str(tool.PAGE) in capsys.readouterr().err


def test_the_plot_says_what_it_shows(tool: ModuleType) -> None:
    root = ET.fromstring(tool.PLOT.read_text())  # noqa: S314  (the project's own file)
    space = "{http://www.w3.org/2000/svg}"
    named = {each.get("id"): each.text for each in root if each.get("id")}
    assert root.attrib["aria-labelledby"].split() == list(named)
    run = tool.read()
    slowest = max((r for r in run.results if r.op == "decode"), key=lambda r: r.N)
    assert f"{slowest.time:.1f} µs" in str(named["desc"])
    shown = {each.text for each in root.iter(f"{space}text")}
    assert {"requests", "time, µs"} <= shown


def test_the_curves_fall_inside_the_plot(tool: ModuleType) -> None:
    root = ET.fromstring(tool.PLOT.read_text())  # noqa: S314  (the project's own file)
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2 * len(tool.PLOTTED)
    for line in lines:
        for point in line.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert tool.LEFT <= x <= tool.LEFT + tool.WIDTH
            assert tool.TOP <= y <= tool.TOP + tool.HEIGHT


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--chek", 2)])
def test_nothing_is_written_for_another_argument(
    tool: ModuleType, argument: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tool.PLOT.unlink()
    with pytest.raises(SystemExit) as ended:
        tool.main([argument])
    assert ended.value.code == code
    assert "--check" in "".join(capsys.readouterr())
    assert not tool.PLOT.exists()
