"""source: excerpts hold a whole guard and no docstring; links exist for known repositories only."""

from __future__ import annotations

import pytest

from errorkb.harvest import RaiseSite
from errorkb.model import Site
from errorkb.render.source import EXCERPT_BEFORE, excerpt, github, view

SOURCE = '''\
def check(total):
    """Check.

    A line that looks like code: if total.
    """
    if total < 0:
        raise ValueError(
            "negative"
        )
    for part in range(total):
        if part:
            x = 1
            raise ValueError("part")
    raise ValueError("end")
'''.splitlines()
COMMIT = "0132848349585cfe6aae51c4941cbae872505f8a"


@pytest.mark.parametrize(("line", "first", "last"), [(7, 6, 9), (13, 11, 13), (14, 14, 14)])
def test_an_excerpt_is_the_guard_and_the_raise(line: int, first: int, last: int) -> None:
    assert excerpt(SOURCE, line) == ("\n".join(SOURCE[first - 1 : last]), first, last)


def test_a_distant_guard_is_left_out() -> None:
    lines = ["if x:", *["    y = 1"] * EXCERPT_BEFORE, "    raise ValueError"]
    assert excerpt(lines, len(lines))[0] == "    raise ValueError"


def test_our_site_has_the_line_of_today_and_a_dedented_source() -> None:
    site = Site(package="kda_kernels", path="kda_kernels/a.py", function="check", condition="x")
    raised = RaiseSite("kda_kernels/a.py", 13, "check", "ValueError", "EKB0001", "part", "part")
    shown = view(site, [raised], {"kda_kernels/a.py": SOURCE})
    assert shown.title == "kda_kernels · kda_kernels/a.py:13"
    assert shown.source == 'if part:\n    x = 1\n    raise ValueError("part")'
    assert view(site, [], {}).title == "kda_kernels · kda_kernels/a.py"
    assert view(site, [], {}).source is None


def test_a_link_needs_a_known_repository_and_a_commit() -> None:
    site = Site(
        package="sglang", commit=COMMIT, path="python/x.py", line=9, function="f", condition="x"
    )
    assert github(site) == f"https://github.com/sgl-project/sglang/blob/{COMMIT}/python/x.py#L9"
    assert github(site.model_copy(update={"commit": None})) is None
    assert github(site.model_copy(update={"package": "unknown"})) is None
    assert github(site.model_copy(update={"line": None})) == (
        f"https://github.com/sgl-project/sglang/blob/{COMMIT}/python/x.py"
    )
