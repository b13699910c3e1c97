"""Where the parts of a library lie, as plain strings: all that a lookup needs to know of it."""

from __future__ import annotations

import os

from errorkb.errors import UsageError

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from typing import Self

_PACKAGE = os.path.dirname(os.path.realpath(__file__))


class Places:
    """The folders of one library; `errorkb.layout.Layout` has them as paths and says what each is.

    Attributes:
        root: the checkout, or the installed package.
        records: one YAML file a record.
        examples: one folder a record.
        verification: the ledgers.
        kernels: the folder that holds the import package `kda_kernels`, or None.
        docs: the pages of the site, or None.
    """

    __slots__ = ("docs", "examples", "kernels", "records", "root", "verification")

    def __init__(
        self, root: str, package: str, examples: str, kernels: str | None, docs: str | None
    ) -> None:
        self.root = root
        self.records = os.path.join(package, "records")
        self.examples = examples
        self.verification = os.path.join(package, "verification")
        self.kernels = kernels
        self.docs = docs

    @classmethod
    def at(cls, root: str) -> Self:
        """The library of the checkout `root`.

        Raises:
            UsageError: `root` is not a directory.
        """
        root = os.path.realpath(root)
        if not os.path.isdir(root):
            raise UsageError(f"{root} is not a directory; give the root of a checkout")
        kernels = os.path.join(root, "kernels")
        return cls(
            root,
            os.path.join(root, "errorkb"),
            os.path.join(root, "examples"),
            kernels if os.path.isdir(kernels) else None,
            os.path.join(root, "docs"),
        )

    @classmethod
    def own(cls) -> Self:
        """The library that this package belongs to: its checkout, or the data installed with it."""
        packaged = os.path.join(_PACKAGE, "_examples")
        if os.path.isdir(packaged):
            return cls(_PACKAGE, _PACKAGE, packaged, None, None)
        return cls.at(os.path.dirname(_PACKAGE))
