"""Parts of the errors that tracing programs write as text."""

from __future__ import annotations

import re

__all__ = ["exception_class", "without_traceback"]

_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"([A-Za-z_][\w.]*)(?:\(|: )")
"""An exception at the beginning of an error: its ``repr``, or its class and message."""


def without_traceback(error: str | None) -> str | None:
    """The error before its traceback; ``None`` if nothing is left."""
    return (error or "").partition(_TRACEBACK)[0].strip() or None


def exception_class(error: str | None) -> str:
    """Class of the exception in an error; ``error`` if it names none.

    Example:
        >>> exception_class("OSError('gone')"), exception_class("The run failed: no answer")
        ('OSError', 'error')
    """
    raised = _RAISED.match(error or "")
    return raised[1] if raised else "error"
