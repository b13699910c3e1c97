"""Write what the README shows of the project's output: `python tools/readme.py [--check]`.

The README holds blocks between `<!-- begin NAME -->` and `<!-- end NAME -->`. With `--check`
nothing is written, and the exit code is 1 where a block is not what the project prints today.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from errorkb.cli import main as errorkb
from errorkb.layout import Layout
from errorkb.ledger import read_all
from errorkb.render.releases import release_order

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SAMPLE = ROOT / "docs/sample-traceback.txt"


def lookup() -> str:
    """What `make lookup` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        errorkb(["--root", str(ROOT), "lookup", str(SAMPLE)])
    return f"```text\n{printed.getvalue()}```\n"


def ledgers() -> str:
    """A table of the committed ledgers, those of other releases of Triton in one row a place."""
    rows = ["| ledger | where | software |", "| --- | --- | --- |"]
    every = [ledger.environment for ledger in read_all(Layout.at(ROOT))]
    for of in (each for each in every if not each.survey):
        where = ", ".join(filter(None, [of.gpu, of.driver and f"driver {of.driver}"])) or of.place
        software = ", ".join(
            f"{name} {version}"
            for name, version in (
                ("Triton", of.triton),
                ("torch", of.torch),
                ("CUDA", of.cuda),
                ("Python", of.python),
            )
            if version
        )
        rows.append(f"| `{of.name}` | {where} | {software} |")
    surveys: dict[tuple[str, str], list[str]] = {}
    for of in sorted((each for each in every if each.survey), key=release_order):
        name = f"{of.name.rpartition('-')[0]}-*"
        surveys.setdefault((name, of.place), []).append(of.triton or "")
    for (name, place), releases in surveys.items():
        rows.append(f"| `{name}` | {place} | Triton {', '.join(releases)} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """`text` with every block as the project prints it today."""
    for name, content in (("lookup", lookup()), ("ledgers", ledgers())):
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise SystemExit(f"{README} has no block {begin.strip()} … {end.strip()}")
        text = f"{head}{begin}{content}{end}{tail}"
    return text


def main(arguments: Sequence[str]) -> int:
    """Write the README, or check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(": ")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it differs")
    check = parser.parse_args(arguments).check
    now = README.read_text(encoding="utf-8")
    text = written(now)
    if check:
        if text != now:
            print("README.md is not what is printed today; repair: make readme", file=sys.stderr)
        return int(text != now)
    README.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
