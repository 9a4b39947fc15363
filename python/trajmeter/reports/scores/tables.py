"""What the report of a scoring run shows, as tables of text, whoever renders them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trajmeter.reports.plain_text import visible
from trajmeter.reports.scores._arrangement import arrange
from trajmeter.reports.scores._cells import NOTHING, amount, labels, scored_of_total
from trajmeter.reports.scores._outcomes import outcome_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.reports.scores._arrangement import Arrangement
    from trajmeter.summaries.summary import AttemptsSummary, Summary

__all__ = ["GAP", "ScoreReport", "Table", "score_report"]

GAP = 2
"""Blanks between columns."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text."""

    title: str
    """What it shows."""
    header: tuple[str, ...]
    """Heading of each column."""
    rows: tuple[tuple[str, ...], ...]
    """Cells, one for each column."""
    texts: tuple[int, ...] = (0,)
    """Columns of text, aligned to the left; the others are numbers."""

    def widths(self) -> list[int]:
        """Characters of each column, if no cell is broken, with the gap before the next."""
        columns = zip(self.header, *self.rows, strict=True)
        return [max(map(len, column)) + GAP for column in columns]


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The tables of one scoring run."""

    heading: str
    """How many attempts were scored, and by which metrics."""
    tables: tuple[Table, ...]
    """Tables in the order they are shown."""


def score_report(summary: Summary, *, width: int | None = None) -> ScoreReport:
    """Arrange a summary as tables.

    Args:
        summary: The summary.
        width: Characters of a line. What does not fit is arranged otherwise: a grid as a list,
            and columns of agents in several tables. ``None`` for no limit.
    """
    tables: list[Table] = []
    for metric in summary.metrics:
        tables += _metric_tables(metric.name, summary, width)
    if summary.errors:
        tables.append(_errors(summary))
    return ScoreReport(_heading(summary), tuple(table for table in tables if table.rows))


def _heading(summary: Summary) -> str:
    attempts = summary.overall.attempts
    metrics = []
    for metric in summary.metrics:
        profile = metric.parameters.get("profile")
        metrics.append(f"{metric.name} {metric.version}" + (f" ({profile})" if profile else ""))
    count = f"{attempts:,} attempt" + ("" if attempts == 1 else "s")
    return f"{count}; {', '.join(metrics)}"


def _metric_tables(metric: str, summary: Summary, width: int | None) -> Iterator[Table]:
    overall = summary.overall
    arrangement = arrange(overall.figures, metric)
    grid = _grid(metric, arrangement, overall)
    if width is not None and sum(grid.widths()) - GAP > width:
        arrangement = arrange(overall.figures, metric, as_list=True)
        grid = _grid(metric, arrangement, overall)
    yield grid
    yield _without_empty_columns(_list(metric, arrangement, overall))
    if metric in overall.aggregates:
        yield from _fitting(_run_figures(metric, summary), width)
    if len(summary.groups) > 1 and (arrangement.grid or metric not in overall.aggregates):
        yield from _fitting(_by_group(metric, arrangement, summary.groups), width)
    # A figure that is nowhere and has no direction, such as whether a metric without a threshold
    # passed, is no news.
    concerned = {
        name.removeprefix(f"{metric}."): figure
        for name, figure in overall.figures.items()
        if name in arrangement.shown and (figure.scored or figure.higher_is_better is not None)
    }
    yield Table(
        f"{metric}: not in the means, or set by a rule",
        ("outcome", "cause", "attempts", "figures"),
        outcome_rows(concerned),
        texts=(0, 1, 3),
    )


def _grid(metric: str, arrangement: Arrangement, attempts: AttemptsSummary) -> Table:
    header = tuple(dict.fromkeys(key for row in arrangement.grid.values() for key in row))
    rows = []
    for label, names in arrangement.grid.items():
        cells = [attempts.figures[names[key]] if key in names else None for key in header]
        figures = [cell for cell in cells if cell]
        if not any(figure.scored for figure in figures):  # the table of outcomes says why
            continue
        rows.append((label, "macro", *(amount(cell.macro) if cell else "" for cell in cells)))
        if any(figure.denominator for figure in figures):
            rows.append(("", "micro", *(amount(cell.micro) if cell else "" for cell in cells)))
        rows.append(("", "scored", *(scored_of_total(cell) if cell else "" for cell in cells)))
    return Table(metric, ("", "", *header), tuple(rows), texts=(0, 1))


def _list(metric: str, arrangement: Arrangement, attempts: AttemptsSummary) -> Table:
    rows = []
    for name in arrangement.listed:
        figure = attempts.figures[name]
        if not figure.scored:  # the table of outcomes says why
            continue
        whole = figure.sum is not None and figure.kind == "integer"
        rows.append(
            (
                name.removeprefix(f"{metric}."),
                amount(figure.macro),
                amount(figure.micro),
                amount(int(figure.sum)) if whole and figure.sum is not None else NOTHING,
                scored_of_total(figure),
            )
        )
    title = f"{metric}: other figures" if arrangement.grid else metric
    return Table(title, ("figure", "macro", "micro", "sum", "scored"), tuple(rows))


def _by_group(metric: str, arrangement: Arrangement, groups: Sequence[AttemptsSummary]) -> Table:
    title = f"{metric} by agent and model"
    if arrangement.grid:
        title += f": {next(iter(next(iter(arrangement.grid.values()))))}"
    headlines = {
        heading: name
        for heading, name in arrangement.headlines.items()
        if any(group.figures[name].scored for group in groups)
    }
    rows = []
    for label, group in zip(labels(groups), groups, strict=True):
        figures = [group.figures[name] for name in headlines.values()]
        rows += [
            (label, "macro", *(amount(figure.macro) for figure in figures)),
            ("", "scored", *(scored_of_total(figure) for figure in figures)),
        ]
    return Table(title, ("", "", *headlines), tuple(rows) if headlines else (), texts=(0, 1))


def _run_figures(metric: str, summary: Summary) -> Table:
    """The family's own figures of the run, a column for each agent and model."""
    columns = [dict(_run_cells(group.aggregates.get(metric, {}))) for group in summary.groups]
    names = dict.fromkeys(name for column in columns for name in column)
    return Table(
        f"{metric}: figures of the run",
        ("figure", *labels(summary.groups)),
        tuple(
            (name, *(column.get(name, NOTHING) for column in columns))
            for name in names
            if any(column.get(name, NOTHING)[0] != NOTHING for column in columns)
        ),
    )


