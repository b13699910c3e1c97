"""What captured values mean: sentences with arithmetic over them, evaluated without `eval`.

A rule says a sentence with `{expression}` or `{expression:format}`, perhaps on a condition, `when`.
Expressions know the captured names, numbers, quoted text, `+ - * / // %`, comparisons, `and`,
`or`, `not`, `x[0]` on a shape, and `len(x)`, `prod(x)`, `min(…)`, `max(…)`, `abs(x)`, `ceil(x)`.
Of a number of bytes of shared memory, `gpus_with(x)` names the GPUs that have it as the limit of a
block, and `gpus_for(x)` those on which it fits; where there is none, the rule is silent.
Formats: `bytes` (1610612736 → 1.50 GiB), `,` (1,048,576), `.2f` and `.1%`.

Rules are parsed once into plain tuples, which the lookup index stores, and never run as Python.
"""

from __future__ import annotations

from errorkb.errors import UsageError

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any, Protocol

    Value = str | int | float | bool | tuple[int, ...]
    Tree = tuple[Any, ...]
    """("value", v), ("name", n) or (operation, tree, …)."""
    Rule = tuple[Tree | None, tuple[str | tuple[Tree, str], ...]]
    """The condition, and the sentence as literals and (expression, format)."""

    class Written(Protocol):
        """A rule as a record has it."""

        @property
        def say(self) -> str: ...
        @property
        def when(self) -> str | None: ...


LONGEST = 300
"""Characters of one expression."""
LARGEST = 1 << 96
"""Bound of every number on the way: no shape or size is near it."""


class _SilentError(Exception):
    """The values do not allow an answer: a name was not captured, a divisor is zero."""


def diagnose(rules: Iterable[Written], captures: Mapping[str, Value]) -> list[str]:
    """What the rules say about captured values, in order.

    Raises:
        UsageError: a rule does not parse.
    """
    return speak([parse_rule(rule.say, rule.when) for rule in rules], captures)


def speak(rules: Iterable[Rule], captures: Mapping[str, Value]) -> list[str]:
    """The sentences of the rules whose condition holds and whose names were all captured."""
    said = []
    for when, sentence in rules:
        try:
            if when is None or _evaluate(when, captures):
                said.append(
                    "".join(
                        part if isinstance(part, str) else _formatted(part, captures)
                        for part in sentence
                    )
                )
        except _SilentError:
            continue
    return said


def holds(condition: Tree, captures: Mapping[str, Value]) -> bool:
    """Whether a condition holds; not when it cannot be evaluated with these captures."""
    try:
        return bool(_evaluate(condition, captures))
    except _SilentError:
        return False


def parse_rule(say: str, when: str | None, names: Collection[str] | None = None) -> Rule:
    """Parse a rule.

    Args:
        say: the sentence.
        when: the condition, or None.
        names: the names that can be captured; None to allow any.

    Raises:
        UsageError: an unclosed brace, an unknown format, or see `parse_expression`.
    """
    condition = None if when is None else parse_expression(when, names)
    return condition, tuple(_parse_sentence(say, names))


def parse_expression(text: str, names: Collection[str] | None = None) -> Tree:
    """Parse an expression into tuples.

    Raises:
        UsageError: it is not an expression, too long, uses what is not allowed, or names what
            no template captures.
    """
    import ast

    if len(text) > LONGEST:
        raise UsageError(f"expression {text[:40]!r}… is longer than {LONGEST} characters; split it")
    try:
        parsed = ast.parse(text.strip(), mode="eval")
        return _tree(parsed.body, names)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{text!r} is not an expression over captured values") from None
    except _RefusedError as refused:
        raise UsageError(f"expression {text!r}: {refused}") from None


class _RefusedError(Exception):
    """What an expression may not hold."""


