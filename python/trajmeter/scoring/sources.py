"""Where records come from: files of any known format, and records themselves."""

from __future__ import annotations

from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from trajmeter.arguments import paths_and_records
from trajmeter.readers import read_tasks
from trajmeter.records import Task
from trajmeter.remote import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from trajmeter.records import ReadProblem

__all__ = ["DEFAULT_METRICS", "RecordSource", "records_from", "tasks_from"]

DEFAULT_METRICS = ("context",)
"""Metrics used when none are named."""

RecordT = TypeVar("RecordT")

RecordSource: TypeAlias = "str | Path | Iterable[str | Path | RecordT]"
"""One file, or several, or records, or both."""


def tasks_from(
    source: RecordSource[Task], *, on_problem: Callable[[ReadProblem], None] | None = None
) -> Iterator[Task]:
    """Tasks, from files of any known format and from records.

    Raises:
        InputError: An item is neither.
        ReadError: Without ``on_problem``: something cannot be read.
    """
    read = partial(read_tasks, on_problem=on_problem)
    return records_from(paths_and_records(source, Task, name="tasks"), read)


def records_from(
    items: Iterable[str | Path | RecordT], read: Callable[[str | Path], Iterator[RecordT]]
) -> Iterator[RecordT]:
    """The records, and those of the files among them."""
    for item in items:
        if isinstance(item, (str, PathLike)):
            yield from read(path_of(item))
        else:
            yield item
