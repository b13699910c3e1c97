"""The views of a whole library: families, exceptions, kinds, environments and counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from errorkb.harvest import RaiseSite, harvest
from errorkb.ledger import Standing, State, status
from errorkb.model import Environment, Kind, Ledger, Met, Place, Status
from errorkb.render.record_page import Examples, RecordPage
from errorkb.render.releases import release_order
from errorkb.render.views import KIND_LABELS, Evidence, labels, versions
from errorkb.store import Library

EXPLANATIONS = {
    Kind.RAISES: "The faulty call raises; the traceback ends where the mistake is.",
    Kind.COMPILE: (
        "The kernel does not compile. The message may stand on an earlier line than the last one: "
        "the compiler wraps the first exception in its own."
    ),
    Kind.DEVICE: (
        "The GPU found it while the program had gone on, so a later call reports it. The line in "
        "the traceback is not the line to blame; each page says how to find the launch."
    ),
    Kind.SILENT: (
        "Nothing is reported and the numbers are wrong. Before leaves a wrong result that is "
        "compared with a reference; After leaves the right one."
    ),
    Kind.ENVIRONMENT: "The installation, the driver or a file system is at fault, not the program.",
}
_MOST_MET_FIRST = list(Met)


@dataclass(frozen=True)
class Count:
    """A figure with its words; `tone` as in `Badge`."""

    number: str
    text: str
    tone: str


@dataclass(frozen=True)
class KindView:
    """One kind with its records."""

    name: str
    label: str
    explanation: str
    pages: list[RecordPage]


@dataclass(frozen=True)
class EnvironmentView:
    """One ledger: where it ran and how much of the library it covers."""

    environment: Environment
    label: str
    evidence: list[Evidence]

    @property
    def date(self) -> str:
        """The day of the last run, ISO 8601."""
        return self.environment.date.date().isoformat()

    @property
    def versions(self) -> str:
        """The software, on one line."""
        return versions(self.environment)

    @property
    def total(self) -> int:
        """How many cases are required there."""
        return len(self.evidence)

    @property
    def passed(self) -> int:
        """How many of them passed with the present files."""
        return self._count(State.PASSED)

    @property
    def failed(self) -> int:
        """How many did something else; in a survey, what the release does otherwise."""
        return self._count(State.FAILED)

    @property
    def stale(self) -> int:
        """How many ran with other files."""
        return self._count(State.STALE)

    @property
    def not_run(self) -> int:
        """How many have a reason not to run."""
        return self._count(State.NOT_RUN)

    def _count(self, state: State) -> int:
        return sum(each.state is state for each in self.evidence)

    def _passed(self, prefix: str) -> str:
        """How many items of a kind passed; empty where none is required there."""
        states = [each.state for each in self.evidence if each.item.startswith(prefix)]
        return f"{states.count(State.PASSED)} of {len(states)}" if states else ""

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What stands in its table."""
        environment = self.environment
        return [
            ("GPU", environment.gpu or "none"),
            ("Compute capability", environment.compute_capability or ""),
            ("Driver", environment.driver or ""),
            ("Software", self.versions),
            ("Platform", environment.platform),
            ("Commit", (environment.commit or "")[:10]),
            ("Last run", environment.date.strftime("%Y-%m-%d %H:%M UTC")),
            ("Cases passed", f"{self.passed} of {self.total}"),
            ("Triggers of their own executed", self._passed("trigger_")),
            ("Recipes executed", self._passed("recipe_")),
            ("Cases failed", str(self.failed)),
            ("Cases stale", str(self.stale)),
            ("Cases not run, with a reason", str(self.not_run)),
            ("Cases without a result", str(self._count(State.MISSING))),
        ]


