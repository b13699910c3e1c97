"""Compact search entries for the records, appended to the index of a built site.

The theme indexes whole pages, which finds few pasted messages and grows with the text; record pages
are therefore left out of its index, and each record gets one entry of its wordings and title.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from errorkb.errors import UsageError
from errorkb.render.output import replace
from errorkb.render.text import clean, template_text
from errorkb.store import Library

INDEX = Path("search", "search_index.json")


def append_records(library: Library, site: Path) -> int:
    """Add one entry per record to a built site, in place of earlier ones; returns how many.

    Raises:
        UsageError: `site` is not a built site.
    """
    path = site / INDEX
    try:
        index: Any = json.loads(path.read_bytes())
        documents = [each for each in index["docs"] if isinstance(each["location"], str)]
    except OSError:
        raise UsageError(f"there is no {path}; build the site first: mkdocs build") from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{path} is not a search index; build the site again") from None
    entries = [_entry(library, slug) for slug in library.records]
    ours = {each["location"] for each in entries}
    index["docs"] = [each for each in documents if each["location"] not in ours] + entries
    replace(path, json.dumps(index, ensure_ascii=False, separators=(",", ":")).encode())
    return len(entries)


def _entry(library: Library, slug: str) -> dict[str, str]:
    """The theme shows `title` and `text` as HTML."""
    record = library.records[slug]
    wordings = dict.fromkeys(template_text(each.template) for each in record.messages)
    words = [*wordings, *record.exceptions, slug.replace("/", " ").replace("-", " ")]
    return {
        "location": f"errors/{slug}/",
        "title": escape(f"{clean(record.title)} ({record.code})"),
        "text": " ".join(f"<p>{escape(' '.join(clean(each).split()))}</p>" for each in words),
    }
