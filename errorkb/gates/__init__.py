"""The rules that keep records, kernels, examples, ledgers and site in agreement.

Each gate is a function from a `Tree` to findings, and fails only where its own rule is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from errorkb.gates.executed import current, executed_or_explained
from errorkb.gates.finding import Finding, Severity, Tree
from errorkb.gates.generated import links_resolve, reproducible
from errorkb.gates.history import append_only
from errorkb.gates.printed import told_apart
from errorkb.gates.sites import agree_in_place, agree_in_wording

__all__ = ["GATES", "Finding", "Gate", "Severity", "Tree", "run"]


@dataclass(frozen=True)
class Gate:
    """One rule, as `errorkb check` names it."""

    number: int
    rule: str
    findings: Callable[[Tree], Iterator[Finding]]


GATES = (
    Gate(1, "every raise site of the kernels has a record, and the reverse", agree_in_place),
    Gate(2, "the wording in the source is the wording in the record", agree_in_wording),
    Gate(3, "each printed message finds its own record before any other", told_apart),
    Gate(4, "codes are append-only", append_only),
    Gate(5, "what is rendered is reproducible", reproducible),
    Gate(6, "links, anchors and redirects of the site resolve", links_resolve),
    Gate(7, "every record is executed or says why not", executed_or_explained),
    Gate(8, "results speak of the files as they are", current),
)


def run(
    tree: Tree, numbers: Iterable[int] = (), *, begin: Callable[[Gate], None] = lambda _: None
) -> list[Finding]:
    """The findings of the gates `numbers`, of all where there are none.

    `begin` is called before each gate. Gate 6 needs a built site and is left out without one.
    """
    chosen = set(numbers) or {gate.number for gate in GATES if gate.number != 6 or tree.site}
    findings: list[Finding] = []
    for gate in GATES:
        if gate.number in chosen:
            begin(gate)
            findings += gate.findings(tree)
    return findings
