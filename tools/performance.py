"""Write times and plot of docs/performance.md from the committed benchmark: `[--check]`.

`kernels/results/nvidia-h200.json` is what `python -m kda_kernels.benchmarks --all --json` wrote on
the GPU. The page holds blocks between `<!-- begin NAME -->` and `<!-- end NAME -->`; the plot is
`docs/assets/kernel-times.svg`. With `--check` nothing is written, and the exit code is 1 where the
page or the plot is not what the results say; it is 2 where the results or the page cannot be used.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationError

from errorkb.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "kernels/results/nvidia-h200.json"
PAGE = ROOT / "docs/performance.md"
PLOT = ROOT / "docs/assets/kernel-times.svg"

Plain = Annotated[str, Field(pattern=r"^[A-Za-z0-9 .+-]+$")]
"""A name or a version; nothing that could be markup."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Op = Literal["verify-rings", "verify-snapshots", "decode", "fold", "recurrent"]
CALLS: dict[Op, str] = {
    "verify-rings": "verify, rings",
    "verify-snapshots": "verify, snapshots",
    "decode": "decode, in place",
    "fold": "fold (commit), one layer",
    "recurrent": "recurrence, state in and out",
}
TARGETS = 17
"""The first results are the cases with a target; those that show growth follow."""
PLOTTED: tuple[tuple[Op, int, str], ...] = (
    ("verify-rings", 8, "#c2410c"),
    ("decode", 1, "#0f766e"),
)
"""Call, tokens a request and colour of each curve; both colours have a contrast of 4.5 on the white
that the plot brings along for either scheme."""

LEFT, TOP, WIDTH, HEIGHT = 60, 12, 404, 300
"""The plot shrinks to three quarters on a phone, so its text is large."""
N_RANGE, T_RANGE = (1, 512), (0.1, 400)


class Environment(BaseModel):
    """Where the run was."""

    gpu: Plain
    torch: Plain
    triton: Plain
    date: datetime


class Result(BaseModel):
    """One case, times in microseconds."""

    op: Op
    N: int = Field(gt=0)
    tokens: int = Field(gt=0)
    H: int = Field(gt=0)
    time: Positive = Field(alias="microseconds")
    floor: Positive = Field(alias="floor_microseconds")
    peer: Literal["fla-core"] | None
    peer_time: Positive | None = Field(alias="peer_microseconds")

    @property
    def case(self) -> tuple[str, int, int, int]:
        """What was measured."""
        return self.op, self.N, self.tokens, self.H


class Run(BaseModel):
    """The committed file."""

    version: Literal[1] = Field(alias="schema")
    environment: Environment
    copy_bytes_per_second: Positive
    eager_host_microseconds: Positive
    results: list[Result] = Field(min_length=TARGETS)


