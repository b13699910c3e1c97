"""The site's data as JSON: our own form, and the schemaVersion 2 form of other collections.

`api/errors/<code>.json` holds the record, its example files, their difference and every result.
`api/errors/<code>.v2.json` has the fields of schemaVersion 2 for consumers of that form, filled
from the record and its example; a field without a true value is null. `api/index.json` lists all
records. Addresses inside are relative to the root of the site.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from errorkb.model import AFTER, BEFORE, ErrorRecord, Fix, Message
from errorkb.model import Site as RaisedAt
from errorkb.pattern import Template
from errorkb.render.record_page import RecordPage
from errorkb.render.site import Site
from errorkb.render.source import GITHUB, github
from errorkb.render.text import clean, template_text
from errorkb.render.views import Evidence

SCHEMA = 1
SCHEMA_VERSION_2 = 2

_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()/]")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_NUMBER = r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_PATTERNS = {
    "int": r"([-+]?\d+)",
    "float": _NUMBER,
    "word": r"(\S+)",
    "name": r"([\w.]+)",
    "shape": r"((?:torch\.Size\()?[(\[][\d, -]*[)\]]\)?)",
    "dtype": r"((?:struct )?[\w.:]+)",
    "device": r"(\w+(?::\d+)?)",
    "size": r"([\d.]+ [KMGT]?i?[Bb](?:ytes?)?)",
    "text": r"([\s\S]*)",
}
"""A placeholder's type as a regular expression, for consumers that match with those."""


def files(site: Site) -> dict[str, str]:
    """Path below docs/ → JSON text, for every record and the index."""
    version = dataset_version(site.pages)
    out = {"api/index.json": _text(_index(site, version))}
    for page in site.pages:
        base = f"api/errors/{page.code}"
        out[f"{base}.json"] = _text(own_form(page, version))
        out[f"{base}.v2.json"] = _text({"record": form_2(page), "datasetVersion": version})
    return out


def dataset_version(pages: Iterable[RecordPage]) -> str:
    """When the data last changed: the newest result or history entry, as UTC with milliseconds."""
    return _timestamp(max(_changed(page) for page in pages))


def own_form(page: RecordPage, version: str) -> dict[str, Any]:
    """One record in our form."""
    cases = [trigger.case for trigger in page.record.triggers if trigger.case]
    own = [recipe.script for recipe in page.record.recipes]
    names = dict.fromkeys([BEFORE, AFTER, *cases, *own, "guard"])
    scripts = {name: page.script(name) for name in names}
    return {
        "schema": SCHEMA,
        "datasetVersion": version,
        "code": page.code,
        "slug": page.slug,
        "status": page.status.value,
        "url": f"errors/{page.slug}/",
        "permalink": f"e/{page.code}/",
        "record": page.record.model_dump(mode="json", exclude={"code"}),
        "example": {name: script for name, script in scripts.items() if script is not None},
        "diff": page.diff or None,
        "diagnosed": page.diagnosed,
        "results": [_result(each) for each in page.evidence],
        "surveys": [_result(each) for each in page.surveys],
    }


def form_2(page: RecordPage) -> dict[str, Any]:
    """One record with the fields of schemaVersion 2.

    The place is the first site at a public commit, so that a consumer finds the file and line it
    knows; where there is none, it is the first site, with our own source around it.
    """
    record = page.record
    pinned = next((site for site in record.sites if github(site)), None)
    own = next((view for view in page.sites if view.excerpt), None) if pinned is None else None
    at = pinned or (own.site if own else next(iter(record.sites), None))
    wording = _wording(record, at)
    source, start, end = own.excerpt if own and own.excerpt else (None, None, None)
    return {
        "id": hashlib.sha256(page.code.encode()).hexdigest()[:16],
        "repo": GITHUB.get(at.package, at.package) if at else None,
        "slug": _slug(template_text(wording.template) if wording else record.title),
        "errorCode": page.code,
        "errorMessage": template_text(wording.template) if wording else record.title,
        "messagePattern": pattern(wording.template) if wording else None,
        "errorType": record.error_type,
        "errorClass": _class(record, at),
        "httpStatus": None,
        "severity": record.severity,
        "filePath": at.path if at else None,
        "lineNumber": start_line(page, at),
        "sourceCode": source,
        "sourceCodeStart": start,
        "sourceCodeEnd": end,
        "githubUrl": github(at) if at else None,
        "documentation": record.meaning,
        "triggerScenarios": " ".join(trigger.when for trigger in record.triggers),
        "commonSituations": " ".join(record.situations),
        "solutions": [_solution(fix) for fix in record.fixes],
        "exampleFix": _example_fix(page),
        "handlingStrategy": record.handling.strategy,
        "validationCode": page.guard,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": record.prevention,
        "tags": record.tags,
        "backgroundTag": record.handling.background_tag,
        "analyzedSha": at.commit if at else None,
        "analyzedAt": _timestamp(_changed(page)),
        "schemaVersion": SCHEMA_VERSION_2,
    }


