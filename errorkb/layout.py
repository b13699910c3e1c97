"""Where the parts of a library lie: in a checkout, or as data of the installed package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Self

from errorkb.errors import UsageError

_PACKAGE = Path(__file__).resolve().parent


class Layout(NamedTuple):
    """The folders of one library.

    A named tuple, because every lookup makes one and `dataclasses` costs as much to import as all
    of the lookup's own modules.

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
    def at(cls, root: Path) -> Self:
        """The library of the checkout `root`.

        Raises:
            UsageError: `root` is not a directory.
        """
        root = root.resolve()
        if not root.is_dir():
            raise UsageError(f"{root} is not a directory; give the root of a checkout")
        kernels = root / "kernels"
        return cls(
            root=root,
            records=root / "errorkb" / "records",
            examples=root / "examples",
            verification=root / "errorkb" / "verification",
            kernels=kernels if kernels.is_dir() else None,
            docs=root / "docs",
        )

    @classmethod
    def find(cls, start: Path | None = None) -> Self:
        """The nearest checkout at or above `start`; without `start`, what this package belongs to.

        Raises:
            UsageError: no directory at or above `start` holds `errorkb/records`.
        """
        if start is not None:
            for folder in (start.resolve(), *start.resolve().parents):
                if (folder / "errorkb" / "records").is_dir():
                    return cls.at(folder)
            raise UsageError(f"no errorkb/records at or above {start}; give --root")
        packaged = _PACKAGE / "_examples"
        if packaged.is_dir():
            return cls(
                root=_PACKAGE,
                records=_PACKAGE / "records",
                examples=packaged,
                verification=_PACKAGE / "verification",
                kernels=None,
                docs=None,
            )
        return cls.at(_PACKAGE.parent)
