"""Every exception Trajmeter raises, each with a stable ``code``.

The Rust extension raises these same classes, so ``except`` clauses and error handling by code work
whichever backend computes. A code never changes once released; a message may.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "ArrayError",
    "BackendError",
    "ConfigurationError",
    "EmptyInputError",
    "ExtraMissingError",
    "InputError",
    "InternalError",
    "NegativeKeyError",
    "NegativeSpanError",
    "OffsetsError",
    "ReadError",
    "ReversedSpanError",
    "SessionFinishedError",
    "TotalOverflowError",
    "TrajmeterError",
    "UnknownNameError",
    "UnscoredError",
    "ValueDomainError",
    "format_exception",
]


class TrajmeterError(Exception):
    """Base of every exception of this package."""

    code: ClassVar[str] = "error"


class InputError(TrajmeterError, ValueError):
    """A value that was passed in cannot be used."""

    code: ClassVar[str] = "invalid_input"


class NegativeSpanError(InputError):
    """A span begins before byte 0."""

    code: ClassVar[str] = "negative_span"


class ReversedSpanError(InputError):
    """A span ends before it begins."""

    code: ClassVar[str] = "reversed_span"


class NegativeKeyError(InputError):
    """The key of a span, which says what it lies in, is negative."""

    code: ClassVar[str] = "negative_key"


class TotalOverflowError(InputError):
    """A sum of sizes does not fit in a signed 64-bit integer."""

    code: ClassVar[str] = "overflow"


class ArrayError(InputError, TypeError):
    """An array has the wrong type, dtype, number of dimensions or memory layout."""

    code: ClassVar[str] = "invalid_array"


class OffsetsError(InputError):
    """Offsets of a ragged batch are empty, decrease, or lead outside the values."""

    code: ClassVar[str] = "invalid_offsets"


class EmptyInputError(InputError):
    """A figure is undefined because there is nothing to compute it from."""

    code: ClassVar[str] = "empty_input"


class ValueDomainError(InputError):
    """A number lies outside the domain of the figure, such as NaN in a geometric mean."""

    code: ClassVar[str] = "value_domain"


class ReadError(TrajmeterError):
    """A file, or one record of it, cannot be read; the message names file, line and cause."""

    code: ClassVar[str] = "unreadable"


class ConfigurationError(TrajmeterError, ValueError):
    """An option, profile or parameter is wrong, or two of them contradict each other."""

    code: ClassVar[str] = "invalid_configuration"


class UnknownNameError(ConfigurationError, LookupError):
    """A metric, profile or format of this name does not exist; the message lists those that do."""

    code: ClassVar[str] = "unknown_name"


class ExtraMissingError(TrajmeterError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    code: ClassVar[str] = "missing_extra"


class SessionFinishedError(TrajmeterError, RuntimeError):
    """A session was finished before, so that nothing more can be recorded in it."""

    code: ClassVar[str] = "session_finished"


class UnscoredError(TrajmeterError, ValueError):
    """A figure has no value, where a host needs one; the message says why."""

    code: ClassVar[str] = "unscored"


class BackendError(TrajmeterError, ImportError):
    """The requested kernel backend is absent or broken."""

    code: ClassVar[str] = "backend_unavailable"


class InternalError(TrajmeterError):
    """A defect of this package, such as a panic in the Rust core; please report it."""

    code: ClassVar[str] = "internal"


def format_exception(error: BaseException) -> str:
    """Class and message of any exception in one line, as text that every file can hold.

    Example:
        >>> format_exception(ValueError("no such tool")), format_exception(SystemExit())
        ('ValueError: no such tool', 'SystemExit')
    """
    name = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the class may be anybody's
        message = "(its message cannot be shown)"
    shown = message.encode("utf-8", "backslashreplace").decode()  # half a surrogate is not UTF-8
    return f"{name}: {shown}" if shown else name
