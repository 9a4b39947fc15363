"""Ratings of judges, read from results tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.figure_names import matching_figures
from trajmeter.summaries.result_tables import open_tables, table_labels
from trajmeter.summaries.wanted_figures import NUMERIC, declared_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from trajmeter.readers.results import ResultsTable
    from trajmeter.records import ReadProblem
    from trajmeter.summaries.result_tables import Tables

__all__ = ["Ratings", "ratings_of_tables"]

_KEY = ("task_id", "agent", "model", "attempt")
_RATED = ("scored", "assigned")
"""Outcomes of groups whose figures are ratings."""


class Ratings(NamedTuple):
    """The ratings of one judge."""

    name: str
    """Name of the judge, such as its file."""
    figures: Mapping[str, Mapping[Hashable, Any]]
    """Ratings of each figure by item: numbers, booleans or texts."""
    task_of: Mapping[Hashable, str]
    """Task of each item."""


def ratings_of_tables(
    tables: Tables,
    figures: Sequence[str] | None,
    on_problem: Callable[[ReadProblem], None] | None,
) -> list[Ratings]:
    """Read the ratings of judges from a results table of each.

    Args:
        tables: The tables.
        figures: Names and patterns of figures; ``None`` for all that judges share.
        on_problem: Called with every row that cannot be read.

    Raises:
        ConfigurationError: A table contains an attempt twice.
    """
    opened = open_tables(tables, on_problem=on_problem)
    names = _shared_figures(opened, figures)
    return [
        _ratings(table, label, names)
        for table, label in zip(opened, table_labels(opened), strict=True)
    ]


def _shared_figures(tables: Sequence[ResultsTable], figures: Sequence[str] | None) -> list[str]:
    """Columns of ratings that at least two tables share.

    Unless figures are requested, these are the ones with a better side, or else all numbers.
    """
    shared = [
        name
        for name in dict.fromkeys(name for table in tables for name in table.columns)
        if name not in (*_KEY, "source", "backend")
        and sum(name in table.columns for table in tables) > 1
    ]
    if figures is not None:
        return matching_figures(figures, shared)
    declared = declared_figures(tables, shared)
    directed = [name for name, info in declared.items() if info.higher_is_better is not None]
    return directed or [
        name for name in shared if any(table.columns.get(name) in NUMERIC for table in tables)
    ]


def _ratings(table: ResultsTable, label: str, names: Sequence[str]) -> Ratings:
    """The ratings of each attempt in a table."""
    texts = [name for name in names if table.columns.get(name) == "text"]
    numbers = [name for name in names if name in table.columns and name not in texts]
    figures: dict[str, dict[Hashable, Any]] = {name: {} for name in (*texts, *numbers)}
    task_of: dict[Hashable, str] = {}
    outcome_of = {
        name: outcome
        for name in figures
        if (outcome := f"{name.rpartition('.')[0]}.outcome") in table.columns
    }
    wanted = [*_KEY, *texts, *dict.fromkeys(outcome_of.values())]
    for batch in table.batches(wanted, numbers):
        columns: dict[str, list[Any]] = {
            name: batch.column(name).to_pylist() for name in batch.schema.names
        }
        keys = [*zip(*(columns[name] for name in _KEY), strict=True)]
        for key in keys:
            if key in task_of:
                raise ConfigurationError(f"{label}: one attempt occurs twice: {key}")
            if key[0] is not None:
                task_of[key] = key[0]
        for name, ratings in figures.items():
            values = columns[name]
            outcomes = columns[outcome_of[name]] if name in outcome_of else ["scored"] * len(keys)
            is_boolean = table.columns[name] == "boolean"
            ratings.update(
                (key, bool(value) if is_boolean else value)
                for key, value, outcome in zip(keys, values, outcomes, strict=True)
                if key in task_of and outcome in _RATED and _is_rating(value)
            )
    return Ratings(label, figures, task_of)


def _is_rating(value: object) -> bool:
    """Whether a value is neither missing nor NaN."""
    return value is not None and value == value  # noqa: PLR0124 - only NaN differs from itself
