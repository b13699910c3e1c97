"""Raise and assert sites of a package, read from its source; nothing is imported or executed.

    source ──ast──▶ statements ──▶ RaiseSite(class, code, template, function, guard, file:line)

The template is derived from the literal that the site prints: `f"got {n}"` gives `got {n}`. A
placeholder whose expression is not a plain name gets a positional one (`{arg1}`), the same one for
the same expression. `errorkb check` compares these sites with the records, and `errorkb harvest`
lists them for any package.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from errorkb.errors import UsageError
from errorkb.wording import derive

MODULE_LEVEL = "<module>"
UNGUARDED = "always"
MAX_BYTES = 4_000_000
"""Source files above this size are generated tables, not code with raise sites."""

_CODE = re.compile(r"EKB[0-9]{4}")
_MESSAGE_KEYWORDS = ("message", "msg", "detail", "reason")


@dataclass(frozen=True, order=True)
class RaiseSite:
    """One `raise` or `assert` statement.

    `condition` is the source text of the nearest guard: the test of the enclosing `if` or `elif`,
    `not (test)` for an `else` and for an assert, `except Class` for a handler, `case pattern` for a
    match, and `always` where there is none.
    """

    path: str
    """Relative to the directory that holds the package, with forward slashes."""
    line: int
    function: str
    """Qualified name within the module, `<module>` at its top."""
    exception: str
    """The class as the source names it."""
    code: str | None
    template: str | None
    """None where the site has no literal text."""
    condition: str


@dataclass(frozen=True)
class Skipped:
    """A file that could not be read, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Harvest:
    """All sites below one path, in order of file and line."""

    sites: list[RaiseSite] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    files: int = 0


def locate(target: str) -> Path:
    """The file or directory of a path, or of a package installed here, without importing it.

    Raises:
        UsageError: neither a path nor an importable package.
    """
    path = Path(target)
    if path.exists():
        return path.resolve()
    top, *rest = target.split(".")
    spec = find_spec(top) if all(part.isidentifier() for part in (top, *rest)) else None
    if spec is None:
        raise UsageError(f"'{target}' is neither a path nor a package installed here.")
    if spec.submodule_search_locations:
        found = Path(next(iter(spec.submodule_search_locations))).joinpath(*rest)
    elif spec.origin and spec.origin.endswith(".py"):
        found = Path(spec.origin)
    else:
        raise UsageError(f"'{target}' has no Python source to read.")
    for candidate in (found, found.with_suffix(".py")):
        if candidate.exists():
            return candidate
    raise UsageError(f"'{target}' is not in the package '{top}' at {found.parent}.")


def harvest(path: Path) -> Harvest:
    """Read every Python file at or below `path`; unreadable ones are listed, not fatal."""
    base = _package_parent(path)
    files = [path] if path.is_file() else sorted(_python_files(path))
    sites: list[RaiseSite] = []
    skipped: list[Skipped] = []
    for file in files:
        name = file.relative_to(base).as_posix()
        try:
            if not file.is_file():
                raise UsageError("it is no file")
            if file.stat().st_size > MAX_BYTES:
                raise UsageError(f"it is larger than {MAX_BYTES // 1_000_000} MB")
            sites += harvest_source(file.read_bytes(), name)
        except OSError as error:
            skipped.append(Skipped(name, f"it cannot be read: {error.strerror}"))
        except UsageError as error:
            skipped.append(Skipped(name, str(error)))
    return Harvest(sorted(sites), skipped, len(files))


