"""Records and answers as text for a terminal."""

from __future__ import annotations

import os
import sys

from errorkb.diagnosis import bytes_text, speak
from errorkb.index import Index
from errorkb.lookup import Answer, Hit
from errorkb.tier import MATCH, PROBABLE

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

    from errorkb.captures import Capture

_STATES = {
    "passed": "verified",
    "stale": "stale: record, example or kernels changed since; not verified as they are now",
    "missing": "not verified there yet",
    "failed": "FAILED there",
    "not-run": "not run there",
}
_SHOWN = 160


class Style:
    """Colours, where the stream is a terminal and NO_COLOR is not set."""

    def __init__(self, stream: TextIO) -> None:
        self.on = stream.isatty() and not os.environ.get("NO_COLOR")
        self.width = max(40, min(_columns(stream), 100))

    def bold(self, text: str) -> str:
        return self._in("1", text)

    def dim(self, text: str) -> str:
        return self._in("2", text)

    def red(self, text: str) -> str:
        return self._in("31", text)

    def green(self, text: str) -> str:
        return self._in("32", text)

    def _in(self, colour: str, text: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self.on else text

    def wrapped(self, text: str, indent: str = "  ") -> list[str]:
        """Prose in lines of the terminal's width."""
        lines: list[str] = []
        for word in plain(text).split():
            if lines and len(lines[-1]) + 1 + len(word) <= self.width:
                lines[-1] += f" {word}"
            else:
                lines.append(indent + word)
        return lines


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 100


def shortened(text: str) -> str:
    """The beginning of what was asked for, as an answer repeats it."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\u2026"


def plain(text: str) -> str:
    """Text without what could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def answer_lines(index: Index, answer: Answer, style: Style) -> list[str]:
    """What `errorkb lookup` prints."""
    if not answer.hits or answer.verdict == "needs-more":
        lines = [] if answer.advice is None else style.wrapped(answer.advice, "")
        return [*lines, *_briefly(index, answer.hits, "Perhaps related:", style)]
    first, *others = answer.hits
    lines = _hit_lines(index, first, style)
    if answer.verdict != MATCH:
        sure = "Probably this one." if first.tier == PROBABLE else "Similar, no match."
        lines = [*style.wrapped(f"{sure} {answer.advice}", ""), "", *lines]
    return [*lines, *_briefly(index, others, "Also possible:", style)]


def _briefly(index: Index, hits: Iterable[Hit], title: str, style: Style) -> list[str]:
    rows = [f"  {index.heads[hit.record][0]}  {index.heads[hit.record][2]}" for hit in hits]
    return ["", style.bold(title), *rows] if rows else []


def _hit_lines(index: Index, hit: Hit, style: Style) -> list[str]:
    record = index.record(hit.record)
    lines = [_title(record, style)]
    said = hit.passage.text.split("\n", 1)[0]
    name = hit.passage.raised.cls if hit.passage.raised is not None else None
    if hit.passage.coded:
        said = f"{hit.passage.coded}, which stands for {said!r}"
    shown = plain(f"{name}: {said}" if name and name not in said else said)
    lines.append(style.dim(f"  line {hit.passage.number}: {shortened(shown)}"))
    values = [f"{name} = {_value(value)}" for name, value in hit.captures.items() if value != ""]
    if values:
        lines += ["", *style.wrapped(", ".join(values))]
    for sentence in speak(record["rules"], hit.captures):
        lines += style.wrapped(sentence)
    lines += _fix_lines(record, style)
    lines += _recipe_lines(record, style)
    if len(record["fixes"]) > 1:
        others = "; ".join(title for title, _, _ in record["fixes"][1:])
        lines += ["", *style.wrapped(f"Other fixes: {others}.", "")]
    lines += _verified_lines(record, style)
    lines += _related_lines(record, style)
    lines += ["", style.dim(f"More: errorkb explain {record['code']}")]
    return lines


def _title(record: dict[str, Any], style: Style) -> str:
    return (
        f"{style.bold(record['code'])}  {style.bold(record['title'])}  {style.dim(record['slug'])}"
    )


def _value(value: Capture) -> str:
    if isinstance(value, int) and value >= 1 << 20:
        return f"{value} ({bytes_text(value)})" if value % 1024 == 0 else str(value)
    return shortened(str(value))


def _fix_lines(record: dict[str, Any], style: Style) -> list[str]:
    if record["withdrawn"]:
        return ["", *style.wrapped(f"Withdrawn: {record['withdrawn']}")]
    title, when, detail = record["fixes"][0]
    lines = ["", style.bold(f"Fix: {title}")]
    lines += style.wrapped(f"When: {when}")
    if detail:
        lines += style.wrapped(detail)
    if record["diff"]:
        lines += ["", *(_diff_line(line, style) for line in record["diff"])]
    return lines


def _diff_line(line: str, style: Style) -> str:
    shown = f"  {plain(line)}"
    if line.startswith("+") and not line.startswith("+++"):
        return style.green(shown)
    if line.startswith("-") and not line.startswith("---"):
        return style.red(shown)
    return style.dim(shown) if line.startswith("@@") else shown


def _verified_lines(record: dict[str, Any], style: Style) -> list[str]:
    lines = ["", style.bold("Verified")]
    if record["not_executed"]:
        return [*lines, *style.wrapped(f"Not executed: {record['not_executed']}")]
    rows = record["verified"]
    if not rows:
        said = f"Not verified yet: no result is recorded; errorkb verify {record['code']} runs it."
        return [*lines, *style.wrapped(said)]
    for row in rows:
        where = row["gpu"] if row["gpu"] else f"no GPU ({row['place']})"
        versions = [f"{name} {row[name]}" for name in ("torch", "triton") if row[name]]
        state = _STATES[row["state"]]
        if row["state"] == "passed":
            state = f"{state}, {row['passed']} of {row['items']} scripts as claimed"
        text = ", ".join([where, *versions, str(row["date"])]).rstrip(", ")
        lines += style.wrapped(f"{text}: {state}")
    return lines


def _related_lines(record: dict[str, Any], style: Style) -> list[str]:
    if not record["related"]:
        return []
    rows = [f"  {code}  {title}" for code, _, title in record["related"]]
    return ["", style.bold("Related"), *rows]


def record_lines(record: dict[str, Any], style: Style) -> list[str]:
    """What `errorkb explain` prints."""
    lines = [_title(record, style), style.dim(f"  {record['kind']}, {record['status']}")]
    for template, software, versions, origin in record["messages"]:
        lines.append(f"  {plain(template)}")
        lines.append(style.dim(f"    {software} {versions}, {origin}"))
    lines += _section("What it means", [record["meaning"]], style)
    lines += _section("When it happens", [_trigger(each) for each in record["triggers"]], style)
    lines += _section("Seen when", record["situations"], style)
    lines += _fix_lines(record, style)
    for title, when, detail in record["fixes"][1:]:
        lines += ["", style.bold(f"Fix: {title}"), *style.wrapped(f"When: {when}")]
        lines += style.wrapped(detail) if detail else []
    lines += _recipe_lines(record, style)
    lines += _section("Prevention", record["prevention"], style)
    lines += _section("Raised in", [_site(each) for each in record["sites"]], style)
    lines += _verified_lines(record, style)
    lines += _related_lines(record, style)
    lines += _section("Sources", [f"{fact} ({where})" for fact, where in record["sources"]], style)
    return lines


def _section(title: str, texts: list[str], style: Style) -> list[str]:
    lines = ["", style.bold(title)] if texts else []
    for text in texts:
        lines += style.wrapped(text)
    return lines


def _recipe_lines(record: dict[str, Any], style: Style) -> list[str]:
    """How to find the launch to blame, as one types it for before.py."""
    lines = ["", style.bold("Find the launch")] if record["recipes"] else []
    for command, shows in record["recipes"]:
        lines += [f"  {command}", *style.wrapped(shows, "    ")]
    return lines


def _trigger(trigger: tuple[str, str, str]) -> str:
    when, case, reason = trigger
    return f"{when} [{case}.py]" if case else f"{when} [not reproduced: {reason}]"


def _site(site: tuple[str, str, str, int, str, str]) -> str:
    package, version, path, line, function, condition = site
    where = f"{path}:{line}" if line else path
    return f"{package} {version} {where} {function}: {condition}".replace("  ", " ")


def print_json(data: object) -> None:
    """Print data as one line of JSON, in escapes where the stream cannot take the characters."""
    from json import dumps

    text = dumps(data, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # also of half a surrogate pair, which a JSON log may hold
        text = dumps(data)
    print(text)


def print_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines, also where the terminal's encoding lacks a character."""
    stream = stream or sys.stdout
    encoding = stream.encoding or "utf-8"
    for line in lines:
        print(line.encode(encoding, "replace").decode(encoding), file=stream)
