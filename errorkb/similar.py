"""Records whose wording resembles a message: reworded, damaged, or nothing but the same subject."""

from __future__ import annotations

from errorkb import advice
from errorkb.index import Index
from errorkb.passages import Passage
from errorkb.words import GENERIC, words

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterable

COMMON = 8.0
"""Least weight of the words in common."""
OF_WORDING = 0.6
OF_MESSAGE = 0.45
"""Least shares, by weight, of the wording's words and of the message's that are in common."""
_LOOKED_AT = 60
_LONGEST = 120
"""Passages, and words of each, that are compared."""


def resembling(index: Index, stretches: list[Passage]) -> list[tuple[int, Passage, float]]:
    """(record, passage, score) of wordings that share most of their words with a passage."""
    found = []
    for passage in stretches[:_LOOKED_AT]:
        for number, score, of_wording, of_message in _compared(index, passage):
            if score >= COMMON and of_wording >= OF_WORDING and of_message >= OF_MESSAGE:
                record = index.wording(number).record
                found.append((record, passage, score * of_wording * of_message))
    return found


def nearest(index: Index, stretches: list[Passage], count: int = 3) -> list[int]:
    """Records with something in common with a paste, nearest first; perhaps none."""
    best: dict[int, float] = {}
    for passage in stretches[:_LOOKED_AT]:
        for number, score, of_wording, of_message in _compared(index, passage):
            record = index.wording(number).record
            near = score * of_wording * of_message
            if near > best.get(record, 0.5):
                best[record] = near
    return sorted(best, key=lambda record: -best[record])[:count]


def _compared(index: Index, passage: Passage) -> Iterable[tuple[int, float, float, float]]:
    """(wording, common weight, share of the wording, share of the message) of each candidate."""
    if advice.foreign(passage.surroundings) is not None:
        return
    for lines in (1, 3):
        text = "\n".join(passage.text.split("\n")[:lines])
        said = words(text)[:_LONGEST]
        distinct = set(said)
        whole = sum(index.weight(word) for word in distinct)
        candidates = {n for w in distinct - GENERIC for n in index.by_word(w)}
        for number in candidates:
            wording = index.wording(number)
            common = _in_order(wording.words, said)
            score = sum(index.weight(word) for word in set(common))
            yield number, score, score / wording.weight, score / whole
        if "\n" not in passage.text:
            return


def _in_order(wording: tuple[str, ...], said: list[str]) -> list[str]:
    """Words of the wording that the message has in the same order, found greedily."""
    common = []
    position = 0
    for word in wording:
        try:
            at = said.index(word, position)
        except ValueError:
            continue
        # A word far ahead would hide all between; take it only when little is skipped.
        if at - position <= 12:
            common.append(word)
            position = at + 1
    return common
