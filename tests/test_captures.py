"""captures: which text each type takes, and that its value is written back as it was read."""

from __future__ import annotations

import pytest

from errorkb.captures import FREE, TYPES, written


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("int", "-12", -12),
        ("float", "1e-6", 1e-6),
        ("float", "3", 3.0),
        ("word", "a/b.c!", "a/b.c!"),
        ("name", "torch.nn.Linear", "torch.nn.Linear"),
        ("shape", "(1, 8, 2)", (1, 8, 2)),
        ("shape", "[1, 8]", (1, 8)),
        ("shape", "torch.Size([4, -1])", (4, -1)),
        ("shape", "(128,)", (128,)),
        ("shape", "()", ()),
        ("dtype", "torch.bfloat16", "torch.bfloat16"),
        ("dtype", "struct c10::Half", "struct c10::Half"),
        ("device", "cuda:0", "cuda:0"),
        ("device", "cpu", "cpu"),
        ("size", "2.00 GiB", 2 << 30),
        ("size", "512 bytes", 512),
        ("path", r"C:\Program Files\x.dll", r"C:\Program Files\x.dll"),
        ("str", "", ""),
        ("text", "two\nlines", "two\nlines"),
    ],
)
def test_a_text_becomes_the_value_of_its_type(type_: str, text: str, value: object) -> None:
    found = TYPES[type_].value(text)
    assert (found, type(found)) == (value, type(value))
    assert found is not None
    assert TYPES[type_].value(written(found, type_)) == value


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("int", "4.5"),
        ("int", ""),
        ("int", "٤"),
        ("float", "1_0"),
        ("word", "two words"),
        ("name", "1st"),
        ("shape", "(1, x)"),
        ("shape", "(1"),
        ("shape", "1, 2"),
        ("dtype", "16 bit"),
        ("device", "cuda:x"),
        ("size", "2 GiBs"),
        ("size", "nan GiB"),
        ("path", " "),
    ],
)
def test_a_text_of_another_type_is_refused(type_: str, text: str) -> None:
    assert TYPES[type_].value(text) is None


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("bytes", 1),
        ("byte", 1),
        ("B", 1),
        ("KiB", 2**10),
        ("MiB", 2**20),
        ("GiB", 2**30),
        ("TiB", 2**40),
        ("KB", 10**3),
        ("MB", 10**6),
        ("GB", 10**9),
        ("TB", 10**12),
    ],
)
def test_a_size_is_in_bytes(unit: str, factor: int) -> None:
    assert TYPES["size"].value(f"2.5 {unit}") == round(2.5 * factor)


def test_free_types_take_any_text() -> None:
    assert all(TYPES[name].value("") == "" and TYPES[name].value("?\t?") == "?\t?" for name in FREE)
