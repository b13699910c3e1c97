"""From records, examples and ledgers to the files of the site's `docs/`.

    plan(library)                     every file as bytes, in memory; the same input, the same bytes
    output.write(files, docs)         bring docs/ to that state and remove what is gone
    output.differences(files, docs)   what `write` would change
    search.append_records(...)        one compact search entry per record in a built site

Nothing flows back: a page holds nothing that the records and the ledgers do not.
"""

from __future__ import annotations

from errorkb.store import Library


def plan(library: Library) -> dict[str, bytes]:
    """See `errorkb.render.pages.plan`.

    Raises:
        ModuleNotFoundError: the extra errorkb[docs] is not installed.
    """
    from errorkb.render.pages import plan as plan_files

    return plan_files(library)
