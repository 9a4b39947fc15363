"""Opens results tables, and names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import copy
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from trajmeter.arguments import as_iterable
from trajmeter.errors import ConfigurationError
from trajmeter.readers.results import ResultsTable, open_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.readers.results import ResultsSource
    from trajmeter.records import ReadProblem

    Tables: TypeAlias = "ResultsSource | Iterable[ResultsSource] | Mapping[str, ResultsSource]"

__all__ = ["open_tables", "short_names", "table_labels"]

_KEY = "task_id"
"""A mapping with this key is a row, or columns, rather than tables by their names."""


def open_tables(
    tables: Tables, *, on_problem: Callable[[ReadProblem], None] | None = None
) -> list[ResultsTable]:
    """Open one table or several; the keys of a mapping are their names.

    Raises:
        InputError: They are neither, or as in :func:`trajmeter.readers.results.open_results`.
        ConfigurationError: There are none.
    """
    if isinstance(tables, Mapping) and _KEY not in tables:
        opened = [
            _labelled(open_results(each, name=name, on_problem=on_problem), name)
            for name, each in zip(map(str, tables), _listed(tables.values()), strict=True)
        ]
    else:
        opened = [
            open_results(source, name=f"table {number}", on_problem=on_problem)
            for number, source in enumerate(_sources(tables), 1)
        ]
    if not opened:
        raise ConfigurationError("no results table was given")
    return opened


def _labelled(table: ResultsTable, name: str) -> ResultsTable:
    """A copy with a name, as one table may have several."""
    copied: Any = copy(table)
    copied.label = name
    return cast("ResultsTable", copied)


def _sources(tables: Tables) -> list[Any]:
    if isinstance(tables, (str, PathLike, ResultsTable)) or hasattr(tables, "__arrow_c_stream__"):
        return [tables]
    rows = getattr(tables, "rows", None)  # the result of trajmeter.score
    if isinstance(rows, list):
        return [rows]
    listed = list(
        as_iterable(tables, "a path, rows, or tables in a list or by name", name="tables")
    )
    if listed and all(isinstance(each, Mapping) for each in listed):
        return [listed]
    return _listed(listed)


def _listed(sources: Iterable[Any]) -> list[Any]:
    """Several tables, of which the result of trajmeter.score is its rows."""
    return [each if _is_source(each) else getattr(each, "rows", each) for each in sources]


def _is_source(value: object) -> bool:
    return isinstance(value, (str, PathLike)) or hasattr(value, "__arrow_c_stream__")


def table_labels(tables: Sequence[ResultsTable]) -> list[str]:
    """Names of tables, made distinct if equal."""
    seen: Counter[str] = Counter()
    labels = []
    for table in tables:
        name = table.label or table.name
        seen[name] += 1
        again = f" ({seen[name]})" if seen[name] > 1 else ""
        labels.append(f"{name}{again}")
    return labels


def short_names(tables: Sequence[ResultsTable]) -> dict[str, str]:
    """Names of tables for people, by label: as given, or file names without folder and suffix.

    If that makes two equal, all have their labels.
    """
    labels = table_labels(tables)
    short = {
        label: label if table.label else Path(label).stem
        for table, label in zip(tables, labels, strict=True)
    }
    return short if len(set(short.values())) == len(labels) else {each: each for each in labels}
