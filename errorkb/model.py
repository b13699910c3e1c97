"""The record of one error, and the ledger of what was executed.

A record is a YAML file written by people; the ledger is a JSON file written by `errorkb verify`.
Both are plain data: nothing in them is evaluated, and every model forbids unknown keys.
"""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from errorkb.diagnosis import parse_expression
from errorkb.errors import UsageError
from errorkb.pattern import Template

Code = Annotated[str, StringConstraints(pattern=r"^EKB[0-9]{4}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")]
Item = Annotated[
    str,
    StringConstraints(pattern=r"^(before|after|(trigger|recipe)_[a-z0-9]+(_[a-z0-9]+)*)$"),
]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$")]

BEFORE: Item = "before"
AFTER: Item = "after"


class Strict(BaseModel):
    """A model whose file may not hold a key that the model does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Kind(StrEnum):
    """How the error shows itself."""

    RAISES = "raises"
    """A Python exception at the faulty call."""
    COMPILE = "compile"
    """The kernel does not compile."""
    DEVICE = "device"
    """An asynchronous CUDA error, reported at a later call."""
    SILENT = "silent"
    """No error at all: the numbers are wrong."""
    ENVIRONMENT = "environment"
    """The installation, the driver or a file system, not the program."""


class Place(StrEnum):
    """Where an example can be executed."""

    GPU = "gpu"
    INTERPRETER = "interpreter"
    """On CPU tensors through Triton's interpreter (TRITON_INTERPRET=1)."""
    COMPILE = "compile"
    """Compiled for a GPU that is absent; nothing is launched and no number is checked."""
    CPU = "cpu"
    """Neither interpreter nor GPU."""


class Status(StrEnum):
    """What the ledgers say about a record today."""

    VERIFIED = "verified"
    STALE = "stale"
    DOCUMENTED = "documented"
    FAILED = "failed"


class Message(Strict):
    """One wording of the error, as a template with typed placeholders such as `{T:int}`.

    The template language is `errorkb.pattern`'s. `origin` says how the wording is known:
    `executed` (an example here printed it), `source` (read in released sources) or `report`
    (seen in a public report); the last two name a `reference`.
    """

    template: Annotated[str, StringConstraints(min_length=3)]
    software: str
    versions: str
    """PEP 440 specifier of the versions that print it, e.g. `>=3.6`; `*` where it is not known."""
    origin: Literal["executed", "source", "report"]
    reference: str | None = None
    when: str | None = None
    """Arithmetic over the captures that must hold, where records share a wording and the numbers
    tell them apart (see `errorkb.diagnosis`)."""

    @model_validator(mode="after")
    def _origin_has_its_reference(self) -> Self:
        if self.origin != "executed" and not self.reference:
            raise ValueError(f"a message of origin '{self.origin}' needs a `reference`")
        return self


class Site(Strict):
    """Where the error is raised."""

    package: str
    version: str | None = None
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,40}$")] | None = None
    path: str
    line: Annotated[int, Field(gt=0)] | None = None
    function: str
    """Qualified name within the module, e.g. `Class.method`."""
    condition: str
    """The guard: the source text of the condition for our own sites, a sentence for others."""


class Trigger(Strict):
    """A situation in which the error appears, bound to the case that showed it."""

    when: Sentence
    case: Item | None = None
    not_reproduced: Sentence | None = None
    """Why this trigger was not executed; pages show it as such."""

    @model_validator(mode="after")
    def _executed_or_explained(self) -> Self:
        if (self.case is None) == (self.not_reproduced is None):
            raise ValueError("a trigger has either a `case` or a `not_reproduced` reason")
        if self.case == AFTER:
            raise ValueError("`after` is the fix and cannot be a trigger's case")
        if self.case is not None and self.case.startswith("recipe_"):
            raise ValueError("a recipe finds the launch and cannot be a trigger's case")
        return self


class Fix(Strict):
    """One way out. The first of a record is what after.py does."""

    title: Sentence
    when: Sentence
    """When this fix is the one to take."""
    detail: str | None = None


