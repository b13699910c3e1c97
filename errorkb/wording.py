"""The template that a message expression prints, derived from its source.

`f"got {n}"` gives `got {n}`; so do `"got %d" % n`, `"got {}".format(n)` and `"got " + n`. A
placeholder whose expression is not a plain name gets a positional one (`{arg1}`).
"""

from __future__ import annotations

import ast
import re
import string

_PERCENT = re.compile(
    r"%(?:\((?P<key>\w+)\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?P<type>[a-zA-Z%])"
)

Assigned = dict[str, list[ast.Assign]]
"""The assignments to each local name, in source order."""


class _Names:
    """Names for the placeholders of one template."""

    def __init__(self) -> None:
        self._positional: dict[str, str] = {}

    def of(self, expression: ast.expr) -> str:
        """A plain name's own, or a positional one."""
        if isinstance(expression, ast.Name):
            return f"{{{expression.id}}}"
        return self.positional(ast.unparse(expression))

    def positional(self, text: str) -> str:
        """`{argN}`, the same for the same expression."""
        return f"{{{self._positional.setdefault(text, f'arg{len(self._positional) + 1}')}}}"


def derive(node: ast.expr, assigned: Assigned, names: _Names | None = None) -> str | None:
    """The template that a message expression prints; None where it holds no literal."""
    names = names or _Names()
    found: str | None = None
    match node:
        case ast.Constant(value=str(text)):
            found = _literal(text)
        case ast.JoinedStr(values=values) if any(isinstance(each, ast.Constant) for each in values):
            found = "".join(
                names.of(each.value)
                if isinstance(each, ast.FormattedValue)
                else _literal(str(getattr(each, "value", "")))
                for each in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            found = _sum((left, right), assigned, names)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod(), right=right):
            found = _percent(text, right, names)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format"), args=args
        ):
            found = _format(text, args, node.keywords, names)
        case ast.Name(id=name) if assignments := assigned.get(name):
            # `msg = f"…"; raise ValueError(msg)`: the last assignment above the raise.
            found = derive(assignments[-1].value, {}, names)
    return found


def _sum(sides: tuple[ast.expr, ast.expr], assigned: Assigned, names: _Names) -> str | None:
    texts = [derive(side, assigned, names) for side in sides]
    if all(text is None for text in texts):
        return None
    return "".join(
        names.of(side) if text is None else text for side, text in zip(sides, texts, strict=True)
    )


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _percent(text: str, right: ast.expr, names: _Names) -> str:
    values = list(right.elts) if isinstance(right, ast.Tuple) else [right]
    parts: list[str] = []
    end = 0
    for conversion in _PERCENT.finditer(text):
        parts.append(_literal(text[end : conversion.start()]))
        end = conversion.end()
        if conversion["type"] == "%":
            parts.append("%")
        elif conversion["key"]:
            parts.append(f"{{{conversion['key']}}}")
        else:
            parts.append(names.of(values.pop(0) if values else right))
    return "".join([*parts, _literal(text[end:])])


def _format(
    text: str, args: list[ast.expr], keywords: list[ast.keyword], names: _Names
) -> str | None:
    try:
        pieces = list(string.Formatter().parse(text))
    except ValueError:
        return None
    named = {each.arg for each in keywords}
    parts: list[str] = []
    position = 0
    for literal, field, _, _ in pieces:
        parts.append(_literal(literal))
        if field is None:
            continue
        reference = field or str(position)
        position += not field
        if reference in named:
            parts.append(f"{{{reference}}}")
        elif reference.isdigit() and int(reference) < len(args):
            parts.append(names.of(args[int(reference)]))
        else:
            parts.append(names.positional(reference))
    return "".join(parts)