def read() -> Run:
    """The committed results.

    Raises:
        UsageError: they are missing, of another form, hold a case twice or none of a curve.
    """
    repair = "write it with python -m kda_kernels.benchmarks --all --json FILE"
    try:
        run = Run.model_validate_json(RESULTS.read_bytes())
    except OSError as error:
        raise UsageError(f"{RESULTS} cannot be read ({error.strerror}); {repair}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(f"{RESULTS}: {place}: {first['msg']}; {repair}") from None
    case, count = Counter(r.case for r in run.results).most_common(1)[0]
    if count > 1:
        raise UsageError(f"{RESULTS} holds the case {case} {count} times; {repair}")
    for op, tokens, _ in PLOTTED:
        if not _curve(run.results, op, tokens):
            raise UsageError(f"{RESULTS} holds nothing of {_label(op, tokens)}; {repair}")
    return run


def setting(run: Run) -> str:
    """A paragraph about the run."""
    of = run.environment
    return (
        f"One run on one {of.gpu}, {of.date.date()}, torch {of.torch}, triton {of.triton}; the "
        f"copy of 4 GiB in that run moved {run.copy_bytes_per_second / 1e12:.2f} TB/s, read and "
        f"written. An eager verify call with rings took {run.eager_host_microseconds:.0f} µs of "
        "host time, in a captured graph it takes none.\n"
    )


def times(every: Sequence[Result]) -> str:
    """A table of the cases with a target."""
    lines = [
        "| call | requests | tokens a request | µs | floor, µs | times the floor | peer there |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    lines += [
        f"| {CALLS[r.op]} | {r.N} | {r.tokens} | {r.time:.1f} | {r.floor:.1f} "
        f"| {_ratio(r)} | {_peer(r)} |"
        for r in every[:TARGETS]
    ]
    return "\n".join(lines) + "\n"


def _ratio(of: Result) -> str:
    """Times the floor, which the results give to 0.01 µs: of the smallest, two digits are known."""
    ratio = of.time / of.floor
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def _peer(of: Result) -> str:
    return f"{of.peer}: {of.peer_time:.0f} µs" if of.peer and of.peer_time else ""


def growth(every: Sequence[Result]) -> str:
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
            text += f"| {getattr(r, field)} | {r.time:.1f} | {_ratio(r)} |\n"
    return text.lstrip("\n")


def _x(n: float) -> float:
    return LEFT + WIDTH * math.log(n / N_RANGE[0]) / math.log(N_RANGE[1] / N_RANGE[0])


def _y(time: float) -> float:
    return TOP + HEIGHT * (1 - math.log(time / T_RANGE[0]) / math.log(T_RANGE[1] / T_RANGE[0]))


def _line(points: Sequence[tuple[float, float]], colour: str, dashed: str) -> str:
    at = " ".join(f"{_x(n):.1f},{_y(t):.1f}" for n, t in points)
    return f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'


def _curve(every: Sequence[Result], op: Op, tokens: int) -> list[Result]:
    """The results of a call with the usual heads, by requests."""
    chosen = [r for r in every if (r.op, r.tokens, r.H) == (op, tokens, 12)]
    return sorted(chosen, key=lambda r: r.N)


def _label(op: Op, tokens: int) -> str:
    return f"{CALLS[op]}, {tokens} token{'s' if tokens > 1 else ''}"


def _described(every: Sequence[Result]) -> str:
    """The ends of each curve, for those who cannot see it."""
    ends = []
    for op, tokens, _ in PLOTTED:
        curve = _curve(every, op, tokens)
        said = [f"{r.time:.1f} µs (floor {r.floor:.1f}) at N={r.N}" for r in (curve[0], curve[-1])]
        ends.append(f"{_label(op, tokens)}: {' and '.join(said)}.")
    return " ".join(["Both axes are logarithmic, N is the number of requests.", *ends])


def plot(every: Sequence[Result]) -> str:
    """Time over requests, both axes logarithmic, with each call's floor as a dashed line."""
    width, height = LEFT + WIDTH + 16, TOP + HEIGHT + 56
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc" '
        'font-family="sans-serif" font-size="15">',
        '<title id="title">Time of a call over the number of requests</title>',
        f'<desc id="desc">{_described(every)}</desc>',
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
        f'transform="rotate(-90 16 {TOP + HEIGHT / 2})">time, µs</text>'
    )
    for position, (op, tokens, colour) in enumerate(PLOTTED):
        curve = _curve(every, op, tokens)
        parts.append(_line([(r.N, r.time) for r in curve], colour, ""))
        parts.append(_line([(r.N, r.floor) for r in curve], colour, ' stroke-dasharray="5 4"'))
        label = f"{_label(op, tokens)} (dashed: its floor)"
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
            raise UsageError(f"{PAGE} has no block {begin.strip()} … {end.strip()}")
        page = f"{head}{begin}\n{content}\n{end}{tail}"
    return page


def main(arguments: Sequence[str]) -> int:
    """Write page and plot, or check them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(": ")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; 1 if something differs"
    )
    check = parser.parse_args(arguments).check
    try:
        run = read()
        every = run.results
        blocks = {"setting": setting(run), "times": times(every), "growth": growth(every)}
        page = written(PAGE.read_text(encoding="utf-8"), blocks)
    except (UsageError, OSError) as error:
        print(f"performance.py: {error}", file=sys.stderr)
        return 2
    wanted = {PAGE: page, PLOT: plot(every)}
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text("utf-8") != text]
    if check:
        for path in stale:
            print(f"{path.name} is not what the results say: make readme", file=sys.stderr)
        return int(bool(stale))
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
