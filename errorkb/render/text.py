"""Text from records, examples and ledgers, made safe for Markdown and HTML.

Nothing that a record, an example or a printed message holds may become markup. Every character
that Markdown, attribute lists or HTML give a meaning to is written as a numeric entity.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from errorkb.pattern import Template

# Our own patterns, applied to data; none is built from data.
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# C0 and C1 controls except tab and newline (Markdown uses STX and ETX as placeholders), and the
# bidirectional overrides that make shown text differ from stored text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PLAIN = re.compile(r"[A-Za-z0-9 ,;:()/\u00a1-\u1fff\u2030-\ud7ff]|(?<![0-9])\.")
_URL = re.compile(r"https?://[A-Za-z0-9./_~%?#=&+:@,-]*[A-Za-z0-9/_~%=&+-]")
_BACKTICKS = re.compile(r"`+")

LONGEST_HEADING = 100
"""Characters of a message that a heading shows; the whole message stands below it."""


def clean(text: str) -> str:
    """`text` with one kind of line end and without colours, control and override characters."""
    text = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub("", text)


def entities(text: str) -> str:
    """`text` on one line, with every character that could be markup as `&#NN;`."""
    flat = " ".join(clean(text).split())
    out = []
    for position, character in enumerate(flat):
        plain = _PLAIN.match(flat, position) is not None
        out.append(character if plain else f"&#{ord(character)};")
    return "".join(out)


def prose(text: str) -> str:
    """A sentence of a record: `code spans` and http(s) addresses live, all else is plain text."""
    parts = clean(text).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is a backtick
        parts[-2:] = ["`".join(parts[-2:])]
    out = []
    for index, part in enumerate(parts):
        out.append(f"<code>{entities(part)}</code>" if index % 2 else _with_links(part))
    return "".join(out)


def _with_links(text: str) -> str:
    out, position = [], 0
    for match in _URL.finditer(text):
        out.append(_keep_ends(text[position : match.start()]))
        href = entities(match.group())
        out.append(f'<a href="{href}">{href}</a>')
        position = match.end()
    out.append(_keep_ends(text[position:]))
    return "".join(out)


def _keep_ends(text: str) -> str:
    """`entities`, with the blank at either end that separates the text from its neighbour."""
    head = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() and text.strip() else ""
    return head + entities(text) + tail


def template_html(template: str) -> str:
    """A message template with its placeholders as `<var>`, on one line, for headings."""
    out = []
    for piece in Template.parse(" ".join(clean(template).split()), typed=False).pieces:
        if isinstance(piece, str):
            out.append(_keep_ends(piece))
        else:
            out.append(f"<var>{entities(piece.name)}</var>")
    return "".join(out)


def template_text(template: str) -> str:
    """A message template without the types of its placeholders, as plain text."""
    pieces = Template.parse(clean(template), typed=False).pieces
    return "".join(p if isinstance(p, str) else f"{{{p.name}}}" for p in pieces)


def shortened_template(template: str) -> str:
    """A template of which a long rest is left out, at a placeholder or a blank."""
    kept, length = "", 0
    for piece in Template.parse(template, typed=False).pieces:
        if length > LONGEST_HEADING:
            return f"{kept.rstrip()} …"
        if isinstance(piece, str):
            room = LONGEST_HEADING - length
            shown = piece if len(piece) <= room + 20 else f"{piece[:room].rpartition(' ')[0]} …"
            kept += shown.replace("{", "{{").replace("}", "}}")
            if shown != piece:
                return kept
            length += len(piece)
        else:
            kept += f"{{{piece.name}}}"
            length += len(piece.name)
    return kept


def fence_for(text: str) -> str:
    """A code fence longer than any run of backticks in `text`."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    return "`" * max(3, longest + 1)


def url_path(text: str) -> str:
    """`text` as part of a relative address."""
    return quote(text, safe="/#?=-_.~")
