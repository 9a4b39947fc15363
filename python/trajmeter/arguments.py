"""Checks for arguments that accept one value or a list."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

from trajmeter.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["as_iterable", "check_type", "paths_and_records", "records"]

RecordT = TypeVar("RecordT")


def paths_and_records(argument: object, record: type | None = None, *, name: str) -> Iterator[Any]:
    """Yield the items of an argument that is one path or a list of paths and records.

    Args:
        argument: A path, or several paths and records.
        record: Class of the records; ``None`` if only paths are allowed.
        name: Name of the argument, for messages.

    Raises:
        InputError: The argument has another type; the message names it and the index.
    """
    own = record.__name__ if record else ""
    expected = f"the path of a file, or a list of paths{own and f' or {own} records'}"
    if isinstance(argument, (str, PathLike)):
        items: Iterable[Any] = [argument]
    else:
        items = as_iterable(argument, expected, name=name)
    allowed = (str, PathLike, record) if record else (str, PathLike)
    for index, item in enumerate(items):
        if not isinstance(item, allowed):
            expected = f"the path of a file{own and f' or a {own}'}"
            raise InputError(f"{name}[{index}] is {_shown(item)}, expected {expected}")
        yield item


def as_iterable(argument: object, expected: str, *, name: str) -> Iterable[Any]:
    """Return the argument if it is an iterable of items rather than a single value.

    Args:
        argument: The argument.
        expected: What the argument should be, for messages.
        name: Its name, for messages.

    Raises:
        InputError: The argument is a number, record, mapping or other single value.
    """
    # Text, mappings and records are iterable too, but yield characters, keys and fields.
    is_one = isinstance(argument, (str, bytes, Mapping)) or hasattr(
        argument, "__pydantic_validator__"
    )
    if is_one or not isinstance(argument, Iterable):
        raise InputError(f"{name} is {_shown(argument)}, expected {expected}")
    return argument


def records(argument: object, kind: type[RecordT], *, name: str) -> tuple[RecordT, ...]:
    """Return an argument that is a list of records as a tuple.

    Args:
        argument: The argument.
        kind: Class of the records.
        name: Name of the argument, for messages.

    Raises:
        InputError: The argument has another type; the message names it and the index.
    """
    items = tuple(as_iterable(argument, f"a list of {kind.__name__} records", name=name))
    for index, item in enumerate(items):
        if not isinstance(item, kind):
            check_type(item, kind, name=f"{name}[{index}]")
    return items


def check_type(argument: object, kind: type, *, name: str) -> None:
    """Check that an argument is an instance of a class.

    Args:
        argument: The argument.
        kind: The class.
        name: Name of the argument, for messages.

    Raises:
        InputError: The argument has another type.
    """
    if not isinstance(argument, kind):
        expected = "text" if kind is str else f"a {kind.__name__}"
        raise InputError(f"{name} is {_shown(argument)}, expected {expected}")


def _shown(value: object) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"
