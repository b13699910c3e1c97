"""`errorkb search`: records by words of their title, wording and prose."""

from __future__ import annotations

import argparse
import sys

from errorkb.errors import FOUND, NOT_FOUND, UsageError
from errorkb.index import Index, load
from errorkb.layout import Layout
from errorkb.lookup import url_of
from errorkb.present import Style, print_json, print_lines, shortened
from errorkb.words import weight, words

HELP = "find records by words"
_BEGINNING = 0.7
"""What a word counts of which only the beginning was given."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("words", nargs="+", metavar="WORDS", help="shared memory, bf16 nan …")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="at most N (default 10)")
    parser.add_argument("--json", action="store_true", help="one JSON list instead of lines")


def run(args: argparse.Namespace) -> int:
    """List records, best first; 1 where there is none."""
    text = " ".join(args.words)
    if not words(text):
        raise UsageError(f"{shortened(text)!r} holds no word to search for; give one of letters.")
    if args.limit < 1:
        raise UsageError(f"--limit {args.limit} shows nothing; use 1 or more.")
    index = load(Layout.chosen(args.root))
    found = search(index, text)[: args.limit]
    if args.json:
        rows = [
            {"code": code, "slug": slug, "title": title, "kind": kind, "url": url_of(code)}
            for code, slug, title, kind, *_ in (index.heads[number] for number in found)
        ]
        print_json(rows)
    else:
        style = Style(sys.stdout)
        for number in found:
            code, slug, title, kind, *_ = index.heads[number]
            print_lines([f"{style.bold(code)}  {title}  {style.dim(f'{slug} ({kind})')}"])
    if not found:
        print_lines([f"errorkb: no record holds any of: {shortened(text)}."], sys.stderr)
    return FOUND if found else NOT_FOUND


def search(index: Index, text: str) -> list[int]:
    """Numbers of the records that hold the words, best first.

    A record that holds all words comes before one that holds some; a word that is none of the
    library's counts as the beginning of one.
    """
    named = index.find(text)
    if named is not None:
        return [named]
    prose = index.prose()
    scores: dict[int, float] = {}
    held: dict[int, int] = {}
    for word in dict.fromkeys(words(text)):
        for record, score in _scores(prose, word).items():
            scores[record] = scores.get(record, 0) + score
            held[record] = held.get(record, 0) + 1
    return sorted(
        scores, key=lambda record: (-held[record], -scores[record], index.heads[record][1])
    )


def _scores(prose: dict[str, dict[int, int]], word: str) -> dict[int, float]:
    counts = prose.get(word)
    if counts is not None:
        return {record: count * weight(word, len(counts)) for record, count in counts.items()}
    if len(word) < 3:
        return {}
    best: dict[int, float] = {}
    for longer, counts in prose.items():
        if longer.startswith(word):
            for record, count in counts.items():
                score = _BEGINNING * count * weight(longer, len(counts))
                best[record] = max(best.get(record, 0), score)
    return best
