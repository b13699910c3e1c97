"""`errorkb import`: a description in the schemaVersion 2 form becomes the draft of a record.

Such a description was not executed, so nothing of it is taken for true: every sentence arrives with
the mark that `errorkb check` refuses, until somebody has executed it and written it in words of
their own. Its code is not taken over at all; the example is written, and run, by a person.
"""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, get_args

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from errorkb import __version__
from errorkb.errors import UsageError
from errorkb.layout import Layout
from errorkb.model import ErrorRecord, Handling, Kind
from errorkb.render.text import clean
from errorkb.scaffold import PLACEHOLDER, place, places, scripts, unused_code, vacant
from errorkb.store import parse_yaml

MAX_BYTES = 1_000_000
MAX_SENTENCE = 2_000
MAX_SENTENCES = 20
SCHEMA_VERSION = 2

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_HEADER = "# yaml-language-server: $schema=../../record.schema.json\n"

Text = Annotated[str, StringConstraints(strip_whitespace=True)]


class Description(BaseModel):
    """The fields of schemaVersion 2 that a record has a place for; others are left out."""

    model_config = ConfigDict(extra="ignore", strict=True)

    errorMessage: Annotated[Text, StringConstraints(min_length=3)]  # noqa: N815  (the form's names)
    schemaVersion: int  # noqa: N815
    repo: Text | None = None
    slug: Text | None = None
    errorType: Text | None = None  # noqa: N815
    errorClass: Text | None = None  # noqa: N815
    severity: Text | None = None
    filePath: Text | None = None  # noqa: N815
    lineNumber: int | None = None  # noqa: N815
    githubUrl: Text | None = None  # noqa: N815
    documentation: Text | None = None
    triggerScenarios: Text | None = None  # noqa: N815
    commonSituations: Text | None = None  # noqa: N815
    solutions: list[Text] | None = None
    handlingStrategy: Text | None = None  # noqa: N815
    preventionTips: list[Text] | None = None  # noqa: N815
    tags: list[Text] | None = None
    backgroundTag: Text | None = None  # noqa: N815
    analyzedSha: Text | None = None  # noqa: N815


@dataclass(frozen=True)
class Draft:
    """What was written, and what a person has to do before it is a record."""

    code: str
    slug: str
    paths: list[Path]
    missing: list[str]


def read_description(stream: BinaryIO, name: str) -> Description:
    """Read `{"record": {…}, "datasetVersion": …}` or the record alone.

    Raises:
        UsageError: it is too large, not JSON, or not in this form.
    """
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name} is larger than {MAX_BYTES:,} bytes; give one record.")
    try:
        parsed = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8 text; give a JSON file.") from None
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"{name} is not JSON{where}; give one record as JSON.") from None
    if isinstance(parsed, dict) and "record" in parsed:
        parsed = parsed["record"]
    if not isinstance(parsed, dict):
        raise UsageError(f"{name} holds no JSON object; give one record.")
    try:
        description = Description.model_validate(parsed)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{name}: {field}: {first['msg'].lower()}.") from None
    if description.schemaVersion != SCHEMA_VERSION:
        raise UsageError(
            f"{name} has schemaVersion {description.schemaVersion}; "
            f"only {SCHEMA_VERSION} is understood."
        )
    return description


def import_description(layout: Layout, description: Description, slug: str | None = None) -> Draft:
    """Write the draft of a record and an example to be filled in; nothing is overwritten.

    Args:
        layout: the checkout.
        description: what to import.
        slug: FAMILY/NAME; by default from the description's repository and slug.

    Raises:
        UsageError: the slug is malformed or taken, or the description cannot make a record.
    """
    slug = slug or default_slug(description)
    record_path, folder = vacant(layout, slug)
    code = unused_code(layout)
    record, missing = draft(description, code, places(slug, Kind.RAISES))
    dumped = yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=96)
    _, again = parse_yaml(dumped, slug)
    try:
        ErrorRecord.model_validate(again)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"no record can be made of it: {field}: {first['msg']}.") from None
    files = {record_path.name: _HEADER + dumped, **scripts(slug, Kind.RAISES)}
    place(layout, record_path, folder, files)
    paths = [record_path, *(folder / name for name in files if name != record_path.name)]
    return Draft(code, slug, paths, missing)


def default_slug(description: Description) -> str:
    """FAMILY/NAME from the repository's name and the description's slug or message."""
    family = _slug((description.repo or "imported").rpartition("/")[2]) or "imported"
    name = _slug(description.slug or "") or _slug(description.errorMessage) or "error"
    return f"{family}/{name}"


def draft(
    description: Description, code: str, requires: list[str]
) -> tuple[dict[str, Any], list[str]]:
    """The record as plain data, and what is missing in it, as sentences.

    Args:
        description: what is drafted from.
        code: of the record.
        requires: the places where its example runs.
    """
    template, guessed = template_of(description.errorMessage)
    package = _slug((description.repo or "").rpartition("/")[2])
    sites = _sites(description, package)
    title = template if len(template) <= 60 else template[:57] + "..."
    record = {
        "code": code,
        "title": f"{PLACEHOLDER}: {_plain(title)}",
        "kind": Kind.RAISES.value,
        "exceptions": [_matching(_CLASS, description.errorClass) or "Exception"],
        "messages": [
            {
                "template": template,
                "software": package or PLACEHOLDER,
                "versions": "*",
                "origin": "report",
                "reference": _plain(description.githubUrl) or f"{PLACEHOLDER}: where it was seen",
            }
        ],
        "sites": sites,
        **_sentences(description),
        "tags": [tag for tag in map(_slug, description.tags or []) if tag][:MAX_SENTENCES],
        "example": {"requires": requires},
        **_classes(description),
        "history": [
            {
                "version": __version__,
                "date": datetime.datetime.now(tz=datetime.UTC).date(),
                "change": f"{PLACEHOLDER}: drafted from an imported description.",
            }
        ],
    }
    return record, _missing(description, guessed, package=bool(package), sites=bool(sites))