def _tree(node: ast.expr, names: Collection[str] | None) -> Tree:
    import ast

    tree: Tree | None = None
    match node:
        case ast.Constant(value=value) if isinstance(value, int | float | str):
            tree = ("value", value)
        case ast.Name(id=name) if names is None or name in names:
            tree = ("name", name)
        case ast.Name(id=name):
            known = ", ".join(sorted(names or ())) or "none"
            raise _RefusedError(f"no template captures '{name}' (captured: {known})")
        case ast.UnaryOp(op=ast.USub() | ast.Not() as op, operand=operand):
            tree = ("not" if isinstance(op, ast.Not) else "negative", _tree(operand, names))
        case ast.BinOp(left=left, op=op, right=right) if type(op).__name__ in _ARITHMETIC:
            tree = (type(op).__name__, _tree(left, names), _tree(right, names))
        case ast.BoolOp(op=op, values=values):
            parts = (_tree(value, names) for value in values)
            tree = ("and" if isinstance(op, ast.And) else "or", *parts)
        case ast.Compare(ops=ops) if all(type(op).__name__ in _COMPARISONS for op in ops):
            sides = [_tree(side, names) for side in (node.left, *node.comparators)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            tree = ("and", *((type(op).__name__, left, right) for op, left, right in pairs))
        case ast.Subscript(value=shape, slice=index):
            tree = ("index", _tree(shape, names), _tree(index, names))
        case ast.Call(func=ast.Name(id=function), args=[_, *_] as args, keywords=[]):
            if function not in _FUNCTIONS:
                raise _RefusedError(f"'{function}' is not one of {', '.join(_FUNCTIONS)}")
            tree = (function, *(_tree(arg, names) for arg in args))
    if tree is None:
        raise _RefusedError(f"{ast.unparse(node)!r} is not allowed; see errorkb.diagnosis")
    return tree


def _evaluate(tree: Tree, values: Mapping[str, Value]) -> Value:
    operation = tree[0]
    if operation == "value":
        return tree[1]  # type: ignore[no-any-return]  # a tuple tree is untyped inside
    if operation == "name":
        if tree[1] not in values:
            raise _SilentError
        return values[tree[1]]
    if operation == "and":
        return all(_evaluate(part, values) for part in tree[1:])
    if operation == "or":
        return any(_evaluate(part, values) for part in tree[1:])
    arguments = [_evaluate(part, values) for part in tree[1:]]
    if operation in _COMPARISONS:
        return _compare(operation, *arguments)
    try:
        result = _APPLY[operation](*arguments)
    except (ArithmeticError, TypeError, ValueError, IndexError):
        raise _SilentError from None
    if isinstance(result, int | float) and not abs(result) <= LARGEST:
        raise _SilentError
    return result


def _compare(sign: str, left: Value, right: Value) -> bool:
    if sign in {"Eq", "NotEq"}:
        return (left == right) is (sign == "Eq")
    first, second = _number(left), _number(right)
    return {
        "Lt": first < second,
        "LtE": first <= second,
        "Gt": first > second,
        "GtE": first >= second,
    }[sign]


def _number(value: Value) -> int | float:
    if isinstance(value, int | float):
        return value
    raise _SilentError


def _sizes(value: Value) -> tuple[int, ...]:
    if isinstance(value, tuple):
        return value
    raise _SilentError


def _product(value: Value) -> int:
    result = 1
    for size in _sizes(value):
        result *= size
        if abs(result) > LARGEST:
            raise _SilentError
    return result


def _ceil(value: Value) -> int:
    number = _number(value)
    return int(-(-number // 1))


def _gpus_with(value: Value) -> str:
    from errorkb.limits import gpus_with

    return _named(gpus_with(int(_number(value))))


def _gpus_for(value: Value) -> str:
    from errorkb.limits import gpus_for

    return _named(gpus_for(int(_number(value))))


def _named(gpus: str) -> str:
    if not gpus:
        raise _SilentError
    return gpus


_COMPARISONS = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
_ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "Add": lambda a, b: _number(a) + _number(b),
    "Sub": lambda a, b: _number(a) - _number(b),
    "Mult": lambda a, b: _number(a) * _number(b),
    "Div": lambda a, b: _number(a) / _number(b),
    "FloorDiv": lambda a, b: _number(a) // _number(b),
    "Mod": lambda a, b: _number(a) % _number(b),
}
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "len": lambda a: len(_sizes(a)),
    "prod": _product,
    "min": lambda *a: min(map(_number, a if len(a) > 1 else _sizes(a[0]))),
    "max": lambda *a: max(map(_number, a if len(a) > 1 else _sizes(a[0]))),
    "abs": lambda a: abs(_number(a)),
    "ceil": _ceil,
    "gpus_with": _gpus_with,
    "gpus_for": _gpus_for,
}
_APPLY: dict[str, Callable[..., Value]] = {
    **_ARITHMETIC,
    **_FUNCTIONS,
    "not": lambda a: not a,
    "negative": lambda a: -_number(a),
    "index": lambda a, i: _sizes(a)[int(_number(i))],
}


def _parse_sentence(say: str, names: Collection[str] | None) -> list[str | tuple[Tree, str]]:
    parts: list[str | tuple[Tree, str]] = []
    literal = ""
    position = 0
    while position < len(say):
        character = say[position]
        if say[position : position + 2] in {"{{", "}}"}:
            literal += character
            position += 2
        elif character == "{":
            end = say.find("}", position)
            if end < 0:
                raise UsageError(f"sentence {say!r} has an unclosed '{{'")
            parts += [literal] if literal else []
            literal = ""
            parts.append(_parse_field(say[position + 1 : end], names))
            position = end + 1
        elif character == "}":
            raise UsageError(f"sentence {say!r} has a stray '}}'; write '}}}}' for a brace")
        else:
            literal += character
            position += 1
    return [*parts, literal] if literal else parts


def _parse_field(inside: str, names: Collection[str] | None) -> tuple[Tree, str]:
    expression, colon, format_ = inside.rpartition(":")
    if not colon or "'" in format_ or '"' in format_:  # a colon inside quotes: 'cuda:0'
        expression, format_ = inside, ""
    digits = format_[1:-1]
    fixed = format_[:1] == "." and format_[-1:] in {"f", "%"} and digits in set("0123456")
    if format_ not in {"", "bytes", ","} and not fixed:
        raise UsageError(
            f"'{{{inside}}}' has the unknown format '{format_}'; use bytes, a comma, .2f or .1%"
        )
    return parse_expression(expression, names), format_


def _formatted(part: tuple[Tree, str], captures: Mapping[str, Value]) -> str:
    value = _evaluate(part[0], captures)
    format_ = part[1]
    if format_ == "":
        # A quotient such as 3.0000000000000004 helps nobody.
        return f"{value:.6g}" if isinstance(value, float) else str(value)
    number = _number(value)
    return bytes_text(number) if format_ == "bytes" else format(number, format_)


def bytes_text(number: float) -> str:
    """Bytes for a reader: 1610612736 → 1.50 GiB."""
    for unit, size in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(number) >= size:
            return f"{number / size:.2f} {unit}"
    return f"{number:g} bytes"
