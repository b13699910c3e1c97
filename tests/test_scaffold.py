"""`errorkb new`: what it writes validates, and what it refuses leaves nothing behind."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

from errorkb.cli import main
from errorkb.compare import Verdict
from errorkb.errors import UsageError
from errorkb.layout import Layout
from errorkb.model import ErrorRecord, Kind, Place
from errorkb.runner import Case, Ended, Runner
from errorkb.scaffold import PLACEHOLDER, new_record, schema_text, scripts
from errorkb.store import load

CONTRACT = """\
def check(size):
    if size > 8:
        raise ContractError("EKB0002", f"size {size} is more than 8")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one raise site and no record yet."""
    root = tmp_path / "checkout"
    for folder in ("errorkb/records", "examples", "docs", "kernels/kda_kernels"):
        (root / folder).mkdir(parents=True)
    (root / "kernels/kda_kernels/contract.py").write_text(CONTRACT)
    return root


def files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("title", [None, 'a "quoted": title # with {braces}'])
def test_what_is_written_validates(checkout: Path, kind: Kind, title: str | None) -> None:
    code, paths = new_record(Layout.at(checkout), "demo/fresh-one", kind=kind, title=title)
    library = load(Layout.at(checkout))
    record = library.records["demo/fresh-one"]
    assert (record.code, record.kind) == (code, kind)
    assert record.title == title or (title is None and PLACEHOLDER in record.title)
    assert [path.name for path in paths] == ["fresh-one.yaml", "before.py", "after.py"]
    for item in ("before", "after"):
        compile(library.example_text("demo/fresh-one", item) or "", item, "exec")
    # Nothing of the staging directory is left.
    assert {path.name for path in checkout.iterdir()} == {"errorkb", "examples", "docs", "kernels"}


@pytest.mark.parametrize("title", ["\x1b[2Jgone", "\udcff", "back\u202e"])
def test_a_title_that_no_record_may_hold_writes_nothing(checkout: Path, title: str) -> None:
    before = files(checkout)
    with pytest.raises(UsageError):
        new_record(Layout.at(checkout), "demo/fresh", kind=Kind.RAISES, title=title)
    assert files(checkout) == before


@pytest.mark.parametrize(
    ("slug", "kind", "requires", "calls"),
    [
        ("kda/one", Kind.RAISES, [Place.INTERPRETER, Place.GPU], "kda_kernels"),
        ("triton/one", Kind.SILENT, [Place.INTERPRETER, Place.GPU], "@triton.jit"),
        ("demo/one", Kind.COMPILE, [Place.COMPILE, Place.GPU], "@triton.jit"),
        ("demo/one", Kind.DEVICE, [Place.GPU], "@triton.jit"),
        ("torch-cuda/one", Kind.RAISES, [Place.CPU, Place.GPU], "actual = x + x"),
        ("torch-cuda/one", Kind.ENVIRONMENT, [Place.CPU], "actual = x + x"),
    ],
)
def test_the_scripts_call_what_the_places_run(
    checkout: Path, slug: str, kind: Kind, requires: list[Place], calls: str
) -> None:
    new_record(Layout.at(checkout), slug, kind=kind)
    library = load(Layout.at(checkout))
    example = library.records[slug].example
    assert example is not None
    assert example.requires == requires
    assert calls in (library.example_text(slug, "before") or "")


@pytest.mark.parametrize(
    ("slug", "kind", "place"),
    [
        ("torch-cuda/one", Kind.RAISES, Place.CPU),
        ("triton/one", Kind.SILENT, Place.INTERPRETER),
        ("demo/one", Kind.COMPILE, Place.COMPILE),
        ("kda/one", Kind.RAISES, Place.INTERPRETER),
    ],
)
def test_the_scripts_run_before_they_are_filled_in(
    tmp_path: Path, slug: str, kind: Kind, place: Place
) -> None:
    if (slug, place) == ("kda/one", Place.INTERPRETER) and (
        Version(version("numpy")) >= Version("2.4") and Version(version("triton")) < Version("3.7")
    ):
        pytest.skip("this triton's interpreter cannot loop with this numpy: EKB4907")
    script = tmp_path / "after.py"
    script.write_text(scripts(slug, kind)["after.py"])
    with Runner(place) as runner:
        report = runner.run(Case(script))
    assert report.ended is Ended.FINISHED, report.output
    if place is Place.COMPILE:
        assert report.compiled == 1
    else:
        assert report.comparison is not None
        assert report.comparison.verdict is Verdict.AGREE


@pytest.mark.parametrize("kind", Kind)
def test_a_documented_record_has_no_example(checkout: Path, kind: Kind) -> None:
    _, paths = new_record(Layout.at(checkout), "demo/fresh-one", kind=kind, documented=True)
    assert [path.name for path in paths] == ["fresh-one.yaml"]
    assert not list((checkout / "examples").iterdir())
    record = load(Layout.at(checkout)).records["demo/fresh-one"]
    assert record.example is None
    assert not record.recipes
    assert PLACEHOLDER in (record.not_executed or "")
    assert PLACEHOLDER in (record.triggers[0].not_reproduced or "")
    assert {each.origin for each in record.messages} == (
        set() if kind is Kind.SILENT else {"source"}
    )


def test_what_the_kernels_raise_is_not_only_documented(checkout: Path) -> None:
    before = files(checkout)
    with pytest.raises(UsageError, match="leave --documented out"):
        new_record(
            Layout.at(checkout), "demo/one", kind=Kind.RAISES, code="EKB0002", documented=True
        )
    assert files(checkout) == before


def test_a_raised_code_brings_its_message_class_and_site(checkout: Path) -> None:
    new_record(Layout.at(checkout), "demo/too-large", kind=Kind.RAISES, code="EKB0002")
    library = load(Layout.at(checkout))
    record = library.records["demo/too-large"]
    assert record.example is not None
    assert record.example.requires == [Place.INTERPRETER, Place.GPU]
    assert "from kda_kernels import" in (library.example_text("demo/too-large", "before") or "")
    assert record.exceptions == ["kda_kernels.errors.ContractError"]
    assert record.messages[0].template == "size {size:str} is more than 8"
    (site,) = record.sites
    assert (site.path, site.function, site.condition) == (
        "kda_kernels/contract.py",
        "check",
        "size > 8",
    )


def test_a_fresh_code_is_one_that_nobody_mentions(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorkb.scaffold._CODES", 4)
    (checkout / "errorkb/records/demo").mkdir()
    (checkout / "errorkb/records/demo/broken.yaml").write_text("code: EKB0000\n: [")
    taken = {"EKB0000", "EKB0002"}  # by a broken record and by a raise site without a record
    first, _ = new_record(Layout.at(checkout), "demo/a", kind=Kind.SILENT)
    second, _ = new_record(Layout.at(checkout), "demo/b", kind=Kind.SILENT)
    assert {first, second} == {"EKB0001", "EKB0003"}
    assert not taken & {first, second}
    with pytest.raises(UsageError, match="every code is taken"):
        new_record(Layout.at(checkout), "demo/c", kind=Kind.SILENT)


@pytest.mark.parametrize(
    "slug",
    ["", "demo", "Demo/x", "demo/x_y", "../x", "/etc/x", "demo/x/y", "demo/-x", "demo/x.yaml"],
)
def test_a_bad_slug_is_refused(checkout: Path, slug: str) -> None:
    before = files(checkout)
    with pytest.raises(UsageError, match="FAMILY/NAME"):
        new_record(Layout.at(checkout), slug, kind=Kind.RAISES)
    assert files(checkout) == before


def test_nothing_is_overwritten(checkout: Path) -> None:
    layout = Layout.at(checkout)
    new_record(layout, "demo/one", kind=Kind.RAISES)
    text = (checkout / "errorkb/records/demo/one.yaml").read_text()
    with pytest.raises(UsageError, match="is there already"):
        new_record(layout, "demo/one", kind=Kind.SILENT)
    assert (checkout / "errorkb/records/demo/one.yaml").read_text() == text
    (checkout / "examples/demo/two").mkdir()
    with pytest.raises(UsageError, match="is there already"):
        new_record(layout, "demo/two", kind=Kind.RAISES)
    assert not (checkout / "errorkb/records/demo/two.yaml").exists()


@pytest.mark.parametrize("arguments", [["demo/one"], ["--schema"]])
def test_an_installed_package_says_what_to_run(
    checkout: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    (checkout / "errorkb/_examples").mkdir()
    monkeypatch.setattr("errorkb.places._PACKAGE", str(checkout / "errorkb"))
    before = files(checkout)
    assert main(["new", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "checkout; give its folder as --root DIR" in err
    assert files(checkout) == before


def test_a_code_is_not_given_twice(checkout: Path) -> None:
    layout = Layout.at(checkout)
    new_record(layout, "demo/one", kind=Kind.RAISES, code="EKB0002")
    with pytest.raises(UsageError, match="EKB0002 has a record already"):
        new_record(layout, "demo/two", kind=Kind.RAISES, code="EKB0002")
    with pytest.raises(UsageError, match="'EKB2' is not a code"):
        new_record(layout, "demo/two", kind=Kind.RAISES, code="EKB2")


@pytest.mark.parametrize("documented", [False, True])
def test_a_failure_between_the_two_places_undoes_the_first(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, documented: bool
) -> None:
    rename = Path.rename

    def fails_on_records(path: Path, target: Path) -> Path:
        if target.suffix == ".yaml":
            raise OSError("disk full")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails_on_records)
    with pytest.raises(OSError, match="disk full"):
        new_record(Layout.at(checkout), "demo/one", kind=Kind.RAISES, documented=documented)
    assert not [name for name in files(checkout) if "one" in name or ".new-" in name]


def test_the_command_says_what_comes_next(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--root", str(checkout), "new", "demo/one", "--title", "One"]) == 0
    first, *_, marked, last = capsys.readouterr().out.splitlines()
    code, slug = first.split()
    assert slug == "demo/one"
    assert "errorkb check --gate 7 | grep demo/one" in marked
    assert last.endswith(f"errorkb verify {code} --write")
    assert main(["--root", str(checkout), "new", "demo/two", "--documented"]) == 0
    out = capsys.readouterr().out
    assert "errorkb check --gate 7 | grep demo/two" in out
    assert "errorkb verify" not in out  # there is nothing to execute


def test_the_schema_is_that_of_the_model(checkout: Path) -> None:
    assert main(["--root", str(checkout), "new", "--schema"]) == 0
    text = (checkout / "errorkb/record.schema.json").read_text()
    assert text == schema_text()
    assert json.loads(text)["properties"].keys() == ErrorRecord.model_fields.keys()


@pytest.mark.parametrize("arguments", [["new"], ["new", "demo/one", "--schema"]])
def test_the_command_needs_a_slug_or_the_schema(
    checkout: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["--root", str(checkout), *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
