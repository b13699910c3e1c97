"""Which record a paste is about, and how sure that is.

An answer has a tier: *match* (the message is the record's wording, and the wording says enough),
*probable* (it is, in words that other software uses too), *similar* (much of it is), *unverified*
(from a harvested index). What stands around a message, its class, frames and chain, orders answers;
it never makes one.
"""

from __future__ import annotations

import os

from errorkb import advice
from errorkb.index import Index, module_name
from errorkb.matching import find
from errorkb.passages import Passage, passages
from errorkb.paste import Paste
from errorkb.similar import nearest, resembling
from errorkb.tier import MATCH, PROBABLE, SIMILAR, TIERS, class_fit, tier_of
from errorkb.traceback import Raised, Report, parse
from errorkb.words import words

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from errorkb.captures import Capture
    from errorkb.index import Wording

NEEDS_MORE, NONE = "needs-more", "none"
_SURE = (MATCH, PROBABLE)
"""Tiers in which a message is the record's wording."""

_CUT = "The message ends before it says which of several errors it is; add the rest of it."
ANSWERS = 5
"""Records that one lookup names at most."""


class Hit:
    """One record that answers a paste.

    Attributes:
        record: its number in the index.
        tier: "match", "probable", "similar" or "unverified".
        captures: the values by name.
        passage: where it was found.
        score: weight of the wording times share of the message that it explains.
        context: how well class and frames fit the record.
        start: offset in the passage's first line where the message begins.
        whole: the wording, where it is all of the message; or None.
        cut: whether the message ends before the wording does.
    """

    __slots__ = (
        "captures",
        "context",
        "cut",
        "passage",
        "record",
        "score",
        "start",
        "tier",
        "whole",
    )

    def __init__(
        self,
        record: int,
        tier: str,
        passage: Passage,
        captures: dict[str, Capture],
        score: float,
        *,
        context: float = 0.0,
        start: int = 0,
        whole: Wording | None = None,
        cut: bool = False,
    ) -> None:
        self.record = record
        self.tier = tier
        self.passage = passage
        self.captures = captures
        self.score = score
        self.context = context
        self.start = start
        self.whole = whole
        self.cut = cut

    def order(self) -> tuple[float, ...]:
        """Best first: surer, nearer the root cause, more telling, better supported, earlier."""
        rank = self.passage.rank if self.tier in _SURE else 0.0
        return (
            TIERS.index(self.tier),
            rank,
            self.start,
            -(self.score + self.context),
            self.passage.number,
        )


class Answer:
    """What a lookup found.

    Attributes:
        verdict: "match", "similar", "needs-more" or "none".
        hits: best first, one for each record.
        report: the exceptions of the paste.
        advice: what to do next where there is no match, or None.
        nearest: numbers of the records to name where there is no hit.
    """

    __slots__ = ("advice", "hits", "nearest", "report", "verdict")

    def __init__(self, verdict: str, hits: list[Hit], report: Report, said: str | None) -> None:
        self.verdict = verdict
        self.hits = hits
        self.report = report
        self.advice = said
        self.nearest: list[int] = []


def lookup(index: Index, paste: Paste | str) -> Answer:
    """Find the records that a paste is about."""
    report = parse(paste)
    stretches = passages(report)
    hits = _noted(index, report, stretches) + _matches(index, stretches, _length(report))
    best = _best(hits)
    if _undecided(best):
        for hit in best:
            hit.tier = SIMILAR
        return Answer(NEEDS_MORE, best, report, _CUT)
    if any(hit.tier == MATCH for hit in best):
        return Answer(MATCH, best, report, None)
    if not any(hit.tier == PROBABLE for hit in best):
        like = [Hit(r, SIMILAR, p, {}, s) for r, p, s in resembling(index, stretches)]
        best = _best([*hits, *like])
    sought = advice.needs_more(report)
    cause = [
        hit for hit in best if not (hit.passage.raised and advice.is_wrapper(hit.passage.raised))
    ]
    if sought is not None and not cause:
        best = _best([*best, *_framed(index, report)])
        return Answer(NEEDS_MORE, best, report, f"This paste does not hold the cause: {sought}.")
    if best:
        return Answer(SIMILAR, best, report, _doubt(best[0]))
    answer = Answer(NONE, [], report, None)
    answer.nearest = nearest(index, stretches)
    answer.advice = _none_advice(index, answer, stretches)
    return answer


def first_slug(index: Index, text: str) -> str | None:
    """The slug of the record that a lookup of a text puts first, when it has that wording."""
    answer = lookup(index, text)
    sure = answer.verdict != NEEDS_MORE and answer.hits and answer.hits[0].tier in _SURE
    return index.heads[answer.hits[0].record][1] if sure else None


