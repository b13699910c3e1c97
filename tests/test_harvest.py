"""The sites that are read from source: class, code, template, guard."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest

from errorkb.errors import UsageError
from errorkb.harvest import MAX_BYTES, RaiseSite, harvest, harvest_source, locate


def sites(source: str) -> list[RaiseSite]:
    return harvest_source(dedent(source), "pkg/mod.py")


def only(source: str) -> RaiseSite:
    (site,) = sites(source)
    return site


def test_coded_raise_gives_class_code_template_and_guard() -> None:
    site = only(
        """
        def check(beta, T, H):
            if beta.shape != (1, T, H):
                raise ContractError("EKB6120", f"expected beta shape (1, {T}, {H})", got=f"{beta}")
        """
    )
    assert site == RaiseSite(
        path="pkg/mod.py",
        line=4,
        function="check",
        exception="ContractError",
        code="EKB6120",
        template="expected beta shape (1, {T}, {H})",
        condition="beta.shape != (1, T, H)",
    )


@pytest.mark.parametrize(
    ("expression", "template"),
    [
        ('"plain {braces}"', "plain {{braces}}"),
        ('f"{x.shape} and {y} and {x.shape}"', "{arg1} and {y} and {arg1}"),
        ('f"a {n!r:>4} {{b}}"', "a {n} {{b}}"),
        ('"a " f"{n}" " b"', "a {n} b"),
        ('"got " + name + "."', "got {name}."),
        ('"%d of %s, 100%%" % (n, t.size())', "{n} of {arg1}, 100%"),
        ('"%(key)5.2f" % values', "{key}"),
        ('"got {} and {0.x} {k} {}".format(n, m.y, k=1)', "got {n} and {arg1} {k} {arg2}"),
        ("status", None),
        ('f"{text}"', None),
    ],
)
def test_template_is_derived_from_every_way_to_write_a_message(
    expression: str, template: str | None
) -> None:
    assert only(f"raise ValueError({expression})").template == template


def test_message_assigned_to_a_name_before_the_raise() -> None:
    source = """
        def f(n):
            msg = "first"
            msg = f"got {n}"
            raise ValueError(msg)
        """
    assert only(source).template == "got {n}"


@pytest.mark.parametrize(
    ("source", "condition"),
    [
        ("raise E('m')", "always"),
        ("if a:\n    pass\nelif b > 1:\n    raise E('m')", "b > 1"),
        ("if a:\n    pass\nelse:\n    raise E('m')", "not (a)"),
        ("if a:\n    for x in y:\n        with z:\n            raise E('m')", "a"),
        (
            "try:\n    pass\nexcept (OSError, KeyError):\n    raise E('m')",
            "except (OSError, KeyError)",
        ),
        ("match a:\n    case [_, 1]:\n        raise E('m')", "case [_, 1]"),
        ("assert a == 1, 'm'", "not (a == 1)"),
        ("if a:\n    def f():\n        raise E('m')", "always"),
    ],
)
def test_condition_is_the_nearest_guard(source: str, condition: str) -> None:
    assert only(source).condition == condition


def test_qualified_names_and_what_is_not_a_site() -> None:
    found = sites(
        """
        class A:
            async def f(self):
                def g():
                    raise errors.X("one")
                try:
                    pass
                except KeyError:
                    raise
        raise failure
        """
    )
    assert [(site.function, site.exception, site.template) for site in found] == [
        ("A.f.g", "errors.X", "one"),
        ("<module>", "failure", None),
    ]


def test_a_long_elif_chain_does_not_exhaust_the_stack() -> None:
    chain = "if x == 0:\n    pass\n" + "".join(
        f"elif x == {n}:\n    raise E('m{n}')\n" for n in range(1, 900)
    )
    assert len(sites(chain)) == 899


def test_unreadable_files_are_listed_and_the_rest_is_harvested(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    (package / "sub").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "sub" / "__init__.py").write_text("")
    (package / "sub" / "good.py").write_text("raise ValueError('x')\n")
    (package / "bad.py").write_text("def (:\n")
    (package / "nul.py").write_bytes(b"x = 1\0")
    (package / "big.py").write_text("#" * (MAX_BYTES + 1))
    os.mkfifo(package / "pipe.py")
    found = harvest(package)
    assert [site.path for site in found.sites] == ["pkg/sub/good.py"]
    assert {skipped.path for skipped in found.skipped} == {
        "pkg/bad.py",
        "pkg/nul.py",
        "pkg/big.py",
        "pkg/pipe.py",
    }
    # A file inside the package keeps the path that the package would give it.
    assert harvest(package / "sub" / "good.py").sites[0].path == "pkg/sub/good.py"


def test_locate_does_not_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "explosive").mkdir()
    (tmp_path / "explosive" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "explosive" / "inner.py").write_text("raise ValueError('x')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert locate("explosive") == tmp_path / "explosive"
    assert locate("explosive.inner") == tmp_path / "explosive" / "inner.py"
    for wrong in ("explosive.nothing", "no_such_package", "not a name"):
        with pytest.raises(UsageError, match=wrong.split(".")[0]):
            locate(wrong)
