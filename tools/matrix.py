"""See what other releases of Triton print: `python tools/matrix.py [--release …] [--stale] …`.

Each release is installed into a folder of its own under `.matrix/` and put before the packages of
this interpreter, so that all share one torch. What runs there goes into ledgers of its own,
`errorkb/verification/triton-<place>-<label>.json`. A release that does not install is named, and
the others run all the same.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from errorkb.arguments import terminated_like_interrupted
from errorkb.cli import INTERRUPTED
from errorkb.errors import BAD_INPUT, FOUND, NOT_FOUND, UsageError
from errorkb.fingerprint import fingerprint, is_current
from errorkb.layout import Layout
from errorkb.model import ErrorRecord, Place, Slug
from errorkb.store import Library, load

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".matrix"
PLACES = (Place.INTERPRETER, Place.COMPILE, Place.CPU)


@dataclass(frozen=True)
class Release:
    """A version of Triton, and what must be older beside it than in this environment.

    `label` ends the names of its ledgers. Without `kernels`, examples that import kda_kernels are
    left out: it does not import there.
    """

    label: str
    triton: str
    pins: tuple[str, ...] = ()
    kernels: bool = True

    @property
    def requirements(self) -> list[str]:
        """What pip installs, each into its own folder."""
        return [f"triton=={self.triton}", *self.pins]


# Up to 3.6 the interpreter needs numpy below 2.4, up to 3.1 below 2.0. The ledgers without a label
# are those of the release that the Makefile installs (3.7), so it has no row. torch and Python are
# those of this environment.
RELEASES = (
    Release("3.9", "3.9.0"),
    Release("3.8", "3.8.0"),
    Release("3.6", "3.6.0", ("numpy==2.3.5",)),
    Release("3.5", "3.5.1", ("numpy==2.3.5",)),
    Release("3.4", "3.4.0", ("numpy==2.3.5",), kernels=False),
    Release("3.3", "3.3.1", ("numpy==2.3.5",), kernels=False),
    Release("3.2", "3.2.0", ("numpy==2.3.5",), kernels=False),
    Release("3.1", "3.1.0", ("numpy==1.26.4",), kernels=False),
    Release("3.0", "3.0.0", ("numpy==1.26.4",), kernels=False),
)


class InstallError(Exception):
    """pip could not install a requirement; the text is its last line."""


def install(requirement: str, folder: Path) -> Path:
    """The folder that holds one package and nothing that it depends on; installed once.

    Raises:
        InstallError: pip does not find or does not install it.
    """
    target = folder / requirement.replace("==", "-")
    if target.is_dir():
        return target
    folder.mkdir(exist_ok=True)
    _say(f"installing {requirement}")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as partial:
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        command += ["install", "--no-deps", "--target", f"{partial}/new", requirement]
        run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  (pip, of a row of the table)
        _say("")
        if run.returncode:
            lines = run.stderr.strip().splitlines() or [f"pip ended with {run.returncode}"]
            raise InstallError(lines[-1])
        shutil.move(f"{partial}/new", target)
    return target


def selected(
    library: Library, families: Sequence[str], *, kernels: bool = True
) -> dict[Place, list[Slug]]:
    """What runs in each place: all of the families, and on the CPU only wordings of Triton."""
    return {
        place: [
            slug
            for slug, record in library.records.items()
            if record.example is not None
            and place in record.example.requires
            and (not families or slug.split("/")[0] in families)
            and (place is not Place.CPU or _prints_triton(record))
            and (kernels or not _imports_kernels(library, slug))
        ]
        for place in PLACES
    }


def _imports_kernels(library: Library, slug: Slug) -> bool:
    """Their sources are the second part of the hash of a record whose scripts import them."""
    return "+" in fingerprint(library, slug)


def _prints_triton(record: ErrorRecord) -> bool:
    return any(message.software.split()[0] == "triton" for message in record.messages)


def current(library: Library, release: Release, place: Place) -> set[Slug]:
    """The records whose every case the release's ledger of the place holds as it is today."""
    held = {
        (result.slug, result.item)
        for ledger in library.ledgers()
        if ledger.environment.survey
        and ledger.environment.place is place
        and ledger.environment.name.endswith(f"-{release.label}")
        for result in ledger.results
        if result.slug in library.records
        and is_current(result.hash, fingerprint(library, result.slug))
    }
    return {
        slug
        for slug in library.records
        if all((slug, item) in held for item in library.items(slug))
    }


