"""The view of one record page: every statement on it comes from the record or from a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

from errorkb.diagnosis import diagnose
from errorkb.harvest import RaiseSite
from errorkb.ledger import State
from errorkb.model import AFTER, BEFORE, ErrorRecord, Kind, Recipe, Status, Trigger
from errorkb.pattern import Template
from errorkb.recipe import COMMANDS, line_number
from errorkb.render.releases import (
    Difference,
    PrintedBy,
    as_claimed,
    differences,
    printed_by,
)
from errorkb.render.results import badge, sentences
from errorkb.render.source import SiteView, view
from errorkb.render.text import clean, shortened_template, template_text
from errorkb.render.views import (
    BADGES,
    KIND_LABELS,
    Badge,
    Evidence,
    Printed,
    diff,
    enumerated,
    printed,
    shortened,
)

if TYPE_CHECKING:
    from errorkb.diagnosis import Value

_STATUS = {
    Status.VERIFIED: Badge("verified", "ok"),
    Status.STALE: Badge("stale", "stale"),
    Status.DOCUMENTED: Badge("documented, not executed", "muted"),
    Status.FAILED: Badge("failed", "bad"),
}
_WORST_FIRST = ["bad", "stale", "ok", "muted"]


@dataclass(frozen=True)
class TriggerView:
    """One trigger and what its case did."""

    when: str
    sentence: str
    tone: str
    file: str
    script: str | None
    printed: str | None


@dataclass(frozen=True)
class RecipeView:
    """One recipe, and what its output named where it ran."""

    command: str
    shows: str
    names: str
    line: str
    sentence: str
    tone: str
    file: str
    script: str | None
    printed: list[Printed]


@dataclass(frozen=True)
class Examples:
    """The example files of a record: the text by item, `guard` included."""

    texts: dict[str, str]

    def text(self, item: str) -> str | None:
        """The text of an item, with clean line ends; None where there is no file."""
        found = self.texts.get(item)
        return None if found is None else clean(found).rstrip("\n")


class RecordPage:
    """What the templates ask about one record."""

    def __init__(
        self,
        slug: str,
        record: ErrorRecord,
        *,
        status: Status,
        evidence: Sequence[Evidence],
        examples: Examples,
        surveys: Sequence[Evidence] = (),
        raise_sites: Sequence[RaiseSite] = (),
        source_lines: dict[str, list[str]] | None = None,
    ) -> None:
        """Join them.

        `surveys` is what other releases do; `raise_sites` are ours that carry this record's code,
        and `source_lines` their files.
        """
        self.slug = slug
        self.record = record
        self.status = status
        self.evidence = list(evidence)
        self.surveys = list(surveys)
        self.related: list[RecordPage] = []
        self._examples = examples
        self._raise_sites = list(raise_sites)
        self._source_lines = source_lines or {}

    @property
    def code(self) -> str:
        """The permanent code."""
        return self.record.code

    @property
    def family(self) -> str:
        """The first part of the slug."""
        return self.slug.partition("/")[0]

    @property
    def heading(self) -> str:
        """What the error is called: its first wording, or the title where it prints nothing."""
        if self.record.messages:
            lines = [each for each in self.record.messages[0].template.splitlines() if each.strip()]
            return shortened_template(lines[0].strip())
        return self.record.title.replace("{", "{{").replace("}", "}}")

    @property
    def front_title(self) -> str:
        """For the front matter: theme templates put it into HTML as it is."""
        return escape(f"{self.code}: {clean(self.record.title)}")

    @property
    def front_description(self) -> str:
        """As `front_title`, for the description of the page."""
        return escape(f"{template_text(self.heading)}. {clean(self.record.fixes[0].title)}")

    @property
    def kind_label(self) -> str:
        """The kind in words."""
        return KIND_LABELS[self.record.kind]

    @property
    def kind_line(self) -> str:
        """What stands in the place of a class name where there is none."""
        return {
            Kind.SILENT: "no error, wrong numbers",
            Kind.COMPILE: "compilation error",
            Kind.DEVICE: "CUDA error",
        }.get(self.record.kind, "no exception class")

    @property
    def status_badge(self) -> Badge:
        """The one badge of a list."""
        return Badge("withdrawn", "muted") if self.record.withdrawn else _STATUS[self.status]

    @property
    def badges(self) -> list[Badge]:
        """One badge per environment of a ledger; the status where there is none."""
        grouped: dict[str, list[Evidence]] = {}
        for each in self.evidence:
            grouped.setdefault(each.label, []).append(each)
        return [badge(label, each) for label, each in grouped.items()] or [self.status_badge]

    def of(self, item: str) -> list[Evidence]:
        """What the ledgers say about one item."""
        return [each for each in self.evidence if each.item == item]

    def state_at(self, environment: str) -> State | None:
        """What one environment says about the record; None where it is not required there."""
        states = {each.state for each in self.evidence if each.environment.name == environment}
        for state in (State.FAILED, State.STALE, State.MISSING, State.PASSED, State.NOT_RUN):
            if state in states:
                return state
        return None

    def word_of(self, environment: str) -> Badge | None:
        """`state_at` as shown."""
        state = self.state_at(environment)
        return None if state is None else BADGES[state]

    @cached_property
    def printed(self) -> list[Printed]:
        """What BEFORE printed."""
        return self.printed_by(BEFORE)

    def printed_by(self, item: str) -> list[Printed]:
        """What an item printed, each wording once."""
        return printed(self.evidence, item)

    def script(self, item: str) -> str | None:
        """The text of an item's file, `guard` included; None where there is none."""
        return self._examples.text(item)

    @property
    def diagnosed(self) -> list[str]:
        """What the values of the printed message mean."""
        for each in self.of(BEFORE):
            captures = self._captures(each.message)
            if captures is not None:
                return diagnose(self.record.diagnosis, captures)
        return []

    def _captures(self, printed: str) -> Mapping[str, Value] | None:
        """The values in what was printed: class, colon, message, and perhaps notes below."""
        message = printed.partition(": ")[2]
        for candidate in (printed, message, message.partition("\n")[0]):
            for wording in self.record.messages:
                captures = Template.parse(wording.template).match(candidate)
                if captures is not None:
                    return captures
        return None

    @property
    def before(self) -> str | None:
        """The failing script."""
        return self._examples.text(BEFORE)

    @property
    def after(self) -> str | None:
        """The mended script."""
        return self._examples.text(AFTER)

    @property
    def diff(self) -> str:
        """From before to after; empty where one of them is missing."""
        return diff(self.before, self.after) if self.before and self.after else ""

    def sentences(self, item: str) -> list[str]:
        """What running an item showed; environments of which the same is true share a sentence."""
        return sentences(self.of(item), after=item == AFTER)

    @property
    def fix_sentence(self) -> str:
        """What running AFTER showed."""
        return " ".join(self.sentences(AFTER))

    @property
    def guard(self) -> str | None:
        """The prevention snippet."""
        return self._examples.text("guard")

    @property
    def guard_sentence(self) -> str:
        """The runner executes the guard after BEFORE and after AFTER; both passing means this."""
        where = [
            before.label
            for before in self.of(BEFORE)
            for after in self.of(AFTER)
            if before.label == after.label and before.state is after.state is State.PASSED
        ]
        if not where:
            return "Not executed with the current files."
        return f"Executed: rejects Before, accepts After ({enumerated(where)})."

    @property
    def triggers(self) -> list[TriggerView]:
        """Every trigger with its result."""
        return [self._trigger(each) for each in self.record.triggers]

    def _trigger(self, trigger: Trigger) -> TriggerView:
        if trigger.case is None:
            sentence = f"Not reproduced: {trigger.not_reproduced}"
            return TriggerView(trigger.when, sentence, "muted", "", None, None)
        own = trigger.case != BEFORE
        file = f"{trigger.case}.py"
        sentence = " ".join(self.sentences(trigger.case))
        lead = f"`{file}`" if own else f"`{file}`, the script above"
        messages = self.printed_by(trigger.case) if own else []
        return TriggerView(
            when=trigger.when,
            sentence=f"{lead}: {sentence}",
            tone=self._tone(trigger.case),
            file=file,
            script=self.script(trigger.case) if own else None,
            printed=shortened(messages[0].text) if messages else None,
        )

    def _tone(self, item: str) -> str:
        """Of the badges of an item's results, the tone that a reader must see."""
        tones = [each.badge.tone for each in self.of(item)]
        return min(tones, key=_WORST_FIRST.index, default="muted")

    @property
    def recipes(self) -> list[RecipeView]:
        """Every recipe with its result."""
        return [self._recipe(each) for each in self.record.recipes]

    def _recipe(self, recipe: Recipe) -> RecipeView:
        file = f"{recipe.script}.py"
        number = line_number(self.script(recipe.script) or "", recipe.names)
        return RecipeView(
            command=COMMANDS[recipe.tool].text(file),
            shows=recipe.shows,
            names=recipe.names,
            line=f"line {number} of {file}",
            sentence=" ".join(self.sentences(recipe.item)),
            tone=self._tone(recipe.item),
            file=file,
            script=self.script(recipe.script) if recipe.script != BEFORE else None,
            printed=self.printed_by(recipe.item),
        )

    @property
    def rows(self) -> list[list[Evidence]]:
        """The verification table: for each environment its items in their order."""
        return [
            [each for each in self.evidence if each.environment.name == name]
            for name in dict.fromkeys(each.environment.name for each in self.evidence)
        ]

    @property
    def printed_versions(self) -> list[PrintedBy]:
        """Which versions printed which wording."""
        principal = [each for each in self.evidence if not each.cell.survey]
        return printed_by(self.record, [*principal, *self.surveys])

    @property
    def differences(self) -> list[Difference]:
        """What other releases do that this page does not say."""
        return differences(self.surveys)

    @property
    def as_claimed(self) -> list[tuple[str, str]]:
        """Where other releases do all that this page says."""
        return as_claimed(self.surveys)

    @property
    def sites(self) -> list[SiteView]:
        """Where it is raised: ours with the lines of source around it, others' with a link."""
        return [view(site, self._raise_sites, self._source_lines) for site in self.record.sites]
