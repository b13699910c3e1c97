"""Gate 4 fails when a published code is gone, reused, renumbered or moved without a redirect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from errorkb.errors import UsageError
from errorkb.gates import Severity

if TYPE_CHECKING:
    from conftest import SmallLibrary

RECORD = "errorkb/records/demo/too-large.yaml"
MOVED = "errorkb/records/demo/over-limit.yaml"


@pytest.fixture
def published(small: SmallLibrary) -> SmallLibrary:
    """The library, committed to main."""
    small.git("init", "--quiet", "--initial-branch", "main")
    small.commit()
    return small


def move(library: SmallLibrary) -> None:
    library.path(RECORD).rename(library.path(MOVED))
    library.path("examples/demo/too-large").rename(library.path("examples/demo/over-limit"))


def test_additions_and_better_prose_are_fine(published: SmallLibrary) -> None:
    published.edit(RECORD, "The sizes do not fit.", "The size is above the limit of 8.")
    published.edit(RECORD, "The size is too large", "The size is above 8")
    published.edit(RECORD, "size {size:int} is more than 8", "size {size:int} exceeds 8")
    published.edit(RECORD, "The size is above 8", "The size is too large")
    text = published.path(RECORD).read_text().replace("EKB0002", "EKB0003")
    published.write("errorkb/records/demo/other.yaml", text)
    assert published.findings(4) == []


def test_a_code_that_is_gone(published: SmallLibrary) -> None:
    published.path(RECORD).unlink()
    (finding,) = published.findings(4)
    assert finding.path == RECORD
    assert "EKB0002 (The size is too large) is gone" in finding.message
    assert finding.repair == f"git checkout main -- {RECORD}"
    published.git(*finding.repair.split()[1:])
    assert published.findings(4, against="main") == []


def test_a_renumbered_record(published: SmallLibrary) -> None:
    published.edit(RECORD, "EKB0002", "EKB0003")
    (finding,) = published.findings(4)
    assert "demo/too-large now has EKB0003" in finding.message


def test_a_moved_record_needs_its_redirect(published: SmallLibrary) -> None:
    move(published)
    (finding,) = published.findings(4)
    assert finding.path == MOVED
    assert finding.repair == "redirects_from: [demo/too-large]"
    published.edit(MOVED, "related:", f"{finding.repair}\nrelated:")
    assert published.findings(4) == []


def test_a_redirect_stays(published: SmallLibrary) -> None:
    published.edit(RECORD, "related:", "redirects_from: [demo/big]\nrelated:")
    published.commit()
    published.edit(RECORD, "redirects_from: [demo/big]\n", "")
    (finding,) = published.findings(4)
    assert "demo/big redirected here and no longer does" in finding.message


def test_a_code_reused_for_another_error_in_place(published: SmallLibrary) -> None:
    published.edit(RECORD, "The size is too large", "The device is missing")
    published.edit(RECORD, "size {size:int} is more than 8", "no device {size:int}")
    (finding,) = published.findings(4)
    assert "a code keeps its meaning" in finding.message


def test_a_code_reused_by_another_record(published: SmallLibrary) -> None:
    published.path(RECORD).unlink()
    published.edit("errorkb/records/demo/indivisible.yaml", "EKB0001", "EKB0002")
    messages = [finding.message for finding in published.findings(4)]
    assert any("EKB0001 (The size does not divide) is gone" in each for each in messages)
    assert any(
        "EKB0002 was demo/too-large and is now demo/indivisible" in each for each in messages
    )


def test_on_main_itself_the_last_commit_is_compared(published: SmallLibrary) -> None:
    published.path(RECORD).unlink()
    published.commit()
    (finding,) = published.findings(4)
    assert finding.repair == f"git checkout HEAD^ -- {RECORD}"


def test_on_a_branch_main_is_compared(published: SmallLibrary) -> None:
    published.git("checkout", "--quiet", "-b", "topic")
    published.path(RECORD).unlink()
    published.commit()
    published.write("errorkb/unrelated.txt", "x")
    published.commit()
    assert len(published.findings(4)) == 1
    assert published.findings(4, against="HEAD") == []


@pytest.mark.parametrize("text", ["[" * 5_000, "code: 2026-13-40\n", "code: !!int ''\n"])
def test_what_was_no_record_published_no_code(small: SmallLibrary, text: str) -> None:
    small.git("init", "--quiet", "--initial-branch", "main")
    small.write("errorkb/records/demo/broken.yaml", text)
    small.commit()
    small.path("errorkb/records/demo/broken.yaml").unlink()
    assert small.findings(4) == []


def test_an_unknown_revision_is_bad_input(published: SmallLibrary) -> None:
    with pytest.raises(UsageError, match="no revision 'v99'"):
        published.findings(4, against="v99")


def test_without_history_nothing_is_claimed(small: SmallLibrary) -> None:
    (finding,) = small.findings(4)
    assert finding.severity is Severity.NOTICE
    assert "no main branch" in finding.message
