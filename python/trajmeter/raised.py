"""What code that is not ours raised, in words."""

from __future__ import annotations

__all__ = ["told"]


def told(error: BaseException) -> str:
    """Class and message of any exception.

    Example:
        >>> told(ValueError("no such tool")), told(SystemExit())
        ('ValueError: no such tool', 'SystemExit')
    """
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the class may be anybody's
        message = "(its message cannot be shown)"
    return f"{name}: {message}" if message else name
