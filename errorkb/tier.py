"""How sure it is that a wording found in a passage is the error's own.

The words of a wording decide, and what stands around the message where they are words that any
program uses: the frames and paths of the record's software, or those of another.
"""

from __future__ import annotations

from errorkb import advice
from errorkb.index import Index, Wording
from errorkb.matching import Match
from errorkb.passages import Passage
from errorkb.pattern import Placeholder

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from errorkb.traceback import Raised

MATCH, PROBABLE, SIMILAR, UNVERIFIED = "match", "probable", "similar", "unverified"
TIERS = (MATCH, PROBABLE, SIMILAR, UNVERIFIED)

TELLING = 4.5
"""Weight of words from which a whole message is a match without support from its surroundings."""
PARTLY = 10.0
"""The same for a message with other text around it, of which at least half is the wording's."""
PHRASE = 7
"""Common words that make a match together: no other message has as many in this order."""
FEW = 3
"""Common words from which a whole message is probably the record's."""
_TAKEN, _OPEN = 2, 3
"""Common words that a placeholder for any text takes away, for it lets other messages in: inside
the wording, and where it begins or ends with it."""
_FREE = frozenset(["str", "text", "path"])
_SOFTWARE = frozenset(["cuda", "triton", "torch", "pytorch", "nccl", "cublas", "cudnn"])
"""Names in a wording that say of themselves whose message it is."""
_INSTALLED = ("/site-packages/", "/dist-packages/", "/lib/python")


def tier_of(
    index: Index, wording: Wording, match: Match, passage: Passage, *, alone: bool
) -> str | None:
    """The tier of a match; None where it says nothing.

    Args:
        index: the records.
        wording: what was found.
        match: where and how well.
        passage: the stretch that holds it.
        alone: whether the passage is the whole paste.
    """
    whose = advice.foreign(passage.surroundings)
    if whose is not None and advice.foreign(wording.software) != whose:
        return None
    supported = _is_supported(index, wording.record, passage)
    if match.clean and not match.cut:
        named = not _SOFTWARE.isdisjoint(wording.words)
        if wording.weight >= TELLING or supported or named:
            return MATCH
        return _of_common_words(index, wording, passage.raised, alone=alone)
    if wording.weight * match.share < TELLING and not supported:
        return None
    return MATCH if wording.weight >= PARTLY and match.share >= 0.5 else SIMILAR


def class_fit(index: Index, record: int, raised: Raised) -> float:
    """How well an exception's class is one of the record's; 0 where it is not."""
    names = index.heads[record][4]
    if raised.cls in names:
        return 3.0
    short = (raised.cls or "").rpartition(".")[2]
    return 2.0 if any(name.rpartition(".")[2] == short for name in names) else 0.0


def _of_common_words(
    index: Index, wording: Wording, raised: Raised | None, *, alone: bool
) -> str | None:
    """The tier of a whole message in words that any program uses, without support around it."""
    if raised is not None and class_fit(index, wording.record, raised) == 0:
        return None
    said = len(set(wording.words)) - _let_in(wording)
    if said >= PHRASE:
        return MATCH
    if not alone and (raised is None or _is_elsewhere(index, wording.record, raised)):
        return None
    if said >= FEW:
        return PROBABLE
    return SIMILAR if raised is not None and not raised.frames else None


def _let_in(wording: Wording) -> int:
    """Common words that the placeholders for any text take away."""
    pieces = wording.template.pieces
    free = [i for i, p in enumerate(pieces) if isinstance(p, Placeholder) and p.type in _FREE]
    return sum(_OPEN if i in {0, len(pieces) - 1} else _TAKEN for i in free)


def _is_elsewhere(index: Index, record: int, raised: Raised) -> bool:
    """Whether the frames speak against the record.

    They do where the innermost one is of an installed package, and so of another one; and where
    the record is of an error that Python code raises, which would stand among them.
    """
    if not raised.frames:
        return False
    innermost = raised.frames[-1][0]
    return any(part in innermost for part in _INSTALLED) or index.shows_frame(record)


def _is_supported(index: Index, record: int, passage: Passage) -> bool:
    """Whether an error code, a path, a module in quotes, or the chain names its package."""
    if passage.coded:
        return True
    packages = index.heads[record][5]
    # The folder of its own example is named like the family; nobody else's script lies there.
    own = f"/examples/{index.heads[record][1]}/"
    if any(module in packages for module in _quoted_modules(passage.text)):
        return True
    texts = [part for part in passage.text.replace("'", " ").split() if "/" in part]
    for raised in passage.raised.chain if passage.raised is not None else ():
        texts += [file for file, _ in raised.frames if own not in file]
        texts.append((raised.cls or "").replace(".", "/"))
    parts = {part.lstrip(".").replace("-", "_").lower() for t in texts for part in t.split("/")}
    return not parts.isdisjoint(packages)


def _quoted_modules(text: str) -> list[str]:
    """What a message names as `module 'x'`, or as part of it, such as `'x.y' is not a package`."""
    pieces = text.split("'")
    return [
        quoted.split(".")[0]
        for before, quoted in zip(pieces[::2], pieces[1::2], strict=False)
        if before.lower().rstrip().endswith("module") or before.lower().endswith("module named ")
    ]
