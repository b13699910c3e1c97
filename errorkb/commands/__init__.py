"""The commands of `errorkb`, one module each, imported only when called.

A command module has `HELP: str`, `configure(parser) -> None` and `run(args) -> int` (an exit
code of `errorkb.errors`); bad input raises `errorkb.errors.UsageError`.
"""