def _run_cells(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in figures.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value.keys() == {"value", "scored", "total"}:
            yield name, f"{amount(value['value'])} ({value['scored']}/{value['total']})"
        elif isinstance(value, dict):
            yield from _run_cells(value, f"{name}.")
        elif value is None or isinstance(value, (int, float)):
            yield name, amount(value)
        elif isinstance(value, str):
            yield name, visible(value)


def _fitting(table: Table, width: int | None) -> Iterator[Table]:
    """The table in parts that fit a line, each with the columns of text."""
    widths = table.widths()
    parts = [list(table.texts)]
    for column in range(len(table.header)):
        if column in table.texts:
            continue
        taken = sum(widths[other] for other in parts[-1])
        has_numbers = len(parts[-1]) > len(table.texts)
        if width is not None and has_numbers and taken + widths[column] - GAP > width:
            parts.append(list(table.texts))
        parts[-1].append(column)
    for index, part in enumerate(parts):
        yield _picked(table, part, f"{table.title} (continued)" if index else table.title)


def _without_empty_columns(table: Table) -> Table:
    columns = list(zip(*table.rows, strict=True))
    kept = [index for index, column in enumerate(columns) if set(column) != {NOTHING}]
    return _picked(table, kept, table.title)


def _picked(table: Table, columns: Sequence[int], title: str) -> Table:
    return Table(
        title,
        tuple(table.header[column] for column in columns),
        tuple(tuple(row[column] for column in columns) for row in table.rows),
        texts=tuple(index for index, column in enumerate(columns) if column in table.texts),
    )


def _errors(summary: Summary) -> Table:
    rows = tuple(
        (error.metric, str(error.attempts), visible(error.message)) for error in summary.errors
    )
    return Table("errors", ("metric", "attempts", "message"), rows, texts=(0, 2))
