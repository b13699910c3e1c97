"""One clean traceback, and the same in every wrapping that people paste."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

CLS, MESSAGE = "demo.errors.PoolError", "expected pool size (4, 8), got 7"
CLEAN = f"""\
Traceback (most recent call last):
  File "/home/user/app/serve.py", line 31, in main
    step(batch)
    ~~~~^^^^^^^
  File "/home/user/app/pool.py", line 12, in step
    raise PoolError(f"expected pool size {{want}}, got {{got}}")
{CLS}: {MESSAGE}
"""
FRAMES = [("/home/user/app/serve.py", "main"), ("/home/user/app/pool.py", "step")]


def each_line(text: str, change: Callable[[int, str], str]) -> str:
    return "".join(f"{change(n, line)}\n" for n, line in enumerate(text.splitlines()))


def chained(link: str) -> str:
    return CLEAN + f"\n{link}\n\n" + CLEAN.replace(f"{CLS}: {MESSAGE}", "RuntimeError: step failed")


DIRECT = "The above exception was the direct cause of the following exception:"
DURING = "During handling of the above exception, another exception occurred:"
PYTEST = f"""\
=================================== FAILURES ===================================
__________________________________ test_step ___________________________________

    def test_step():
>       step(batch)

tests/test_pool.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def step(batch):
        if batch.size != want:
>           raise PoolError(f"expected pool size {{want}}, got {{got}}")
E           {CLS}: {MESSAGE}

app/pool.py:12: PoolError
=========================== short test summary info ============================
FAILED tests/test_pool.py::test_step - {CLS}: {MESSAGE}
"""
IPYTHON = f"""\
---------------------------------------------------------------------------
PoolError                                 Traceback (most recent call last)
Cell In[3], line 1
----> 1 step(batch)

File ~/app/pool.py:12, in step(batch, *args)
     11 if batch.size != want:
---> 12     raise PoolError(f"expected pool size {{want}}, got {{got}}")

{CLS}: {MESSAGE}
"""
GROUP = f"""\
  + Exception Group Traceback (most recent call last):
  |   File "/home/user/app/serve.py", line 31, in main
  |     async with TaskGroup() as group:
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/user/app/pool.py", line 12, in step
    |     raise PoolError(f"expected pool size {{want}}, got {{got}}")
    | {CLS}: {MESSAGE}
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/home/user/app/other.py", line 5, in tick
    |     raise ValueError("no tick")
    | ValueError: no tick
    +------------------------------------
"""
RICH = f"""\
╭─────────────────── Traceback (most recent call last) ────────────────────╮
│ /home/user/app/serve.py:31 in main                                       │
│                                                                          │
│   30 │   batch = load()                                                  │
│ ❱ 31 │   step(batch)                                                     │
│                                                                          │
│ /home/user/app/pool.py:12 in step                                        │
╰──────────────────────────────────────────────────────────────────────────╯
{CLS}: {MESSAGE}
"""
COLOURED = each_line(CLEAN, lambda _, line: f"\x1b[0;31m{line[:5]}\x1b[1;35m{line[5:]}\x1b[0m")

WRAPPED = {
    "clean": CLEAN,
    "direct cause": chained(DIRECT),
    "during handling": chained(DURING),
    "cause, then cut": CLEAN + f"\n{DIRECT}\n",
    "pytest": PYTEST,
    "ipython": IPYTHON,
    "group": GROUP,
    "rich": RICH,
    "windows": CLEAN.replace("/home/user/app/", r"C:\Users\Some One\app" + "\\").replace(
        "\n", "\r\n"
    ),
    "ansi": COLOURED,
    "ansi without escape": COLOURED.replace("\x1b", ""),
    "ansi as text": COLOURED.replace("\x1b", "\\x1b").replace("\n", "\\n"),
    "rank": each_line(CLEAN, lambda _, line: f"[rank0]: {line}"),
    "nested prefixes": each_line(
        CLEAN, lambda n, line: f"0000-steps/0 [default6]:[rank6]: ERROR 04-01 23:46:{n:02} {line}"
    ),
    "process": each_line(
        CLEAN, lambda n, line: f"(EngineCore pid=71) ERROR 04-01 23:4{n}:56 [core.py:160] {line}"
    ),
    "ray": each_line(CLEAN, lambda _, line: f"\x1b[36m(Worker pid=9, ip=10.1.0.7)\x1b[0m {line}"),
    "compose": each_line(CLEAN, lambda _, line: f"server-1  | {line}"),
    "kubernetes": each_line(
        CLEAN, lambda n, line: f"2026-08-28T16:10:3{n}.123456789Z stderr F {line}"
    ),
    "syslog": each_line(CLEAN, lambda n, line: f"Aug 28 16:10:3{n} node7 python[123]: {line}"),
    "glog": each_line(
        CLEAN, lambda n, line: f"E0912 11:54:5{n}.366000 1121181 app/pool.py:2100] [7/0] {line}"
    ),
    "srun": each_line(CLEAN, lambda _, line: f"3: {line}"),
    "logging": f"2026-08-28 16:10:33,123 - app.serve - ERROR - failed\n{CLEAN}",
    "loguru": f"2026-08-28 16:10:33.123 | ERROR    | app.serve:main:31 - failed\n{CLEAN}",
    "json line": json.dumps({"level": "error", "message": "failed", "exc_info": CLEAN}) + "\n",
    "prefixed json line": "2026-08-28T16:10:33Z "
    + json.dumps({"msg": "step", "exception": {"trace": CLEAN}}),
    "json document": json.dumps({"error": {"detail": CLEAN}}, indent=2),
    "notebook": json.dumps(
        {"cells": [{"outputs": [{"ename": "PoolError", "traceback": COLOURED.split("\n")}]}]},
        indent=1,
    ),
    "notebook fragment": "".join(
        f"  {json.dumps(line + chr(10))},\n" for line in CLEAN.split("\n")
    ),
    "escaped newlines": 'log: "' + CLEAN.replace('"', '\\"').replace("\n", "\\n") + '"',
    "html": f"<pre>{html.escape(CLEAN)}</pre>",
    "curly quotes": CLEAN.replace('"', "\u201c"),
    "no-break spaces": CLEAN.replace(" ", "\u00a0"),
    "head cut": CLEAN[60:],
    "only the message": f"{CLS}: {MESSAGE}",
    "mid-line": f"worker().run() {CLS}: {MESSAGE}",
    "quoted": f"Worker failed with error {CLS}('{MESSAGE}')",
    "raised by a compiler": f"backend raised {CLS}: {MESSAGE}",
}
