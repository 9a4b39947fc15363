"""Tasks from the rows of their attempts, by a mapping of fields prefixed with ``task.``."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._recognition.mapping import (
    check_field,
    check_parquet,
    has_column,
    is_of_task,
    parsed,
    value_in,
)
from trajmeter.readers.own_records import TASKS
from trajmeter.records import Task
from trajmeter.shapes import shape_of
from trajmeter.spelling import nearest
from trajmeter.system.pipes import is_named_pipe
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.readers._files.inputs import Input
    from trajmeter.records import ReadProblem, Source
    from trajmeter.shapes import Shape

__all__ = ["TaskColumns", "mapped_tasks", "tasks_of_rows"]

_IDS = ("task_id", "instance_id")
"""Keys that may contain the id of an attempt's task if none is mapped."""


class TaskColumns:
    """Makes a task from each row.

    Args:
        mapping: Columns by field; task fields have the prefix ``task.``.

    Raises:
        ConfigurationError: A task has no such field, or one field is nested in another.
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._ids = (mapping["task_id"],) if "task_id" in mapping else _IDS
        self.columns = {
            field.partition(".")[2]: mapping[field] for field in mapping if is_of_task(field)
        }
        """Columns by task field."""
        self._shapes: dict[str, Shape] = {}
        shape = shape_of(Task)
        for field in self.columns:
            if field == "id":
                raise ConfigurationError("map: the task has the id of its attempt; map task_id")
            self._shapes[field] = check_field(field, shape, "tasks")
            if any(other.startswith(f"{field}.") for other in self.columns):
                raise ConfigurationError(f"map: 'task.{field}' is mapped as a whole and in part")

    def check(self, path: Path) -> None:
        """Check that a Parquet file has the columns, with types that fit the fields.

        Raises:
            ConfigurationError: A column is absent or of the wrong type.
        """
        check_parquet(path, self.columns, self._shapes)

    def check_schema(self, schema: pa.Schema, place: str) -> None:
        """Check columns by type, as :meth:`check` does for a file.

        Raises:
            ConfigurationError: A column is absent or of the wrong type.
        """
        from trajmeter.readers._recognition.mapped_types import check_schema

        check_schema(schema, place, self.columns, self._shapes)

    def may_use(self, name: str) -> bool:
        """Whether a column of this name may contain the id or a field of the task."""
        used = (*self._ids, *self.columns.values())
        return any(column == name or column.startswith(f"{name}.") for column in used)

    def task(self, row: Mapping[str, JsonValue], source: Source) -> Task | None:
        """The task of a row; ``None`` if it has no id or the columns are empty.

        Raises:
            ValidationError: A value has the wrong type.
            ReadError: Text in place of a list or object is not JSON.
        """
        ids = (value_in(row, column) for column in self._ids)
        name = next((each for each in ids if each is not None), None)
        values: dict[str, Any] = {}
        for field, column in self.columns.items():
            value = parsed(value_in(row, column), self._shapes[field])
            if value is None:
                continue
            *path, last = field.split(".")
            target = values
            for part in path:
                target = target.setdefault(part, {})
            target[last] = value
        if name is None or not values:
            return None
        is_number = isinstance(name, int) and not isinstance(name, bool)
        return TASKS.read({"id": str(name) if is_number else name, **values}, source)


def mapped_tasks(
    files: Iterable[Input], columns: TaskColumns, report: Callable[[ReadProblem], None]
) -> Iterator[Task]:
    """Make a task of every row that has one, and report rows where that fails.

    Unreadable files and rows are skipped: the reader of the attempts reports them.

    Raises:
        ConfigurationError: A Parquet file lacks a column, or a file is a pipe, which can be read
            only once.

    Warns:
        UserWarning: No row of the files has a column.
    """
    if columns.columns:
        yield from tasks_of_rows(_rows(files, columns), columns, report)


def tasks_of_rows(
    rows: Iterable[tuple[Source, dict[str, JsonValue]]],
    columns: TaskColumns,
    report: Callable[[ReadProblem], None],
) -> Iterator[Task]:
    """Make a task of every row that has one; see :func:`mapped_tasks`.

    Warns:
        UserWarning: No row has a column.
    """
    absent = {*columns.columns.values()}
    keys: dict[str, JsonValue] = {}
    for source, row in rows:
        keys = keys or row
        absent -= {column for column in absent if has_column(row, column)}
        try:
            task = columns.task(row, source)
        except ReadError as error:
            report(problem_at(source, f"task: {error}"))
        except ValidationError as error:
            report(problem_at(source, f"task: {describe_error(error)}"))
        else:
            if task is not None:
                yield task
    for column in sorted(absent) if keys else ():
        meant = nearest(column, keys)
        hint = f"; did you mean {meant!r}?" if meant else ""
        warnings.warn(f"no record has the mapped column {column!r}{hint}", stacklevel=2)


def _rows(
    files: Iterable[Input], columns: TaskColumns
) -> Iterator[tuple[Source, dict[str, JsonValue]]]:
    """The rows of files that contain rows."""
    for file in files:
        if file.problems or file.is_end or file.format is not None:
            continue
        if is_named_pipe(file.path):
            raise ConfigurationError(
                f"{file.path}: a pipe is read once, and tasks are read before attempts; use a file"
            )
        columns.check(file.path)
        for source, value in entries(file.path, may_be_own=False):
            if isinstance(value, dict):
                yield source, value
