"""`errorkb new`: the files of a new record, complete but for what only its author knows.

What is written validates; each thing to fill in carries `PLACEHOLDER`, and `errorkb check` names
every one that is left. Where the kernels already raise the code, the message, the class and the
site come from their source.
"""

from __future__ import annotations

import datetime
import json
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from errorkb import __version__
from errorkb.errors import UsageError
from errorkb.harvest import RaiseSite, harvest
from errorkb.layout import IN_A_CHECKOUT, Layout
from errorkb.model import ErrorRecord, Kind, Place
from errorkb.store import parse_yaml

PLACEHOLDER = "FILL-IN"
SCHEMA = "errorkb/record.schema.json"

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")
_CODE = re.compile(r"EKB[0-9]{4}")
_KERNELS = "kda_kernels"
_CODES = 10_000

_REQUIRES = {
    Kind.COMPILE: "requires: [compile, gpu]",
    Kind.DEVICE: "requires: [gpu]\n  isolation: process\n"
    "recipes:\n"
    "  - tool: launch-blocking\n"
    f'    names: "{PLACEHOLDER}: the line of before.py that launches the guilty kernel"\n'
    f'    shows: "{PLACEHOLDER}: what the traceback ends at, in place of what"',
    Kind.ENVIRONMENT: "requires: [cpu]\n  isolation: process\n  nothing_to_compare: "
    f"{PLACEHOLDER}, or leave actual and expected in after.py",
}
# What the record says of an example that was run, and of none.
_EXECUTED = {
    "situation": "the situation that before.py shows",
    "case": "case: before",
    "fix": "what after.py does",
}
_DOCUMENTED = {
    "situation": "a situation in which it appears",
    "case": f'not_reproduced: "{PLACEHOLDER}: why it was not run"',
    "fix": "what to do",
    "execution": f'not_executed: "{PLACEHOLDER}: what it takes to run it that is not there"',
}
_ERROR_TYPE = {
    Kind.RAISES: "validation",
    Kind.SILENT: "numerical",
    Kind.COMPILE: "compile",
    Kind.DEVICE: "memory",
    Kind.ENVIRONMENT: "environment",
}

_RECORD = """\
# yaml-language-server: $schema=../../record.schema.json
code: {code}
title: {title}
kind: {kind}
{printed}{sites}meaning: >-
  {mark}: what the software expected and why, with names and units; what the message does not say.
triggers:
  - when: "{mark}: {situation}."
    {case}
fixes:
  - title: "{mark}: {fix}."
    when: "{mark}: when this is the fix to take."
prevention:
  - "{mark}: what keeps it from coming back; or remove `prevention`."
diagnosis: []
related: []
tags: []
{execution}
sources:
  - fact: "{mark}: what execution does not show; or remove `sources`."
    where: "{mark}: a URL, or a path in a package at a version."
severity: error
error_type: {error_type}
handling:
  strategy: validation
  background_tag: "{mark}: the general class of the mistake, such as invalid-shape-argument"
history:
  - version: {version}
    date: {date}
    change: Added.
"""

_KERNEL_SCRIPT = '''\
"""{mark}: what the user is doing, in one line; the same in before.py and after.py."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["beta"] = inputs["beta"]  # {mark}: {what}

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
'''

_TRITON_SCRIPT = '''\
"""{mark}: what the user is doing, in one line; the same in before.py and after.py."""

import torch
import triton
import triton.language as tl


@triton.jit
def doubled(x_ptr, out_ptr, N: tl.constexpr):
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + columns)
    tl.store(out_ptr + columns, x + x)  # {mark}: {what}


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, device=device)

actual = torch.empty_like(x)
doubled[(1,)](x, actual, N=8)
expected = 2 * x.double()
'''

_TORCH_SCRIPT = '''\
"""{mark}: what the user is doing, in one line; the same in before.py and after.py."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, device=device)

actual = x + x  # {mark}: {what}
expected = 2 * x.double()
'''


