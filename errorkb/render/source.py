"""Where errors are raised: links to public source, and excerpts of our own."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorkb.harvest import RaiseSite
from errorkb.model import Site

GITHUB = {
    "sglang": "sgl-project/sglang",
    "triton": "triton-lang/triton",
    "torch": "pytorch/pytorch",
    "vllm": "vllm-project/vllm",
    "flashinfer": "flashinfer-ai/flashinfer",
    "fla": "fla-org/flash-linear-attention",
    "fla-core": "fla-org/flash-linear-attention",
    "flash-linear-attention": "fla-org/flash-linear-attention",
    "causal-conv1d": "Dao-AILab/causal-conv1d",
    "flash-attn": "Dao-AILab/flash-attention",
    "mamba-ssm": "state-spaces/mamba",
}
"""Public repositories of the packages that sites name, for links to a commit."""

EXCERPT_BEFORE = 6
"""Lines of source shown above a raise statement, at most."""


@dataclass(frozen=True)
class SiteView:
    """One place that raises the error; `excerpt` is of ours, None for others'."""

    site: Site
    title: str
    href: str | None
    href_text: str
    line: int | None
    excerpt: tuple[str, int, int] | None
    """Source text, first and last line (from 1)."""

    @property
    def source(self) -> str | None:
        """The text of the excerpt, without the indentation that all its lines share."""
        return None if self.excerpt is None else textwrap.dedent(self.excerpt[0])


def view(
    site: Site, raised: Sequence[RaiseSite], source_lines: Mapping[str, list[str]]
) -> SiteView:
    """A recorded site, with the line where our source raises today.

    Args:
        site: as it is recorded.
        raised: our raise sites of the record's code.
        source_lines: the lines of our files, by the path that `raised` gives.
    """
    ours = next((each for each in raised if each.path.endswith(site.path)), None)
    line = ours.line if ours else site.line
    version = f" {site.version}" if site.version else ""
    commit = f" @ {site.commit[:10]}" if site.commit else ""
    lines = source_lines.get(ours.path) if ours else None
    return SiteView(
        site=site,
        title=f"{site.package}{version}{commit} · {site.path}{f':{line}' if line else ''}",
        href=github(site),
        href_text=f"GitHub at {site.commit[:10]}" if site.commit else "",
        line=line,
        excerpt=excerpt(lines, ours.line) if ours and lines else None,
    )


def excerpt(lines: list[str], line: int) -> tuple[str, int, int]:
    """The guard and the raise statement at `line` (from 1): text, first and last line.

    It starts at the statement that encloses the raise, so never inside a docstring, which a
    highlighter would carry on as a string.
    """
    first, last = line, line
    for node in ast.walk(ast.parse("\n".join(lines))):
        if not isinstance(node, ast.stmt) or node.end_lineno is None:
            continue
        if isinstance(node, ast.Raise) and node.lineno == line:
            last = node.end_lineno
        encloses = node.lineno <= line <= node.end_lineno
        if encloses and isinstance(node, ast.If | ast.Try) and line - node.lineno < EXCERPT_BEFORE:
            first = min(first, node.lineno)
    return "\n".join(lines[first - 1 : last]), first, last


def github(site: Site) -> str | None:
    """The address of a site at its commit, for packages whose repository is known."""
    repository = GITHUB.get(site.package)
    if repository is None or site.commit is None:
        return None
    line = f"#L{site.line}" if site.line else ""
    return f"https://github.com/{repository}/blob/{site.commit}/{site.path}{line}"