class Site:
    """All views of one library, in the order in which pages show them."""

    def __init__(self, library: Library, ledgers: Iterable[Ledger] | None = None) -> None:
        """Join `library` with `ledgers` (its own where None).

        Raises:
            UsageError: an example file or a ledger cannot be read.
        """
        self.library = library
        self.ledgers = library.ledgers() if ledgers is None else list(ledgers)
        standings = status(library, self.ledgers)
        by_name = {each.environment.name: each.environment for each in self.ledgers}
        self._labels = labels(by_name.values())
        sites, lines = _raise_sites(library)
        self.pages = [
            RecordPage(
                slug,
                record,
                status=standings[slug].status,
                evidence=self._evidence(standings[slug], by_name),
                surveys=[
                    Evidence(by_name[cell.environment], self._labels[cell.environment], cell)
                    for cell in standings[slug].cells
                    if cell.survey and cell.result is not None
                ],
                examples=_examples(library, slug),
                raise_sites=[each for each in sites if each.code == record.code],
                source_lines=lines,
            )
            for slug, record in library.records.items()
        ]
        self.by_slug = {page.slug: page for page in self.pages}
        for page in self.pages:
            page.related = [
                self.by_slug[slug] for slug in page.record.related if slug in self.by_slug
            ]

    def _evidence(self, standing: Standing, by_name: dict[str, Environment]) -> list[Evidence]:
        """What is shown of a record's cells.

        An environment without any result of the record is left out where another one of the same
        place has some: the ledgers of other versions cover a part of the library on purpose.
        """
        cells = standing.principal
        ran = {cell.environment: cell.place for cell in cells if cell.result is not None}
        return [
            Evidence(by_name[cell.environment], self._labels[cell.environment], cell)
            for cell in cells
            if cell.environment in ran or cell.place not in ran.values()
        ]

    @cached_property
    def families(self) -> dict[str, list[RecordPage]]:
        """The pages of each family, what people meet most often first."""
        grouped: dict[str, list[RecordPage]] = {}
        for page in sorted(
            self.pages, key=lambda each: (each.family, _MOST_MET_FIRST.index(each.record.met))
        ):
            grouped.setdefault(page.family, []).append(page)
        return grouped

    @cached_property
    def exceptions(self) -> dict[str, list[RecordPage]]:
        """The pages of each exception class, by name."""
        grouped: dict[str, list[RecordPage]] = {}
        for page in self.pages:
            for name in page.record.exceptions:
                grouped.setdefault(name, []).append(page)
        return dict(sorted(grouped.items(), key=lambda each: (each[0].lower(), each[0])))

    @cached_property
    def kinds(self) -> list[KindView]:
        """Every kind, those without records too."""
        return [
            KindView(
                kind.value,
                KIND_LABELS[kind],
                EXPLANATIONS[kind],
                [page for page in self.pages if page.record.kind is kind],
            )
            for kind in Kind
        ]

    @cached_property
    def environments(self) -> list[EnvironmentView]:
        """One view for each ledger that is no survey, GPU first."""
        evidence = [each for page in self.pages for each in page.evidence]
        views = self._views(evidence, survey=False)
        return sorted(views, key=lambda each: (each.environment.gpu is None, each.environment.name))

    @cached_property
    def surveys(self) -> list[EnvironmentView]:
        """One view for each survey, the newest release first."""
        views = self._views([each for page in self.pages for each in page.surveys], survey=True)
        return sorted(views, key=lambda each: release_order(each.environment), reverse=True)

    def _views(self, evidence: list[Evidence], *, survey: bool) -> list[EnvironmentView]:
        return [
            EnvironmentView(
                ledger.environment,
                self._labels[ledger.environment.name],
                [each for each in evidence if each.environment.name == ledger.environment.name],
            )
            for ledger in self.ledgers
            if ledger.environment.survey is survey
        ]

    @property
    def facts(self) -> list[tuple[str, list[str]]]:
        """The rows of the table of environments: a name, and a value for each of them."""
        columns = [dict([*view.facts, *self._records(view)]) for view in self.environments]
        rows = [(name, [column[name] for column in columns]) for name in columns[0]]
        return [(name, values) for name, values in rows if any(values)]

    def _records(self, view: EnvironmentView) -> list[tuple[str, str]]:
        """How many records an environment executed, of those that are required there."""
        name = view.environment.name
        states = [state for page in self.pages if (state := page.state_at(name))]
        return [
            ("Records executed", f"{states.count(State.PASSED)} of {len(states)}"),
            ("Records failed", str(states.count(State.FAILED))),
            ("Records stale", str(states.count(State.STALE))),
        ]

    @property
    def principal(self) -> list[EnvironmentView]:
        """The ledger of each place that covers most, the newer of two alike; GPU first."""
        by_place: dict[Place, EnvironmentView] = {}
        for view in sorted(self.environments, key=lambda each: (each.total, each.environment.date)):
            by_place[view.environment.place] = view
        return [by_place[place] for place in Place if place in by_place]

    @property
    def newest_pages(self) -> list[RecordPage]:
        """The verified records with the newest results, at most five."""
        verified = {
            page.slug: max(each.cell.result.date for each in page.evidence if each.cell.result)
            for page in self.pages
            if page.status is Status.VERIFIED
        }
        newest = sorted(verified, key=lambda slug: verified[slug], reverse=True)
        return [self.by_slug[slug] for slug in newest[:5]]

    @property
    def counts(self) -> list[Count]:
        """How much of the library is executed, stale, failed or only documented."""
        pages = [page for page in self.pages if not page.record.withdrawn]
        number = {each: sum(page.status is each for page in pages) for each in Status}
        triggers = [trigger for page in pages for trigger in page.record.triggers]
        ran = sum(
            any(each.state is State.PASSED for each in page.of(trigger.case))
            for page in pages
            for trigger in page.record.triggers
            if trigger.case
        )
        counts = [
            Count(str(number[Status.VERIFIED]), f"of {len(pages)} records verified", "ok"),
            Count(str(ran), f"of {len(triggers)} triggers executed", "ok"),
            Count(str(number[Status.DOCUMENTED]), "documented, not executed", "muted"),
            Count(str(number[Status.STALE]), "stale", "stale"),
            Count(str(number[Status.FAILED]), "failed", "bad"),
        ]
        return [
            each if each.number != "0" or each.tone == "ok" else Count("0", each.text, "muted")
            for each in counts
        ]


def _examples(library: Library, slug: str) -> Examples:
    names = [*library.items(slug), "guard"]
    texts = {name: library.example_text(slug, name) for name in names}
    return Examples({name: text for name, text in texts.items() if text is not None})


def _raise_sites(library: Library) -> tuple[list[RaiseSite], dict[str, list[str]]]:
    """Our raise sites, and the lines of the files that hold them."""
    kernels = library.layout.kernels
    package = None if kernels is None else kernels / "kda_kernels"
    if kernels is None or package is None or not package.is_dir():
        return [], {}
    sites = harvest(package).sites
    return sites, {
        path: (kernels / path).read_text(encoding="utf-8").splitlines()
        for path in sorted({each.path for each in sites if each.code})
    }