def new_record(
    layout: Layout,
    slug: str,
    *,
    kind: Kind,
    title: str | None = None,
    code: str | None = None,
    documented: bool = False,
) -> tuple[str, list[Path]]:
    """Write the record and the example of `slug`; returns its code and the files written.

    Args:
        layout: the checkout.
        slug: FAMILY/NAME.
        kind: how the error shows itself.
        title: what is wrong; to be filled in where it is None.
        code: one that the kernels already raise; a fresh one where it is None.
        documented: nothing can be run, so there is no example.

    Raises:
        UsageError: the slug is malformed or taken, the code is malformed or taken, `layout` is
            not a checkout, the title is no sentence, or an error that the kernels raise is not
            to be run. Nothing is written then.
    """
    record, folder = vacant(layout, slug)
    code = unused_code(layout, code)
    raised = _raised(layout, code)
    if raised and documented:
        raise UsageError(f"the kernels raise {code}, so it can be run; leave --documented out.")
    files = _files(slug, kind, title, code, raised, documented)
    _refuse_invalid(files[record.name], str(record))
    place(layout, record, folder, files)
    return code, [record, *(folder / name for name in files if name != record.name)]


def vacant(layout: Layout, slug: str) -> tuple[Path, Path]:
    """The record file and the example folder that a new record may take.

    Raises:
        UsageError: the slug is malformed or taken, or `layout` is not a checkout.
    """
    if layout.docs is None:
        raise UsageError(f"records are added in a checkout; {IN_A_CHECKOUT}.")
    if not _SLUG.fullmatch(slug):
        raise UsageError(
            f"'{slug}' is not FAMILY/NAME in lower-case letters, digits and single hyphens, "
            "such as kda/beta-shape."
        )
    record, folder = layout.records / f"{slug}.yaml", layout.examples / slug
    for path in (record, folder):
        if path.exists() or path.is_symlink():
            raise UsageError(f"{path} is there already; choose another name or edit that record.")
    return record, folder


def unused_code(layout: Layout, code: str | None = None) -> str:
    """`code`, or a fresh one where it is None.

    Raises:
        UsageError: `code` is malformed or has a record, or no code is left.
    """
    recorded = _codes_in(layout.records.rglob("*.yaml"))
    if code is None:
        sources = (layout.kernels or layout.root / "kernels").rglob("*.py")
        return _fresh_code(recorded | _codes_in(sources))
    if not _CODE.fullmatch(code):
        raise UsageError(f"'{code}' is not a code: EKB and four digits.")
    if code in recorded:
        raise UsageError(f"{code} has a record already; codes are never given twice.")
    return code


def schema_text() -> str:
    """The JSON Schema of a record, for editors."""
    return json.dumps(ErrorRecord.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def write_schema(layout: Layout) -> Path:
    """Write the schema into a checkout, whole or not at all; returns its path.

    Raises:
        UsageError: `layout` is not a checkout.
    """
    if layout.docs is None:
        raise UsageError(f"the schema is written into a checkout; {IN_A_CHECKOUT}.")
    path = layout.root / SCHEMA
    temporary = path.with_suffix(".tmp")
    temporary.write_text(schema_text(), encoding="utf-8")
    temporary.replace(path)
    return path


def scripts(slug: str, kind: Kind, *, kernels: bool = False) -> dict[str, str]:
    """before.py and after.py to be filled in.

    Args:
        slug: of the record; its family says what the script calls.
        kind: of the record.
        kernels: whether the kernels of this repository raise the error.
    """
    script = _script(slug, kind, kernels)
    return {
        "before.py": script.format(mark=PLACEHOLDER, what="the mistake, as a user makes it"),
        "after.py": script.format(mark=PLACEHOLDER, what="the fix, and no other difference"),
    }


def places(slug: str, kind: Kind, *, kernels: bool = False) -> list[str]:
    """Where those scripts show an error or wrong numbers at the faulty call."""
    on_the_cpu = _script(slug, kind, kernels) is _TORCH_SCRIPT
    return [(Place.CPU if on_the_cpu else Place.INTERPRETER).value, Place.GPU.value]


def _script(slug: str, kind: Kind, kernels: bool) -> str:
    if kernels or slug.startswith("kda/"):
        return _KERNEL_SCRIPT
    if slug.startswith("triton/") or kind in (Kind.COMPILE, Kind.DEVICE):
        return _TRITON_SCRIPT
    return _TORCH_SCRIPT


def _files(
    slug: str, kind: Kind, title: str | None, code: str, raised: list[RaiseSite], documented: bool
) -> dict[str, str]:
    """The text of each file by its name."""
    kernels = bool(raised)
    where = ", ".join(places(slug, kind, kernels=kernels))
    requires = _REQUIRES.get(kind, f"requires: [{where}]")
    said = _DOCUMENTED if documented else _EXECUTED | {"execution": f"example:\n  {requires}"}
    record = _RECORD.format(
        mark=PLACEHOLDER,
        code=code,
        title=json.dumps(
            title or f"{PLACEHOLDER}: what is wrong, not what was printed", ensure_ascii=False
        ),
        kind=kind.value,
        printed="" if kind is Kind.SILENT else _printed(raised, documented=documented),
        sites=_sites(raised),
        error_type=_ERROR_TYPE[kind],
        version=__version__,
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        **said,
    )
    example = {} if documented else scripts(slug, kind, kernels=kernels)
    return {f"{slug.split('/')[1]}.yaml": record, **example}


def _refuse_invalid(text: str, name: str) -> None:
    """A title, or a message that the kernels raise, can be what no record may hold."""
    try:
        ErrorRecord.model_validate(parse_yaml(text, name)[1])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"no record can be made of it: {field}: {first['msg']}.") from None


