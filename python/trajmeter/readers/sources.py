"""What a call was given, one thing or several, checked before anything is done with it."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from trajmeter.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["files_or", "several"]


def files_or(given: object, kind: type | None = None, *, name: str) -> Iterator[Any]:
    """Each of some files and records, or the only file.

    Args:
        given: A file, or several files and records.
        kind: Class of the records; ``None`` where only files are taken.
        name: Name of the argument, for messages.

    Raises:
        InputError: It is neither; the message names the argument and the index.
    """
    own = kind.__name__ if kind else ""
    listed = f"the path of a file, or a list of paths{own and f' or {own} records'}"
    items = [given] if isinstance(given, (str, PathLike)) else several(given, listed, name=name)
    kinds = (str, PathLike, kind) if kind else (str, PathLike)
    for index, item in enumerate(items):
        if not isinstance(item, kinds):
            expected = f"the path of a file{own and f' or a {own}'}"
            raise InputError(f"{name}[{index}] is {_shown(item)}, expected {expected}")
        yield item


def several(given: object, expected: str, *, name: str) -> Iterable[Any]:
    """The argument, if it can be a list of things.

    Args:
        given: The argument.
        expected: What it should be, for messages.
        name: Its name, for messages.

    Raises:
        InputError: It is a number, a record, a mapping or the like.
    """
    # A text, a mapping and a record can be iterated over too, but not over what is wanted.
    is_one = isinstance(given, (str, bytes, Mapping)) or hasattr(given, "__pydantic_validator__")
    if is_one or not isinstance(given, Iterable):
        raise InputError(f"{name} is {_shown(given)}, expected {expected}")
    return given


def _shown(value: object) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"
