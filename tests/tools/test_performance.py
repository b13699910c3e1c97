"""The performance page and its plot hold what the committed benchmark says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, on copies of the page, the plot and the results."""
    spec = importlib.util.spec_from_file_location("performance", ROOT / "tools/performance.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
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


def test_every_case_with_a_target_has_its_row(tool: ModuleType) -> None:
    results = tool.rows(json.loads(tool.RESULTS.read_text()))
    table = tool.times(results).splitlines()[2:]
    assert len(table) == tool.TARGETS
    assert all(f"| {r.N} | {r.tokens} |" in line for r, line in zip(results, table, strict=False))


def test_a_page_without_a_block_is_refused(tool: ModuleType) -> None:
    tool.PAGE.write_text("no blocks")
    with pytest.raises(SystemExit, match="has no block <!-- begin setting -->"):
        tool.main([])


def test_the_curves_fall_inside_the_plot(tool: ModuleType) -> None:
    root = ET.fromstring(tool.PLOT.read_text())  # noqa: S314  (the project's own file)
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2 * len(tool.PLOTTED)
    for line in lines:
        for point in line.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert tool.LEFT <= x <= tool.LEFT + tool.WIDTH
            assert tool.TOP <= y <= tool.TOP + tool.HEIGHT