def as_json(index: Index, answer: Answer) -> dict[str, Any]:
    """The answer as `lookup --json` prints it."""
    return {
        "verdict": answer.verdict,
        "matches": [
            {
                "code": index.heads[hit.record][0],
                "slug": index.heads[hit.record][1],
                "tier": hit.tier,
                "captures": hit.captures,
                "title": index.heads[hit.record][2],
                "url": url_of(index.heads[hit.record][0]),
            }
            for hit in answer.hits
        ],
        "exceptions": [
            {"class": raised.cls, "message": raised.message[:4000], "line": raised.line}
            for raised in answer.report.exceptions
        ],
        "advice": answer.advice,
    }


def url_of(code: str) -> str:
    """The permanent address of a record, on the site that SITE_URL names or relative to it."""
    return f"{os.environ.get('SITE_URL', '')}e/{code}/"


def _noted(index: Index, report: Report, stretches: list[Passage]) -> list[Hit]:
    """Records that an exception names itself, by the note of a coded error."""
    hits = []
    for raised in report.exceptions:
        record = index.find(raised.code) if raised.code else None
        passage = next((p for p in stretches if p.raised is raised), None)
        if record is not None and passage is not None:
            hits.append(Hit(record, MATCH, passage, {}, 1000.0))
    return hits


def _framed(index: Index, report: Report) -> list[Hit]:
    """Records whose errors are raised in the innermost function of frames without an error."""
    hits = []
    for raised in report.unfinished:
        file, function = raised.frames[-1]
        passage = Passage("", raised.line, raised, 0.0, [])
        for record in index.by_frame(module_name(file), function):
            hits.append(Hit(record, SIMILAR, passage, {}, 0.0))
    return hits


def _length(report: Report) -> int:
    """Lines of a paste that is nothing but a message without a class; 0 for any other."""
    return 0 if report.exceptions else len(report.lines)


def _matches(index: Index, stretches: Iterable[Passage], length: int) -> list[Hit]:
    hits = []
    for passage in stretches:
        for number in sorted(index.by_key(words(passage.text))):
            wording = index.wording(number)
            match = find(wording, passage)
            if match is None:
                continue
            alone = length == passage.text.count("\n") + 1
            tier = tier_of(index, wording, match, passage, alone=alone)
            if tier is not None:
                context = _context(index, wording.record, passage.raised)
                context += 2 if wording.when is not None else 0
                hits.append(
                    Hit(
                        wording.record,
                        tier,
                        passage,
                        match.captures,
                        wording.weight * match.share,
                        context=context,
                        start=match.start,
                        whole=wording if match.clean and not match.cut else None,
                        cut=match.cut,
                    )
                )
    return hits


def _context(index: Index, record: int, raised: Raised | None) -> float:
    """How well class and frames fit the record; it orders, it does not decide."""
    if raised is None:
        return 0.0
    fit = class_fit(index, record, raised)
    for file, function in raised.frames[-4:]:
        if record in index.by_frame(module_name(file), function):
            fit += 3
            break
    return fit


def _best(hits: Iterable[Hit]) -> list[Hit]:
    """The best hit of each record, best first, without what a surer tier outdoes."""
    best: dict[int, Hit] = {}
    for hit in sorted(hits, key=Hit.order):
        kept = best.setdefault(hit.record, hit)
        if not kept.captures and kept.passage.raised is hit.passage.raised:
            kept.captures = hit.captures
    found = sorted(best.values(), key=Hit.order)
    for tier in _SURE:
        sure = [hit for hit in found if hit.tier == tier]
        if sure:
            return sure[:ANSWERS]
    return found[:ANSWERS]


def _undecided(hits: list[Hit]) -> bool:
    """Whether all there is of a message is the beginning of several records' wordings."""
    return len(hits) > 1 and all(hit.cut and hit.passage is hits[0].passage for hit in hits)


def _doubt(hit: Hit) -> str:
    """Why the best hit is no match."""
    if hit.tier == PROBABLE and hit.whole is not None:
        return (
            "The message is this record's wording, but its words are common ones and nothing else "
            f"in the paste names {hit.whole.software}; check that the error comes from there "
            "before you take the fix."
        )
    if hit.whole is not None:
        return (
            "This record's wording fits the message, but it is so general that it fits others too; "
            "read the record before you take the fix."
        )
    return "No record has exactly this message; check what differs before you take the fix."


def _none_advice(index: Index, answer: Answer, stretches: Iterable[Passage]) -> str:
    whose = next(
        (name for p in stretches if (name := advice.foreign(p.surroundings)) is not None), None
    )
    said = "No record."
    if whose is not None:
        said = f"No record: this is an error of {whose}."
    elif answer.nearest:
        near = ", ".join(f"{index.heads[n][0]} {index.heads[n][2]}" for n in answer.nearest)
        said = f"No record; the nearest are {near}."
    if not answer.report.exceptions and whose is None:
        said += " The paste holds no exception that could be read; add its last lines."
    return said
