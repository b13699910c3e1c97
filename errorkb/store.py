"""Load the records of a library, and say in one sentence what is wrong with a file.

Records are plain YAML: no tags, no anchors, no duplicate keys. Every refusal is a `UsageError`
that names the file and, where there is one, the line.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import yaml
from pydantic import ValidationError

from errorkb.errors import UsageError
from errorkb.layout import Layout
from errorkb.model import AFTER, BEFORE, Code, ErrorRecord, Item, Ledger, Slug

if TYPE_CHECKING:
    from yaml import SafeLoader as _Loader
else:
    _Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_FILE_BYTES = 256 * 1024
"""Records and example files are pages, not data: a larger one is a mistake."""

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")
# Controls but tab and line ends, and what reorders the text around it: what a reader sees would not
# be what is there.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_TEXT = "tag:yaml.org,2002:str"


@dataclass(frozen=True)
class Library:
    """All records of a layout.

    `records` is ordered by slug; `by_code` gives the slug of a code; `redirects` gives the slug
    that took the place of an earlier one.
    """

    layout: Layout
    records: Mapping[Slug, ErrorRecord]
    by_code: Mapping[Code, Slug]
    redirects: Mapping[Slug, Slug]

    def slug_of(self, code_or_slug: str) -> Slug | None:
        """The slug that a code, a slug or a former slug names; None where there is none."""
        name = code_or_slug.strip()
        if name in self.records:
            return name
        return self.redirects.get(name.lower(), self.by_code.get(name.upper()))

    def get(self, code_or_slug: str) -> ErrorRecord | None:
        """The record that a code, a slug or a former slug names; None where there is none."""
        slug = self.slug_of(code_or_slug)
        return None if slug is None else self.records[slug]

    def find(self, code_or_slug: str) -> tuple[Slug, ErrorRecord]:
        """The slug and the record that a code, a slug or a former slug names.

        Raises:
            UsageError: there is none; the text names the nearest.
        """
        slug = self.slug_of(code_or_slug)
        if slug is not None:
            return slug, self.records[slug]
        known = [*self.records, *self.by_code]
        near = difflib.get_close_matches(code_or_slug, known, n=3, cutoff=0.5)
        hint = f"; the nearest are {', '.join(near)}" if near else "; see errorkb list"
        raise UsageError(f"no record {code_or_slug!r}{hint}")

    def record_path(self, slug: Slug) -> Path:
        return self.layout.records / f"{slug}.yaml"

    def example_path(self, slug: Slug, item: str) -> Path:
        """The file of an item or of `guard`; it need not exist."""
        return self.layout.examples / slug / f"{item}.py"

    def example_text(self, slug: Slug, item: str) -> str | None:
        """The text of an example file, `guard` included; None where there is no such file.

        Raises:
            UsageError: the file is too large, not UTF-8, or a link out of the examples.
        """
        path = self.example_path(slug, item)
        if not path.exists() and not path.is_symlink():
            return None
        return read_text(path, within=self.layout.examples)

    def items(self, slug: Slug) -> list[Item]:
        """What is executed for a record: before, after, its triggers' own cases, its recipes."""
        record = self.records[slug]
        if record.example is None:
            return []
        cases = [trigger.case for trigger in record.triggers if trigger.case is not None]
        recipes = [recipe.item for recipe in record.recipes]
        return list(dict.fromkeys([BEFORE, AFTER, *cases, *recipes]))

    def scripts(self, slug: Slug) -> list[Item]:
        """The items that have a file of their own; recipes mostly run that of `before`."""
        shared = {each.item for each in self.records[slug].recipes if each.script != each.item}
        return [item for item in self.items(slug) if item not in shared]

    def ledgers(self) -> list[Ledger]:
        """The committed ledgers, by environment name.

        Raises:
            UsageError: a ledger file cannot be read as one.
        """
        from errorkb.ledger import read_all

        return read_all(self.layout)


def load(layout: Layout) -> Library:
    """Read and validate every record of `layout`.

    Raises:
        UsageError: a file is malformed, too large, not UTF-8, a link out of the tree or misplaced;
            two records share a code or a former slug; there are no records.
    """
    records: dict[Slug, ErrorRecord] = {}
    by_code: dict[Code, Slug] = {}
    redirects: dict[Slug, Slug] = {}
    for slug, path in _record_files(layout):
        record = load_record(path, within=layout.records)
        if record.code in by_code:
            raise UsageError(
                f"{path}: code {record.code} already belongs to {by_code[record.code]}; "
                f"codes are permanent, so give the newer record another"
            )
        records[slug] = record
        by_code[record.code] = slug
    if not records:
        raise UsageError(f"no records under {layout.records}; errorkb new FAMILY/NAME writes one")
    for slug, record in records.items():
        for former in record.redirects_from:
            taken = slug if former in records else redirects.get(former)
            if taken is not None:
                raise UsageError(
                    f"{layout.records / slug}.yaml: redirects_from names {former}, which is "
                    f"{'a record' if former in records else f'already redirected to {taken}'}"
                )
            redirects[former] = slug
    return Library(
        layout, MappingProxyType(records), MappingProxyType(by_code), MappingProxyType(redirects)
    )


def load_record(path: Path, *, within: Path) -> ErrorRecord:
    """Read and validate one record file, which must lie inside `within`.

    Raises:
        UsageError: see `load`.
    """
    node, data = parse_yaml(read_text(path, within=within), str(path))
    try:
        return ErrorRecord.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{path}:{_sentence(error, node)}") from None


