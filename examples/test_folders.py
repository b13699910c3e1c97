"""Every example folder belongs to a record, and every file in it is one that the record names."""

from pathlib import Path

from errorkb.layout import Layout
from errorkb.plan import problems
from errorkb.store import load


def test_every_folder_and_file_belongs_to_a_record() -> None:
    assert problems(load(Layout.find(Path(__file__).parent))) == []  # noqa: S101  (a test)
