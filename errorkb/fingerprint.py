"""Content hashes that tell whether a result still speaks of what is in the tree.

A hash covers what an execution depends on and nothing else: the record's executable claims, its
example files, and the sources of `kda_kernels` where a script imports it. Prose may be edited
without a new run.
"""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

from errorkb.model import ErrorRecord, Slug
from errorkb.store import Library

_DIGITS = 16


def fingerprint(library: Library, slug: Slug) -> str:
    """`<claims and example>` or `<claims and example>+<kernel sources>`, hexadecimal.

    The second part is present where an example file imports `kda_kernels`; it is `?` where the
    sources are not part of the layout.

    Raises:
        UsageError: an example file cannot be read.
    """
    record = library.records[slug]
    digest = hashlib.sha256(json.dumps(claims(record), sort_keys=True).encode())
    imports_kernels = False
    for name in [*library.items(slug), "guard"]:
        text = library.example_text(slug, name)
        if text is not None:
            digest.update(f"\0{name}\0{text}".encode())
            imports_kernels = imports_kernels or _imports_kernels(text)
    own = digest.hexdigest()[:_DIGITS]
    if not imports_kernels:
        return own
    kernels = library.layout.kernels
    return f"{own}+{_kernel_sources(kernels) if kernels is not None else '?'}"


def is_current(recorded: str, now: str) -> bool:
    """Whether a result with hash `recorded` speaks of content with hash `now`.

    Where the kernel sources are absent (an installed package), the example alone decides.
    """
    if now.endswith("+?"):
        return recorded.partition("+")[0] == now[: -len("+?")]
    return recorded == now


def claims(record: ErrorRecord) -> dict[str, object]:
    """What the runner checks a result against; all else in a record is prose."""
    claims: dict[str, object] = {
        "code": record.code,
        "kind": record.kind.value,
        "exceptions": record.exceptions,
        "messages": [message.template for message in record.messages],
        "cases": [trigger.case for trigger in record.triggers if trigger.case is not None],
    }
    if record.recipes:  # and no key where there are none: a new one would make all hashes stale
        recipes = [each.model_dump(mode="json", exclude={"shows"}) for each in record.recipes]
        claims["recipes"] = recipes
    if record.example is not None:
        example = record.example.model_dump(mode="json")
        for reason in (example["tolerance"] or {}, *example["waivers"]):
            reason.pop("reason", None)
        example["nothing_to_compare"] = example["nothing_to_compare"] is not None
        claims["example"] = example
    return claims


def _imports_kernels(text: str) -> bool:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # An example about syntax imports nothing.
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.split(".")[0] == "kda_kernels" for name in names):
            return True
    return False


@cache
def _kernel_sources(kernels: Path) -> str:
    digest = hashlib.sha256()
    package = kernels / "kda_kernels"
    for path in sorted(each for each in package.rglob("*.py") if each.is_file()):
        digest.update(f"\0{path.relative_to(package).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]