def read_text(path: Path, *, within: Path) -> str:
    """The text of a small UTF-8 file.

    Raises:
        UsageError: it is not a regular file, resolves to a place outside `within`, is larger than
            `MAX_FILE_BYTES`, is not UTF-8, holds unseen characters or cannot be read.
    """
    # Of links in a circle, which Path.resolve refuses, this names one, and that is no file.
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(within)):
        raise UsageError(f"{path} is a link out of {within}; put the file itself there")
    if path.is_dir():
        raise UsageError(f"{path} is a directory; a file is needed there")
    if not path.is_file():
        raise UsageError(f"{path} is not a readable file")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(f"{path} is larger than {MAX_FILE_BYTES // 1024} KiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8 text") from None
    unseen = _UNSEEN.search(text)
    if unseen is not None:
        line = text.count("\n", 0, unseen.start()) + 1
        do = "write it as an escape" if path.suffix == ".py" else "leave it out"
        raise UsageError(f"{path}:{line}: {_named(unseen)} cannot be seen; {do}")
    return text


def _named(unseen: re.Match[str]) -> str:
    return f"the character U+{ord(unseen.group()):04X}"


def parse_yaml(text: str, name: str) -> tuple[yaml.Node, object]:
    """The node tree and the data of one YAML document; `name` begins each message.

    Raises:
        UsageError: malformed YAML, a tag, an alias, a duplicate or non-text key, too deep nesting.
    """
    try:
        loader = _Loader(text)
    except (UnicodeEncodeError, yaml.YAMLError):
        raise UsageError(f"{name}: not valid YAML: it holds what is no character") from None
    try:
        node = loader.get_single_node()
        if node is None:
            raise UsageError(f"{name} is empty")
        _refuse_surprises(node, name, loader)
        return node, loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}" if mark is not None else ""
        raise UsageError(f"{name}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{name}: not valid YAML: {' '.join(str(error).split())}") from None
    except ValueError as error:  # an impossible date such as 2026-13-40
        raise UsageError(f"{name}: not valid YAML: {error}") from None
    except RecursionError:
        raise UsageError(f"{name}: nested too deeply for a record") from None
    finally:
        loader.dispose()


def _refuse_surprises(root: yaml.Node, name: str, loader: _Loader) -> None:
    """Aliases can grow without bound, the last of duplicate keys would win silently, and a tag
    makes of a text what it does not look like, or fails to in many ways."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        line = node.start_mark.line + 1
        if id(node) in seen:
            raise UsageError(f"{name}:{line}: anchors and aliases are not used in records")
        seen.add(id(node))
        if node.tag != _plain_tag(node, loader):
            raise UsageError(f"{name}:{line}: tags such as {node.tag!r} are not used in records")
        if isinstance(node, yaml.ScalarNode):
            unseen = _UNSEEN.search(node.value)
            if unseen is not None:
                raise UsageError(f"{name}:{line}: {_named(unseen)} cannot be seen; leave it out")
        elif isinstance(node, yaml.MappingNode):
            keys: dict[str, int] = {}
            for key, value in node.value:
                key_line = key.start_mark.line + 1
                if not isinstance(key, yaml.ScalarNode) or key.tag != _TEXT:
                    raise UsageError(f"{name}:{key_line}: a key must be plain text")
                if key.value in keys:
                    raise UsageError(
                        f"{name}:{key_line}: key {key.value!r} is given twice "
                        f"(first on line {keys[key.value]})"
                    )
                keys[key.value] = key_line
                todo += [key, value]
        elif isinstance(node, yaml.SequenceNode):
            todo += node.value


def _plain_tag(node: yaml.Node, loader: _Loader) -> str:
    """The tag of a node to which the file gives none."""
    resolve: Callable[[type[yaml.Node], object, object], str] = loader.resolve
    if not isinstance(node, yaml.ScalarNode):
        return resolve(type(node), None, True)
    if node.style:  # quoted or a block
        return _TEXT
    return resolve(yaml.ScalarNode, node.value, (True, False))


def _sentence(error: ValidationError, root: yaml.Node) -> str:
    """`<line>: <path in the record>: <what is wrong>` of the first error."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown key"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    prefix = f" {where}:" if where else ""
    return f"{_line(root, first['loc'])}:{prefix} {message}{more}"


def _line(node: yaml.Node, location: tuple[int | str, ...]) -> int:
    """The line of the deepest node on the way to `location`, from 1."""
    line = node.start_mark.line + 1
    for part in location:
        child: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    line, child = key.start_mark.line + 1, value
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            child = node.value[part]
            line = child.start_mark.line + 1
        if child is None:
            break
        node = child
    return line


def _record_files(layout: Layout) -> Iterator[tuple[Slug, Path]]:
    if not layout.records.is_dir():
        raise UsageError(f"{layout.records} is not a directory; records lie there")
    for family in sorted(layout.records.iterdir()):
        if family.name.startswith((".", "__")):
            continue
        if not family.is_dir():
            raise UsageError(f"{family} is not expected; records lie in {layout.records}/FAMILY/")
        for path in sorted(family.iterdir()):
            if path.name.startswith((".", "__")):
                continue
            slug = f"{family.name}/{path.name.removesuffix('.yaml')}"
            if path.suffix != ".yaml" or not _SLUG.fullmatch(slug):
                raise UsageError(
                    f"{path} is not expected; a record is FAMILY/NAME.yaml in lower case "
                    f"letters, digits and single hyphens"
                )
            yield slug, path
