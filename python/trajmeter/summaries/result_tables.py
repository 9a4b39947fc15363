"""Opens results tables, and names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from trajmeter.arguments import as_iterable
from trajmeter.errors import ConfigurationError
from trajmeter.readers.results import ResultsTable, open_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.readers.results import ResultsSource
    from trajmeter.records import ReadProblem

    Tables: TypeAlias = "ResultsSource | Iterable[ResultsSource]"

__all__ = ["open_tables", "table_labels"]


def open_tables(
    tables: Tables, *, on_problem: Callable[[ReadProblem], None] | None = None
) -> list[ResultsTable]:
    """Open one table or several.

    Raises:
        InputError: They are neither, or as in :func:`trajmeter.readers.results.open_results`.
        ConfigurationError: There are none.
    """
    sources = _sources(tables)
    opened = [
        open_results(source, name=f"table {number}", on_problem=on_problem)
        for number, source in enumerate(sources, 1)
    ]
    if not opened:
        raise ConfigurationError("no results table was given")
    return opened


def _sources(tables: Tables) -> list[Any]:
    if isinstance(tables, (str, PathLike, ResultsTable)) or hasattr(tables, "__arrow_c_stream__"):
        return [tables]
    rows = getattr(tables, "rows", None)  # the result of trajmeter.score
    if isinstance(rows, list):
        return [rows]
    listed = list(as_iterable(tables, "a path, rows, or a list of tables", name="tables"))
    if listed and all(isinstance(each, Mapping) for each in listed):
        return [listed]
    return [getattr(each, "rows", each) if not _is_source(each) else each for each in listed]


def _is_source(value: object) -> bool:
    return isinstance(value, (str, PathLike)) or hasattr(value, "__arrow_c_stream__")


def table_labels(tables: Sequence[ResultsTable]) -> list[str]:
    """Names of tables, made distinct if equal."""
    seen: Counter[str] = Counter()
    labels = []
    for table in tables:
        seen[table.name] += 1
        again = f" ({seen[table.name]})" if seen[table.name] > 1 else ""
        labels.append(f"{table.name}{again}")
    return labels
