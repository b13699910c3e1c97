"""Which wording of a record a printed message is, and whether it is said of that version."""

from __future__ import annotations

from errorkb.model import Environment, ErrorRecord, Message
from errorkb.pattern import Template
from errorkb.traceback import parse


def wording(record: ErrorRecord, printed: str, environment: Environment) -> Message | None:
    """The message of the record that was printed; None where no template takes it.

    Where several take it, one that is said of this version comes first, then the longest.
    """
    # The message is printed after the class where it has one; reading the text trims its lines.
    alone = printed.partition(": ")[2]
    texts = [printed, alone, *(raised.message for raised in parse(printed).exceptions)]
    best: tuple[tuple[bool, int], Message] | None = None
    for message in record.messages:
        template = Template.parse(message.template)
        if any(template.match(text) is not None for text in texts):
            literal = sum(len(piece) for piece in template.pieces if isinstance(piece, str))
            rank = (is_said_of(message, environment) is not False, literal)
            if best is None or rank > best[0]:
                best = (rank, message)
    return best and best[1]


def version(message: Message, environment: Environment) -> tuple[str, str] | None:
    """Name and version there of the package that prints the message; None for other software."""
    package = message.software.split()[0]
    found = {"triton": environment.triton, "torch": environment.torch}.get(package)
    return (package, found) if found else None


def is_said_of(message: Message, environment: Environment) -> bool | None:
    """Whether the record says that this version prints the message; None where it says nothing."""
    from packaging.specifiers import SpecifierSet

    found = version(message, environment)
    if found is None or message.versions == "*":
        return None
    return SpecifierSet(message.versions).contains(found[1], prereleases=True)