def harvest_source(source: bytes | str, path: str) -> list[RaiseSite]:
    """The sites of one module.

    Raises:
        UsageError: the text is not Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are the author's concern
            tree = ast.parse(source)
    except SyntaxError as error:
        raise UsageError(f"it is not Python: {error.msg} at line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"it cannot be parsed: {error or type(error).__name__}") from None
    return sorted(_Module(path).sites(tree))


def _package_parent(path: Path) -> Path:
    base = path.parent
    while (base / "__init__.py").is_file():
        base = base.parent
    return base


def _python_files(directory: Path) -> Iterator[Path]:
    for child in directory.iterdir():
        if child.is_symlink() or child.name.startswith(".") or child.name == "__pycache__":
            continue
        if child.is_dir():
            yield from _python_files(child)
        elif child.suffix == ".py":
            yield child


@dataclass(frozen=True)
class _Scope:
    """Where a statement stands."""

    function: str
    guard: str
    locals: dict[str, list[ast.Assign]]

    def guarded(self, guard: str) -> _Scope:
        return _Scope(self.function, guard, self.locals)

    def inner(self, name: str) -> _Scope:
        outer = "" if self.function == MODULE_LEVEL else f"{self.function}."
        return _Scope(f"{outer}{name}", UNGUARDED, {})


class _Module:
    """Walks the statements of one module with a list, not by recursion: chains may be long."""

    def __init__(self, path: str) -> None:
        self._path = path

    def sites(self, tree: ast.Module) -> Iterator[RaiseSite]:
        todo: list[tuple[ast.stmt, _Scope]] = []

        def push(statements: Sequence[ast.stmt], scope: _Scope) -> None:
            todo.extend((statement, scope) for statement in reversed(statements))

        push(tree.body, _Scope(MODULE_LEVEL, UNGUARDED, {}))
        while todo:
            statement, scope = todo.pop()
            match statement:
                case ast.Raise(exc=ast.expr() as raised):
                    yield self._raise(statement, raised, scope)
                case ast.Assert(test=test, msg=message):
                    template = None if message is None else derive(message, scope.locals)
                    yield self._site(
                        statement,
                        scope.guarded(f"not ({ast.unparse(test)})"),
                        exception="AssertionError",
                        template=template,
                    )
                case ast.Assign(targets=[ast.Name(id=name)]):
                    scope.locals.setdefault(name, []).append(statement)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    push(statement.body, scope.inner(statement.name))
                case _:
                    for statements, inner in _blocks(statement, scope):
                        push(statements, inner)

    def _raise(self, statement: ast.Raise, raised: ast.expr, scope: _Scope) -> RaiseSite:
        if not isinstance(raised, ast.Call):
            return self._site(statement, scope, exception=ast.unparse(raised), template=None)
        arguments = [each for each in raised.args if not isinstance(each, ast.Starred)]
        code = None
        match arguments:
            case [ast.Constant(value=str(text)), *rest] if _CODE.fullmatch(text):
                code, arguments = text, rest
        arguments += [each.value for each in raised.keywords if each.arg in _MESSAGE_KEYWORDS]
        templates = (derive(each, scope.locals) for each in arguments)
        return self._site(
            statement,
            scope,
            exception=ast.unparse(raised.func),
            code=code,
            template=next((template for template in templates if template is not None), None),
        )

    def _site(
        self,
        statement: ast.stmt,
        scope: _Scope,
        *,
        exception: str,
        template: str | None,
        code: str | None = None,
    ) -> RaiseSite:
        return RaiseSite(
            path=self._path,
            line=statement.lineno,
            function=scope.function,
            exception=exception,
            code=code,
            template=template,
            condition=scope.guard,
        )


def _blocks(statement: ast.stmt, scope: _Scope) -> list[tuple[list[ast.stmt], _Scope]]:
    """The statement lists inside a compound statement, last one first, with their guards."""
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            text = ast.unparse(test)
            return [(orelse, scope.guarded(f"not ({text})")), (body, scope.guarded(text))]
        case (
            ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final)
            | ast.TryStar(body=body, handlers=handlers, orelse=orelse, finalbody=final)
        ):
            caught = [
                (
                    each.body,
                    scope.guarded(f"except {ast.unparse(each.type)}" if each.type else "except"),
                )
                for each in reversed(handlers)
            ]
            return [(final, scope), (orelse, scope), *caught, (body, scope)]
        case ast.Match(cases=cases):
            return [
                (each.body, scope.guarded(f"case {ast.unparse(each.pattern)}"))
                for each in reversed(cases)
            ]
        case ast.For() | ast.AsyncFor() | ast.While():
            return [(statement.orelse, scope), (statement.body, scope)]
        case ast.With() | ast.AsyncWith():
            return [(statement.body, scope)]
    return []
