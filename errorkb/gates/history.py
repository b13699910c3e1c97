"""Gate 4: codes are append-only against the main branch.

A code names a meaning for ever. Stages: find the revision to compare with; read the records of that
revision; each of its codes must still be there, under the same slug or with the old slug in
`redirects_from`, and must still mean the same; each of its redirects must still lead somewhere.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from errorkb.errors import UsageError
from errorkb.gates.finding import Finding, Severity, Tree
from errorkb.model import ErrorRecord

_RECORDS = "errorkb/records"
_CANDIDATES = ("origin/main", "main")


@dataclass(frozen=True)
class _Old:
    """What an earlier revision said of a code. Read leniently: the model may have changed since."""

    code: str
    slug: str
    title: str
    templates: frozenset[str]
    redirects: tuple[str, ...]


def append_only(tree: Tree) -> Iterator[Finding]:
    """Gate 4: no code of the compared revision is gone, reused or moved without a redirect."""
    try:
        base = _base(tree)
    except FileNotFoundError:
        yield _notice("git is not installed")
        return
    if base is None:
        yield _notice(f"{tree.root} has no main branch or earlier commit to compare with")
        return
    texts = _texts(tree.root, base)
    for slug, text in texts.items():
        path = tree.library.layout.records / f"{slug}.yaml"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        old = _parse(slug, text)
        if old is not None:
            yield from _compare(tree, old, base)


def _compare(tree: Tree, old: _Old, base: str) -> Iterator[Finding]:
    library = tree.library
    slug = library.by_code.get(old.code)
    path = f"{_RECORDS}/{old.slug}.yaml"
    if slug is None:
        taken = library.records.get(old.slug)
        now = f"; {old.slug} now has {taken.code}" if taken else ""
        yield Finding(
            4,
            path,
            1,
            f"{old.code} ({old.title}) is gone{now}; a withdrawn record stays, with "
            "`withdrawn: <why>`, and codes are never renumbered.",
            f"git checkout {base} -- {path}",
        )
        return
    record = library.records[slug]
    if slug != old.slug and old.slug not in record.redirects_from:
        yield tree.at_record(
            4,
            slug,
            "code",
            f"{old.code} was {old.slug} and is now {slug}; a renamed record redirects from its old "
            "slug, and another error needs another code.",
            repair=f"redirects_from: [{', '.join([*record.redirects_from, old.slug])}]",
        )
    elif _means_another(old, record):
        yield tree.at_record(
            4,
            slug,
            "code",
            f"{old.code} was {old.title!r} and now has another title and none of its messages; a "
            "code keeps its meaning, so withdraw it and give this error a new code.",
            repair=f"git checkout {base} -- {path}",
        )
    for former in old.redirects:
        if library.slug_of(former) is None:
            yield tree.at_record(
                4,
                slug,
                "redirects_from",
                f"{former} redirected here and no longer does; published paths stay.",
                repair=f"redirects_from: [{', '.join([*record.redirects_from, former])}]",
            )


def _means_another(old: _Old, record: ErrorRecord) -> bool:
    now = {message.template for message in record.messages}
    return bool(old.templates) and old.title != record.title and not (old.templates & now)


def _base(tree: Tree) -> str | None:
    """The revision to compare with; where HEAD is main itself, its first parent if it has one."""
    if tree.against is not None:
        if (
            _git(tree.root, "rev-parse", "--verify", "--quiet", f"{tree.against}^{{commit}}")
            is None
        ):
            raise UsageError(f"git knows no revision '{tree.against}' in {tree.root}.")
        return tree.against
    head = _git(tree.root, "rev-parse", "HEAD")
    for candidate in _CANDIDATES:
        commit = _git(tree.root, "rev-parse", "--verify", "--quiet", f"{candidate}^{{commit}}")
        if commit is None:
            continue
        if commit != head or _git(tree.root, "status", "--porcelain", "--", _RECORDS):
            return candidate
        break
    return None if _git(tree.root, "rev-parse", "--verify", "--quiet", "HEAD^") is None else "HEAD^"


def _texts(root: Path, base: str) -> dict[str, str]:
    """The records of a revision: slug → text."""
    listed = _git(root, "ls-tree", "-r", "-z", "--name-only", base, "--", _RECORDS) or ""
    names = [name for name in listed.split("\0") if name.endswith(".yaml")]
    texts = {}
    for name in names:
        text = _git(root, "show", f"{base}:./{name}", strip=False)
        if text is not None:
            texts[name.removeprefix(f"{_RECORDS}/").removesuffix(".yaml")] = text
    return texts


def _parse(slug: str, text: str) -> _Old | None:
    try:
        data = yaml.safe_load(text)
        return _Old(
            code=data["code"],
            slug=slug,
            title=str(data["title"]),
            templates=frozenset(each["template"] for each in data.get("messages") or []),
            redirects=tuple(data.get("redirects_from") or ()),
        )
    except (yaml.YAMLError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None  # it was no record then, so it published no code


def _git(root: Path, *arguments: str, strip: bool = True) -> str | None:
    """The output of a git command in `root`; None where it fails."""
    # Inside a hook git sets GIT_DIR and GIT_INDEX_FILE, which would override `-C`.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(  # noqa: S603 - a fixed program, arguments passed as a list
        ["git", "-C", str(root), *arguments],  # noqa: S607 - the user's own git
        capture_output=True,
        check=False,
        env=environment,
    )
    if done.returncode != 0:
        return None
    text = done.stdout.decode("utf-8", "replace")
    return text.strip() if strip else text


def _notice(reason: str) -> Finding:
    return Finding(4, _RECORDS, 1, f"not checked: {reason}.", severity=Severity.NOTICE)
