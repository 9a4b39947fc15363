"""Default metrics, and what to score: files, records, or both."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from trajmeter.arguments import paths_and_records
from trajmeter.records import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from trajmeter.records import ReadProblem

__all__ = ["DEFAULT_METRICS", "RecordSource", "records_from", "tasks_from"]

DEFAULT_METRICS = ("context",)
"""Metrics used when none are named."""

_RecordT = TypeVar("_RecordT")

RecordSource: TypeAlias = "str | Path | Iterable[str | Path | _RecordT]"
"""One file, or several, or records, or both."""


def tasks_from(
    source: RecordSource[Task], *, on_problem: Callable[[ReadProblem], None] | None = None
) -> Iterator[Task]:
    """Tasks, from files of any known format and from records.

    Raises:
        InputError: An item is neither.
        ReadError: Without ``on_problem``: something cannot be read.
    """

    def read(path: Path) -> Iterator[Task]:
        from trajmeter.readers import read_tasks  # a harness passes records, and needs no reader

        return read_tasks(path, on_problem=on_problem)

    return records_from(paths_and_records(source, Task, name="tasks"), read)


def records_from(
    items: Iterable[str | Path | _RecordT], read: Callable[[Path], Iterator[_RecordT]]
) -> Iterator[_RecordT]:
    """Yield the records, and those in the files."""
    for item in items:
        if isinstance(item, (str, PathLike)):
            from trajmeter.remote import path_of

            yield from read(path_of(item))
        else:
            yield item