class Diagnosis(Strict):
    """What captured values mean: a sentence with `{expressions}` over the captures.

    `when` and the expressions are arithmetic over captured names (see `errorkb.diagnosis`); a rule
    without `when` always applies. Every rule whose names were captured and whose `when` holds
    speaks, in order.
    """

    say: Sentence
    when: str | None = None


class Source(Strict):
    """Where a fact comes from that execution does not show."""

    fact: Sentence
    where: Sentence
    """A URL, or a path in a package at a version or commit."""


class Waiver(Strict):
    """A case that is not run in one place, and why. A waiver that is not needed fails."""

    item: Item
    place: Place
    reason: Sentence


class Tolerance(Strict):
    """A bound other than the default of `errorkb.compare`, and why it is right."""

    relative: Annotated[float, Field(gt=0, lt=1)]
    reason: Sentence


class Example(Strict):
    """What `examples/<slug>/` needs in order to run."""

    requires: Annotated[list[Place], Field(min_length=1)]
    """The places where the example runs; it is executed in each of them."""
    compute_capability: Annotated[str, StringConstraints(pattern=r"^(>=|==|<)\d+\.\d$")] | None = (
        None
    )
    packages: dict[str, str] = Field(default_factory=dict)
    """Distributions the scripts import beyond torch, triton and kda-kernels → specifier."""
    isolation: Literal["fork", "process"] = "fork"
    """`process`: a fresh interpreter, for examples about imports and the environment."""
    timeout_seconds: Annotated[int, Field(gt=0, le=600)] = 120
    nothing_to_compare: Sentence | None = None
    """Why after.py leaves no `actual` and `expected`."""
    tolerance: Tolerance | None = None
    waivers: list[Waiver] = Field(default_factory=list)


class Met(StrEnum):
    """How often people meet an error, in the editors' judgement; pages list by it."""

    OFTEN = "often"
    SOMETIMES = "sometimes"
    RARELY = "rarely"


class Tool(StrEnum):
    """A way to run a script that names the launch to blame; see `errorkb.recipe`."""

    LAUNCH_BLOCKING = "launch-blocking"
    """Each launch waits for its kernel, so that the traceback ends at the guilty one."""
    MEMCHECK = "memcheck"
    """compute-sanitizer watches every access of every kernel."""
    DEVICE_ASSERTS = "device-asserts"
    """`tl.device_assert` in a Triton kernel stops at the condition that does not hold."""


class Recipe(Strict):
    """A tool that finds the guilty launch of an asynchronous error, executed as an item."""

    tool: Tool
    names: Annotated[str, StringConstraints(min_length=3)]
    """The line of the script that what the tool prints must name, as it stands there."""
    shows: Sentence
    """What a reader sees in the output, and where."""
    script: Item = BEFORE
    """`before`, or the recipe's own item where the script needs more than before.py has."""

    @property
    def item(self) -> Item:
        """Under what name it is executed."""
        return f"recipe_{self.tool.value.replace('-', '_')}"

    @model_validator(mode="after")
    def _runs_before_or_its_own(self) -> Self:
        if self.script not in (BEFORE, self.item):
            raise ValueError(f"the recipe of {self.tool} runs '{BEFORE}' or '{self.item}'")
        return self


class Handling(Strict):
    """How calling code should treat the error, in the terms of the seed schema."""

    strategy: Literal["validation", "configuration", "retry", "fallback", "propagate"]
    background_tag: str
    """The general class of the mistake, e.g. `invalid-shape-argument`."""


class Change(Strict):
    """One entry of a record's history."""

    version: str
    date: datetime.date
    change: Sentence


