"""Where the parts of a library lie: in a checkout, or as data of the installed package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Self

from errorkb.errors import UsageError
from errorkb.places import Places

IN_A_CHECKOUT = "give its folder as --root DIR, or run the errorkb of its .venv"
"""What to do where only the installed package is present: the folder it runs in says nothing."""


class Layout(NamedTuple):
    """The folders of one library.

    `kernels` (the folder that holds the import package `kda_kernels`) and `docs` are None where
    only the installed package is present.
    """

    root: Path
    records: Path
    examples: Path
    verification: Path
    kernels: Path | None
    docs: Path | None

    @classmethod
    def of(cls, places: Places) -> Self:
        """The same folders as paths."""
        return cls(
            root=Path(places.root),
            records=Path(places.records),
            examples=Path(places.examples),
            verification=Path(places.verification),
            kernels=None if places.kernels is None else Path(places.kernels),
            docs=None if places.docs is None else Path(places.docs),
        )

    @classmethod
    def at(cls, root: Path) -> Self:
        """The library of the checkout `root`.

        Raises:
            UsageError: `root` is not a directory.
        """
        return cls.of(Places.at(str(root)))

    @classmethod
    def chosen(cls, root: Path | None) -> Self:
        """The library of the checkout `root`, or where none is named the one of this package.

        Raises:
            UsageError: `root` is not a directory.
        """
        return cls.own() if root is None else cls.at(root)

    @classmethod
    def own(cls) -> Self:
        """The library that this package belongs to: its checkout, or the data installed with it."""
        return cls.of(Places.own())

    @classmethod
    def find(cls, start: Path) -> Self:
        """The nearest checkout at or above `start`.

        Raises:
            UsageError: no directory at or above `start` holds `errorkb/records`.
        """
        for folder in (start.resolve(), *start.resolve().parents):
            if (folder / "errorkb" / "records").is_dir():
                return cls.at(folder)
        raise UsageError(f"no errorkb/records at or above {start}; give --root")