def _sentences(description: Description) -> dict[str, Any]:
    """The fields that people read, every sentence with the mark."""
    return {
        "meaning": _marked(description.documentation, "what it means"),
        "triggers": [
            {"when": _marked(description.triggerScenarios, "when it happens"), "case": "before"}
        ],
        "situations": _each(description.commonSituations),
        "fixes": [
            {"title": _marked(each, "the fix"), "when": f"{PLACEHOLDER}: when this is the fix"}
            for each in (description.solutions or [""])[:MAX_SENTENCES]
        ],
        "prevention": [
            _marked(each, "prevention")
            for each in (description.preventionTips or [])[:MAX_SENTENCES]
        ],
    }


def _classes(description: Description) -> dict[str, Any]:
    """The fields that programs read; a value that a record does not know becomes the usual one."""
    return {
        "severity": _known(description.severity, ("error", "warning", "fatal"), "error"),
        "error_type": _known(description.errorType, _options(ErrorRecord, "error_type"), "runtime"),
        "handling": {
            "strategy": _known(
                description.handlingStrategy, _options(Handling, "strategy"), "propagate"
            ),
            "background_tag": _slug(description.backgroundTag or "")
            or f"{PLACEHOLDER}: the general class of the mistake",
        },
    }


def _missing(
    description: Description, guessed: list[str], *, package: bool, sites: bool
) -> list[str]:
    """What a person has to do before the draft is a record."""
    missing = [
        "before.py and after.py: write them, and execute them with errorkb verify",
        "every sentence marked " + PLACEHOLDER + ": execute what it says, then write it anew",
    ]
    if guessed:
        missing.append(f"the types of the placeholders {', '.join(guessed)}")
    if not package:
        missing.append("messages: the software that prints it")
    if not _matching(_CLASS, description.errorClass):
        missing.append("exceptions: the class that is raised")
    where = "the function and the condition" if sites else "where it is raised"
    return [*missing, f"sites: {where}", "messages: the versions that print it"]


def template_of(message: str) -> tuple[str, list[str]]:
    """A message in f-string notation as a template, and the placeholders whose type is a guess.

    `{T}` becomes `{T:str}`; an expression such as `{(1, T, H)}` becomes `{value1:str}`, since a
    template has plain names; braces that do not pair up are literal.
    """
    message = " ".join(clean(message).split())[:MAX_SENTENCE]
    parts: list[str] = []
    names: list[str] = []
    position = 0
    while position < len(message):
        begin = message.find("{", position)
        end = message.find("}", begin) if begin >= 0 else -1
        if end < 0:
            break
        inside = message[begin + 1 : end].strip()
        if not inside or "{" in inside:
            parts.append(_literal(message[position : begin + 1]))
            position = begin + 1
            continue
        name = inside if _IDENTIFIER.fullmatch(inside) else f"value{len(names) + 1}"
        parts += [_literal(message[position:begin]), f"{{{name}:str}}"]
        names.append(name)
        position = end + 1
    parts.append(_literal(message[position:]))
    template = "".join(parts)
    if not any(part.strip() for part in parts if not part.endswith(":str}")):
        template = f"{PLACEHOLDER} {template}"
    return template, list(dict.fromkeys(names))


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _sites(description: Description, package: str) -> list[dict[str, Any]]:
    path = _plain(description.filePath)
    if not path or not package:
        return []
    site: dict[str, Any] = {"package": package}
    if commit := _matching(_COMMIT, description.analyzedSha):
        site["commit"] = commit
    site["path"] = path
    if description.lineNumber is not None and description.lineNumber > 0:
        site["line"] = description.lineNumber
    return [
        site
        | {
            "function": f"{PLACEHOLDER}: the qualified name",
            "condition": f"{PLACEHOLDER}: when it raises",
        }
    ]


def _marked(text: str | None, what: str) -> str:
    """Imported text behind the mark, or the mark and what is wanted."""
    plain = _plain(text)
    return (
        f"{PLACEHOLDER}, imported and not executed: {plain}" if plain else f"{PLACEHOLDER}: {what}"
    )


def _each(text: str | None) -> list[str]:
    return [_marked(text, "")] if _plain(text) else []


def _plain(text: str | None) -> str:
    return " ".join(clean(text or "").split())[:MAX_SENTENCE]


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("-", text.lower()).strip("-")[:60].strip("-")


def _matching(pattern: re.Pattern[str], text: str | None) -> str | None:
    return text if text and pattern.fullmatch(text) else None


def _known(value: str | None, options: tuple[str, ...], otherwise: str) -> str:
    return value if value in options else otherwise


def _options(model: type[BaseModel], field: str) -> tuple[str, ...]:
    """The values that a field of ours may have."""
    return get_args(model.model_fields[field].annotation)
