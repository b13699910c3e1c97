"""The words of messages, and how much each says about which message it is.

Rarity among the records alone misleads: "permission denied" is rare among kernel errors and says
nothing about kernels. So words that any program's messages hold are listed and weigh little.
"""

from __future__ import annotations

from math import log

_GENERIC = """
a about above accept accepted access active after again all allow allowed already also an and any
api are argument arguments as at attempt attribute available bad base be because been before below
between bit both but by bytes call called calling can cannot case change check class code command
config configuration connection contain contains could count create current data default defined
denied detail details device did different dimension dimensions directory do does done during each
either element elements else empty encountered end enough environment equal errno error errors
exactly exception exceeded exceeds exist exists exit expect expected failed fails failure false
fatal field file files first following for format found from function get given global got greater
had handle has have help here if implemented in incorrect index info information initialize
initialized input inputs instance instead int integer internal invalid is issue it its key keyword
large larger last least left len length less like limit line list load local long loop make many
match matching maximum may memory message method minimum missing mode model module more most
multiple must name need needs new no non none nonetype not nothing null number object of off on
one only open operation option or order other out output outside over parameter parameters pass
passed path per permission please pointer position positional possible process provide provided
python raise raised range rank read received ref reference required requires result return
returned run running runtime same second see set shape shapes shared should size sizes smaller
some specified start state status step still str string such supported take takes target tensor
tensors than that the their then there these they this to too true try trying tuple two type types
unable undefined unexpected unhandled unknown unsupported up use used user using valid value
values variable version was were when where which while will with within without write wrong x y
you your zero
"""
GENERIC = frozenset(_GENERIC.split())

_SPLIT = {i: " " for i in range(128) if not (chr(i).isalnum() or chr(i) == "_")}
RARE = 6.0
"""Weight of a word that one template holds."""
LIGHT = 0.5
"""Weight of a generic word."""
LETTER = 1.0
"""Weight of a single letter: the name of a size, as a rule."""
_PAIR = 12
_LONG = 14
_IDENTIFIER = 4.0
"""What a long identifier such as CUBLAS_STATUS_NOT_INITIALIZED adds: nothing else says it."""


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order; numbers are left out.

    A short pair such as `q/k` is a word besides its parts: only the pair is telling.
    """
    lowered = text.lower()
    found = [
        word
        for word in lowered.translate(_SPLIT).split()
        if not word[0].isdigit() and word.strip("_")
    ]
    if "/" in lowered:
        for token in lowered.split():
            left, slash, right = token.strip(".,:;()'\"`").partition("/")
            if slash and left.isalpha() and right.isalpha() and len(token) <= _PAIR:
                found.append(f"{left}/{right}")
    return found


def weight(word: str, frequency: int) -> float:
    """How much a word says.

    Args:
        word: in lower case.
        frequency: how many wordings hold it; 0 for a word that none holds.
    """
    if word in GENERIC:
        return LIGHT
    if len(word) == 1:
        return LETTER
    own = max(1.5, RARE - log(max(1, frequency)))
    return own + (_IDENTIFIER if len(word) >= _LONG else 0)
