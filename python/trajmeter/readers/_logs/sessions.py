"""Logs in which a whole file, and not a single line, is one or more trajectories."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import content_name
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.values import seconds_between
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.records import ReadProblem, Source, Usage
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from trajmeter.readers._recognition.formats import Evidence

__all__ = [
    "STRANGERS",
    "Clock",
    "Event",
    "events",
    "evidence_at_start",
    "first_objects",
    "known_only",
    "path_below",
    "stem_of",
    "usage_from",
]

STRANGERS = 2
"""Number of other values that may precede those by which a file is recognised."""


class Event(NamedTuple):
    """One line of a log, or one item of a log that is a list."""

    source: Source
    """Its position."""
    value: dict[str, Any]
    """Its content."""
    report: Callable[[ReadProblem], None]
    """Callback for problems with it."""

    @property
    def place(self) -> str:
        """Its position in the log."""
        return f"line {self.source.line}" if self.source.line else self.source.record or "log"

    def problem(self, message: str) -> None:
        """Report a part of it that cannot be used."""
        self.report(problem_at(self.source, message))


def events(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Event]:
    """Yield the lines of a log, or the items of a list, and report those that are not objects."""
    for source, value in entries(path):
        if isinstance(value, dict):
            yield Event(source, value, report)
        elif isinstance(value, ReadError):
            Event(source, {}, report).problem(str(value))
        else:
            message = f"expected an object, got {json_input.type_name(value)}"
            Event(source, {}, report).problem(message)


def first_objects(head: bytes) -> Iterator[dict[str, Any]]:
    """The objects on the first lines of a file, or the first items of a list."""
    for value in beginning(head):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield item


def evidence_at_start(
    head: bytes, of: Callable[[dict[str, Any]], Evidence | None]
) -> Evidence | None:
    """The evidence in the first object that has any; others may have been written before it.

    Args:
        head: The beginning of a file.
        of: The evidence in an object.
    """
    found = (of(each) for each in islice(first_objects(head), STRANGERS + 1))
    return next((each for each in found if each is not None), None)


def usage_from(
    values: Mapping[str, object], problem: Callable[[str], object], *, name: str = "usage"
) -> Usage | None:
    """Make a usage from tokens and cost, if there are any.

    Args:
        values: Fields of a :class:`Usage`.
        problem: Called if a value has the wrong type; there is no usage then.
        name: Name of these values in the log.
    """
    try:
        usage = Usage.model_validate(values)
    except ValidationError as error:
        problem(f"{name}.{describe_error(error)}")
        return None
    return None if usage == Usage() else usage


def path_below(path: str, folder: str | None) -> str:
    """A path relative to the folder, if it is inside the folder.

    Example:
        >>> path_below("/repo/src/a.py", "/repo"), path_below("/tmp/a.py", "/repo")
        ('src/a.py', '/tmp/a.py')
    """
    if folder is None:
        return path
    within = path.removeprefix(folder.rstrip("/") + "/")
    return within or path


def stem_of(path: Path) -> str:
    """Name of a file without its suffix and compression suffix."""
    return Path(content_name(path)).stem


def known_only(**values: object) -> dict[str, Any]:
    """The values that are not missing, by name."""
    return {name: value for name, value in values.items() if value is not None}


class Clock:
    """Times of the lines of a log, in seconds since 1970."""

    def __init__(self) -> None:
        self.lines = 0
        """Number of lines, with or without a time."""
        self.now: float | None = None
        """Time of the last line that has one."""
        self._times = 0
        self._first: float | None = None
        self._last: float | None = None

    def tick(self, time: float | None) -> None:
        """Record the time of a line."""
        self.lines += 1
        if time is not None:
            self._times += 1
            self.now = time
            self._first = time if self._first is None else min(self._first, time)
            self._last = time if self._last is None else max(self._last, time)

    @property
    def passed(self) -> float | None:
        """Seconds from the first to the last line; ``None`` unless two lines have a time."""
        return seconds_between(self._first, self._last) if self._times > 1 else None
