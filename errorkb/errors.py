"""The one exception that a user of the command line sees as a sentence.

Exit codes: 0 found or passed, 1 not found or failed, 2 usage or bad input.
"""

from __future__ import annotations

FOUND = 0
NOT_FOUND = 1
BAD_INPUT = 2


class UsageError(Exception):
    """Input that cannot be used; its text is one sentence that says what to do."""
