"""Reading a rule's configuration from a task's free-form metadata.

Metadata is written by hand, in JSON or YAML, so a lone text stands for a list of one and a number
may be quoted. What cannot be used is left out, never taken for something else.
"""

from __future__ import annotations

import math

__all__ = ["read_budget", "read_texts"]


def read_texts(value: object) -> tuple[str, ...]:
    """Read a list of texts: tool names or markers.

    Texts are trimmed, and empty ones dropped. Entries that are no text are dropped, not converted:
    a stray null must not become a tool named ``None``.

    Example:
        >>> read_texts(["search", None, " ", " open "])
        ('search', 'open')
        >>> read_texts("search")
        ('search',)
        >>> read_texts({"search": 1})
        ()
    """
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, (list, tuple)):
        return ()
    return tuple([text for entry in value if isinstance(entry, str) and (text := entry.strip())])


def read_budget(value: object) -> float | None:
    """Read a budget: a number above 0, which may be quoted, or infinite.

    Returns:
        The budget, or ``None`` where there is none: absent, zero, negative, NaN, true or false, or
        text that Python's ``float`` does not read.

    Example:
        >>> read_budget(" 1_000 ")
        1000.0
        >>> read_budget("1000ms") is None and read_budget(True) is None
        True
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        budget = float(value.strip() if isinstance(value, str) else value)
    except ValueError:
        return None
    except OverflowError:
        budget = math.inf if value > 0 else -math.inf  # type: ignore[operator] # only an int overflows
    return budget if budget > 0 else None
