"""Write times and plot of docs/performance.md from the committed benchmark: `[--check]`.

`kernels/results/nvidia-h200.json` is what `python -m kda_kernels.benchmarks --all --json` wrote on
the GPU. The page holds blocks between `<!-- begin NAME -->` and `<!-- end NAME -->`; the plot is
`docs/assets/kernel-times.svg`. With `--check` nothing is written, and the exit code is 1 where the
page or the plot is not what the results say.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "kernels/results/nvidia-h200.json"
PAGE = ROOT / "docs/performance.md"
PLOT = ROOT / "docs/assets/kernel-times.svg"

CALLS = {
    "verify-rings": "verify, rings",
    "verify-snapshots": "verify, snapshots",
    "decode": "decode, in place",
    "fold": "fold (commit), one layer",
    "recurrent": "recurrence, state in and out",
}
TARGETS = 17
"""The first results are the cases with a target; those that show growth follow."""
PLOTTED = (("verify-rings", 8, "#c2410c"), ("decode", 1, "#0f766e"))
"""Call, tokens a request and colour of each curve; both colours have a contrast of 4.5 on white and
of 3 on the dark scheme's background."""

LEFT, TOP, WIDTH, HEIGHT = 64, 16, 520, 300
N_RANGE, T_RANGE = (1, 512), (0.1, 400)


class Row(NamedTuple):
    """One result: times in microseconds."""

    op: str
    N: int
    tokens: int
    H: int
    time: float
    floor: float
    peer: str


def rows(results: dict[str, list[dict[str, object]]]) -> list[Row]:
    """The results in their order."""
    return [
        Row(
            str(r["op"]),
            int(str(r["N"])),
            int(str(r["tokens"])),
            int(str(r["H"])),
            float(str(r["microseconds"])),
            float(str(r["floor_microseconds"])),
            f"{r['peer']}: {float(str(r['peer_microseconds'])):.0f} µs" if r["peer"] else "",
        )
        for r in results["results"]
    ]


def setting(results: dict[str, dict[str, str]], bandwidth: float, host: float) -> str:
    """A paragraph about the run."""
    of = results["environment"]
    day = datetime.fromisoformat(of["date"]).date()
    return (
        f"One run on one {of['gpu']}, {day}, torch {of['torch']}, triton {of['triton']}; the copy "
        f"of 4 GiB in that run moved {bandwidth / 1e12:.2f} TB/s, read and written. An eager "
        f"verify call with rings took {host:.0f} µs of host time, in a captured graph it takes "
        "none.\n"
    )


def times(every: Sequence[Row]) -> str:
    """A table of the cases with a target."""
    lines = [
        "| call | requests | tokens a request | µs | floor, µs | times the floor | peer there |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    lines += [
        f"| {CALLS[r.op]} | {r.N} | {r.tokens} | {r.time:.1f} | {r.floor:.1f} "
        f"| {r.time / r.floor:.2f} | {r.peer} |"
        for r in every[:TARGETS]
    ]
    return "\n".join(lines) + "\n"


def growth(every: Sequence[Row]) -> str:
    """Three tables: with requests, with tokens and with heads."""
    usual = {"N": 64, "tokens": 8, "H": 12}
    names = {"N": "requests", "tokens": "tokens a request", "H": "heads"}
    verify = [r for r in every if r.op == "verify-rings"]
    text = ""
    for field, name in names.items():
        fixed = {other: value for other, value in usual.items() if other != field}
        chosen = [r for r in verify if all(getattr(r, k) == v for k, v in fixed.items())]
        heading = ", ".join(f"{value} {names[other]}" for other, value in fixed.items())
        text += f"\n**Verify with rings, {heading}**\n\n"
        text += f"| {name} | µs | times the floor |\n| ---: | ---: | ---: |\n"
        for r in sorted(chosen, key=lambda r: int(getattr(r, field))):
            text += f"| {getattr(r, field)} | {r.time:.1f} | {r.time / r.floor:.2f} |\n"
    return text.lstrip("\n")


def _x(n: float) -> float:
    return LEFT + WIDTH * math.log(n / N_RANGE[0]) / math.log(N_RANGE[1] / N_RANGE[0])


def _y(time: float) -> float:
    return TOP + HEIGHT * (1 - math.log(time / T_RANGE[0]) / math.log(T_RANGE[1] / T_RANGE[0]))


def _line(points: Sequence[tuple[float, float]], colour: str, dashed: str) -> str:
    at = " ".join(f"{_x(n):.1f},{_y(t):.1f}" for n, t in points)
    return f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'


def plot(every: Sequence[Row]) -> str:
    """Time over requests, both axes logarithmic, with each call's floor as a dashed line."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 24} '
        f'{TOP + HEIGHT + 56}" role="img" font-family="sans-serif" font-size="13">',
        "<title>Time of a call over the number of requests</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for t in (0.1, 1, 10, 100):
        parts.append(
            f'<path d="M{LEFT} {_y(t):.1f}h{WIDTH}" stroke="#d4d4d4"/>'
            f'<text x="{LEFT - 8}" y="{_y(t) + 4:.1f}" text-anchor="end">{t:g}</text>'
        )
    for n in (1, 4, 16, 64, 256):
        parts.append(
            f'<path d="M{_x(n):.1f} {TOP}v{HEIGHT}" stroke="#ececec"/>'
            f'<text x="{_x(n):.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{n}</text>'
        )
    parts.append(
        f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 44}" text-anchor="middle">requests</text>'
        f'<text x="16" y="{TOP + HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {TOP + HEIGHT / 2})">µs</text>'
    )
    for position, (op, tokens, colour) in enumerate(PLOTTED):
        chosen = {r.N: r for r in every if (r.op, r.tokens, r.H) == (op, tokens, 12)}
        curve = [chosen[n] for n in sorted(chosen)]
        parts.append(_line([(r.N, r.time) for r in curve], colour, ""))
        parts.append(_line([(r.N, r.floor) for r in curve], colour, ' stroke-dasharray="5 4"'))
        label = f"{CALLS[op]}, {tokens} token{'s' if tokens > 1 else ''} (dashed: its floor)"
        parts.append(
            f'<text x="{LEFT + 12}" y="{TOP + 20 + 20 * position}" fill="{colour}">{label}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def written(page: str, blocks: dict[str, str]) -> str:
    """`page` with every block as the results say."""
    for name, content in blocks.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
        head, found, rest = page.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise SystemExit(f"{PAGE} has no block {begin.strip()} … {end.strip()}")
        page = f"{head}{begin}\n{content}\n{end}{tail}"
    return page


def main(arguments: Sequence[str]) -> int:
    """Write page and plot, or check them."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    every = rows(results)
    if any(a.op == b.op and a[:4] == b[:4] for a, b in pairwise(every)):
        raise SystemExit(f"{RESULTS} holds a case twice")
    speed, host = results["copy_bytes_per_second"], results["eager_host_microseconds"]
    blocks = {
        "setting": setting(results, speed, host),
        "times": times(every),
        "growth": growth(every),
    }
    wanted = {
        PAGE: written(PAGE.read_text(encoding="utf-8"), blocks),
        PLOT: plot(every),
    }
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text("utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.name} is not what the results say: make readme", file=sys.stderr)
        return int(bool(stale))
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