def survey(
    release: Release, path: Sequence[Path], place: Place, slugs: Sequence[Slug]
) -> Counter[str]:
    """Run one release in one place and write its ledger; how many cases had which outcome.

    Empty where nothing ran; the command has said why.
    """
    command = [sys.executable, "-m", "errorkb", "--root", str(ROOT), "verify", *slugs]
    command += ["--device", place.value, "--survey", release.label, "--write", "--json"]
    command += ["--jobs", str(os.cpu_count() or 1)]
    before = [*path, *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, before))}
    printed = _printed(command, variables)
    if not printed:
        return Counter()
    data: dict[str, Any] = json.loads(printed)
    return Counter(each["outcome"] for ledger in data["ledgers"] for each in ledger["results"])


def _printed(command: Sequence[str], variables: Mapping[str, str]) -> bytes:
    """What our own command printed; an interruption waits until it has written what it found."""
    process = subprocess.Popen(  # noqa: S603  (our own command)
        command,
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        # Ctrl-C then reaches it once, from here: a second signal would fall into its writing.
        start_new_session=True,
    )
    try:
        return process.communicate()[0]
    except BaseException:
        process.terminate()
        try:
            process.communicate()
        finally:  # a second interruption does not wait
            process.kill()
        raise


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 when every chosen release ran, 1 when one did not, 2 when a record is broken."""
    arguments = _parser().parse_args(argv)
    try:
        with terminated_like_interrupted():
            return _survey_all(load(Layout.at(ROOT)), arguments)
    except (UsageError, OSError) as error:
        print(f"make matrix: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        _say("")
        said = "interrupted; the ledgers hold what ran, and --stale runs the rest."
        print(f"make matrix: {said}", file=sys.stderr)
        return INTERRUPTED


def _survey_all(library: Library, arguments: argparse.Namespace) -> int:
    families = {slug.split("/")[0] for slug in library.records}
    for unknown in sorted(set(arguments.family) - families):
        raise UsageError(
            f"no record is of the family '{unknown}'; there are {', '.join(sorted(families))}."
        )
    chosen = [each for each in RELEASES if not arguments.release or each.label in arguments.release]
    missing = 0
    for release in chosen:
        try:
            path = [install(each, FOLDER) for each in release.requirements]
        except InstallError as error:
            print(f"{release.label}: not installed: {error}", flush=True)
            missing += 1
            continue
        for place, slugs in _todo(library, release, arguments).items():
            if slugs:
                _say(f"{release.label} {place}")
                counts = survey(release, path, place, slugs)
                said = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
                print(f"{release.label} {place}: {said or 'nothing ran'}", flush=True)
                missing += not counts
    return NOT_FOUND if missing else FOUND


def _todo(
    library: Library, release: Release, arguments: argparse.Namespace
) -> dict[Place, list[Slug]]:
    found = selected(library, arguments.family, kernels=release.kernels)
    if not arguments.stale:
        return found
    done = {place: current(library, release, place) for place in found}
    return {
        place: [slug for slug in slugs if slug not in done[place]] for place, slugs in found.items()
    }


class _Parser(argparse.ArgumentParser):
    """One whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see make matrix ARGS=--help.\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="make matrix", description=(__doc__ or "").partition(":")[0])
    labels = [each.label for each in RELEASES]
    parser.add_argument("--release", action="append", choices=labels, help="default: all")
    parser.add_argument("--family", action="append", default=[], help="of records; default: all")
    parser.add_argument("--stale", action="store_true", help="only what is not in the ledgers yet")
    return parser


def _say(text: str) -> None:
    """One line on a terminal, rewritten by what follows; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