def _printed(raised: list[RaiseSite], *, documented: bool) -> str:
    """`exceptions` and `messages`."""
    if not raised:
        origin = (
            f"    origin: source  # {PLACEHOLDER}: or report, where it was not read in code\n"
            f'    reference: "{PLACEHOLDER}: a URL, or a path in a package at a version"\n'
            if documented
            else "    origin: executed\n"
        )
        return (
            f"exceptions:\n"
            f"  - RuntimeError  # {PLACEHOLDER}: the class as the traceback prints it\n"
            f"messages:\n"
            f'  - template: "{PLACEHOLDER}: the message; {{n:int}} a number, {{what:str}} text"\n'
            f"    software: {PLACEHOLDER}\n"
            f'    versions: "*"\n'
            f"{origin}"
        )
    classes = dict.fromkeys(f"{_KERNELS}.errors.{site.exception}" for site in raised)
    lines = ["exceptions:", *(f"  - {each}" for each in classes), "messages:"]
    for template in dict.fromkeys(site.template or "" for site in raised):
        typed = re.sub(r"(?<!\{)\{(\w+)\}(?!\})", r"{\1:str}", template)
        lines += [
            f"  - template: {json.dumps(typed, ensure_ascii=False)}  # {PLACEHOLDER}: the types",
            f"    software: {_KERNELS}",
            f'    versions: ">={__version__.rpartition(".")[0]}"',
            "    origin: executed",
        ]
    return "\n".join(lines) + "\n"


def _sites(raised: list[RaiseSite]) -> str:
    if not raised:
        return ""
    lines = ["sites:"]
    for site in raised:
        lines += [
            f"  - package: {_KERNELS}",
            f"    path: {site.path}",
            f"    function: {site.function}",
            f"    condition: {json.dumps(site.condition, ensure_ascii=False)}",
        ]
    return "\n".join(lines) + "\n"


def _raised(layout: Layout, code: str) -> list[RaiseSite]:
    if layout.kernels is None or not (layout.kernels / _KERNELS).is_dir():
        return []
    return [site for site in harvest(layout.kernels / _KERNELS).sites if site.code == code]


def _codes_in(paths: Iterable[Path]) -> set[str]:
    """Every code that the files mention. The files need not be valid."""
    return {
        code
        for path in paths
        if path.is_file()
        for code in _CODE.findall(path.read_text(encoding="utf-8", errors="replace"))
    }


def _fresh_code(taken: set[str]) -> str:
    free = sorted({f"EKB{number:04}" for number in range(_CODES)} - taken)
    if not free:
        raise UsageError("every code is taken.")
    return secrets.choice(free)


def place(layout: Layout, record: Path, folder: Path, files: dict[str, str]) -> None:
    """Put the record and the example folder in their places, both or neither.

    Where the record is the only file, there is no folder.

    Args:
        layout: the checkout.
        record: where the file of that name goes.
        folder: where all other files go.
        files: text by name.
    """
    with tempfile.TemporaryDirectory(dir=layout.root, prefix=".new-") as name:
        staging = Path(name)
        (staging / "example").mkdir()
        for file, text in files.items():
            target = staging if file == record.name else staging / "example"
            (target / file).write_text(text, encoding="utf-8")
        record.parent.mkdir(parents=True, exist_ok=True)
        example = len(files) > 1
        if example:
            folder.parent.mkdir(parents=True, exist_ok=True)
            (staging / "example").rename(folder)
        try:
            (staging / record.name).rename(record)
        except BaseException:
            if example:
                shutil.rmtree(folder)
            raise