class ErrorRecord(Strict):
    """Everything that is known about one error.

    `code` names the meaning and is permanent; `redirects_from` lists the slugs under which the
    record was once published.
    """

    code: Code
    title: Sentence
    kind: Kind
    met: Met = Met.SOMETIMES
    exceptions: list[Identifier] = Field(default_factory=list)
    """Qualified class names, most specific first."""
    messages: list[Message] = Field(default_factory=list)
    sites: list[Site] = Field(default_factory=list)
    meaning: Sentence
    triggers: Annotated[list[Trigger], Field(min_length=1)]
    situations: list[Sentence] = Field(default_factory=list)
    """What people were doing when they met it."""
    fixes: Annotated[list[Fix], Field(min_length=1)]
    prevention: list[Sentence] = Field(default_factory=list)
    diagnosis: list[Diagnosis] = Field(default_factory=list)
    related: list[Slug] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    example: Example | None = None
    recipes: list[Recipe] = Field(default_factory=list)
    """How to find the launch to blame, where the error is reported at a later call."""
    not_executed: Sentence | None = None
    """Why a documented record has no executed example."""
    sources: list[Source] = Field(default_factory=list)
    severity: Literal["error", "warning", "fatal"]
    error_type: Literal["validation", "runtime", "compile", "environment", "numerical", "memory"]
    handling: Handling
    withdrawn: Sentence | None = None
    """Why the record was withdrawn; its code and page remain."""
    redirects_from: list[Slug] = Field(default_factory=list)
    history: Annotated[list[Change], Field(min_length=1)]

    @model_validator(mode="after")
    def _example_or_reason(self) -> Self:
        if (self.example is None) == (self.not_executed is None):
            raise ValueError("a record has either an `example` or a `not_executed` reason")
        if self.example is None and any(trigger.case for trigger in self.triggers):
            raise ValueError("a trigger has a `case` but the record has no `example`")
        return self

    @model_validator(mode="after")
    def _asynchronous_errors_have_recipes(self) -> Self:
        if self.example is None and self.recipes:
            raise ValueError("`recipes` run the example, and the record has none")
        if self.example is not None and self.kind is Kind.DEVICE and not self.recipes:
            raise ValueError("a record of kind 'device' needs `recipes` that find the launch")
        if len({recipe.tool for recipe in self.recipes}) != len(self.recipes):
            raise ValueError("`recipes` name a tool twice")
        return self

    @model_validator(mode="after")
    def _kind_has_what_it_needs(self) -> Self:
        if self.kind is not Kind.SILENT and not self.messages:
            raise ValueError(f"a record of kind '{self.kind}' needs `messages`")
        if self.kind is Kind.RAISES and not self.exceptions:
            raise ValueError("a record of kind 'raises' needs `exceptions`")
        if self.kind is Kind.SILENT and (self.messages or self.exceptions):
            raise ValueError("a silent record prints nothing: it has no messages or exceptions")
        return self

    @model_validator(mode="after")
    def _templates_parse(self) -> Self:
        try:
            for message in self.messages:
                names = Template.parse(message.template).names
                if message.when is not None:
                    parse_expression(message.when, names)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return self


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not-run"


class Environment(Strict):
    """The machine and software on which a ledger's results were obtained."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
    place: Place
    gpu: str | None = None
    compute_capability: str | None = None
    driver: str | None = None
    cuda: str | None = None
    torch: str | None = None
    triton: str | None = None
    numpy: str | None = None
    python: str
    platform: str
    commit: str | None = None
    date: datetime.datetime
    survey: bool = False
    """Made to see what another version prints: a failure there says that the version differs, and
    not that the record is wrong."""


class Result(Strict):
    """The outcome of one item in one environment.

    Items are `before`, `after`, `trigger_<name>` and `recipe_<tool>`.
    """

    code: Code
    slug: Slug
    item: Item
    outcome: Outcome
    reason: str | None = None
    """Why it failed or was not run; for a pass, what was not compared and why."""
    message: str | None = None
    """The exception as printed, class included; for a pass, the one that matched the record. For
    a recipe that passed, the lines that name the launch."""
    max_error: float | None = None
    """Largest |actual - expected| / max|expected|, dimensionless."""
    seconds: float
    hash: str
    """Content of record claims, example and the sources it runs; a mismatch means stale."""
    date: datetime.datetime


class Ledger(Strict):
    """All results of one environment: `errorkb/verification/<environment>.json`."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    environment: Environment
    results: list[Result]

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