def pattern(template: str) -> str:
    """A template as a regular expression that Python and JavaScript read alike, anchored."""
    out = []
    for piece in Template.parse(template).pieces:
        if isinstance(piece, str):
            out.append(_SPECIAL.sub(r"\\\g<0>", piece))
        else:
            out.append(_PATTERNS.get(piece.type, r"(.*?)"))
    return f"^{''.join(out)}$"


def start_line(page: RecordPage, at: RaisedAt | None) -> int | None:
    """The line of a site: the recorded one, or where our source raises today."""
    if at is None:
        return None
    return at.line or next((view.line for view in page.sites if view.site is at), None)


def _index(site: Site, version: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "datasetVersion": version,
        "records": [
            {
                "code": page.code,
                "slug": page.slug,
                "kind": page.record.kind.value,
                "title": page.record.title,
                "status": page.status.value,
                "withdrawn": page.record.withdrawn is not None,
                "exceptions": page.record.exceptions,
                "messages": [message.template for message in page.record.messages],
                "url": f"errors/{page.slug}/",
                "json": f"api/errors/{page.code}.json",
                "json_v2": f"api/errors/{page.code}.v2.json",
            }
            for page in site.pages
        ],
    }


def _result(each: Evidence) -> dict[str, Any]:
    environment = each.environment.model_dump(mode="json", exclude_none=True)
    result = each.cell.result
    return {
        "environment": environment,
        "item": each.item,
        "state": each.state.value,
        **(
            result.model_dump(mode="json", exclude={"code", "slug", "item"})
            if result is not None
            else {}
        ),
    }


def _wording(record: ErrorRecord, at: RaisedAt | None) -> Message | None:
    """The wording that the software of the place prints, or the first."""
    for message in record.messages:
        if at is not None and message.software == at.package:
            return message
    return next(iter(record.messages), None)


def _class(record: ErrorRecord, at: RaisedAt | None) -> str | None:
    """The class that is raised there: another package knows only what is not this package's own."""
    names = record.exceptions
    if at is not None:
        names = [
            name
            for name in names
            if "." not in name or name.partition(".")[0] == at.package or at.package == "torch"
        ] or names
    return names[0].rpartition(".")[2] if names else None


def _solution(fix: Fix) -> str:
    return f"{fix.title}. {fix.detail}" if fix.detail else f"{fix.title}: {fix.when}"


def _example_fix(page: RecordPage) -> str | None:
    """The changed lines of the example, as `# before … # after …`."""
    lines = page.diff.splitlines()
    before = [line[1:] for line in lines if line.startswith("-")]
    after = [line[1:] for line in lines if line.startswith("+")]
    if not lines:
        return None
    return "\n".join(["# before", *before, "# after", *after])


def _changed(page: RecordPage) -> datetime.datetime:
    """When a record's data last changed."""
    midnight = datetime.time(tzinfo=datetime.UTC)
    dates = [datetime.datetime.combine(each.date, midnight) for each in page.record.history]
    dates += [each.cell.result.date for each in page.evidence if each.cell.result is not None]
    return max(each if each.tzinfo else each.replace(tzinfo=datetime.UTC) for each in dates)


def _timestamp(moment: datetime.datetime) -> str:
    utc = moment.astimezone(datetime.UTC)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("-", clean(text).lower()).strip("-")[:60].strip("-")


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
