"""Frame lines of Python, IPython, pytest and rich, and lines that are none."""

from __future__ import annotations

import pytest

from errorkb.frames import frame_of, is_source


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ('File "/a/b.py", line 3, in step', ("/a/b.py", "step")),
        ('File "/a/b.py", line 3, in Pool.step', ("/a/b.py", "step")),
        ('File "/a/b.py", line 3, in <module>', ("/a/b.py", "<module>")),
        ('File "/a/b.py", line 3 in wait', ("/a/b.py", "wait")),
        ('File "C:\\a b\\c.py", line 3, in f', ("C:/a b/c.py", "f")),
        ("File ~/a/b.py:365, in Pool.step(self, *args)", ("~/a/b.py", "step")),
        ("/a/b.py:12 in step", ("/a/b.py", "step")),
        ("a/b.py:8: in step", ("a/b.py", "step")),
        ("a/b.py:1009: AssertionError", ("a/b.py", "")),
        ("[/a/b.py](https://localhost:8080/#) in run(self, x)", ("/a/b.py", "run")),
        ("/home/x/.pyenv/a.py:8: in f", ("/home/x/.pyenv/a.py", "f")),
        ("Cell In[3], line 1", ("<notebook>", "")),
    ],
)
def test_a_frame(text: str, frame: tuple[str, str]) -> None:
    assert frame_of(text) == frame


@pytest.mark.parametrize(
    "text",
    [
        "see a.py: it fails",
        "running x.py now in test",
        "File not found: a.py",
        "Files: 3 in all",
        "error in gdn.py:237 when running",
        "ValueError: in a.py",
    ],
)
def test_no_frame(text: str) -> None:
    assert frame_of(text) is None


@pytest.mark.parametrize("body", ["    ^^^^", "    ~~~^^", "--> 31 step()", "    raise ValueError"])
def test_source_below_a_frame(body: str) -> None:
    assert is_source(body, in_traceback=True)


@pytest.mark.parametrize("body", ["ValueError: x", "collect2: error: ld returned 1"])
def test_no_source(body: str) -> None:
    assert not is_source(body, in_traceback=True)
