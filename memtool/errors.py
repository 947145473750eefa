"""The one exception that a user is meant to see."""

from __future__ import annotations


class MemtoolError(Exception):
    """Something memtool could not do; printed as one message, exit code 2.

    *message* says what and where, *hint* the way out. A bug is any other exception, and keeps its traceback.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
