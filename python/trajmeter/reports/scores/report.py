"""The report of a scoring run: tables for terminals, Markdown and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.reports.cells import NOTHING, amount, counts, visible
from trajmeter.reports.scores.agents import figures_by_agent, figures_of_run
from trajmeter.reports.scores.arrangement import arrange
from trajmeter.reports.scores.outcomes import family_rows, outcome_rows
from trajmeter.reports.tables import GAP, Table, with_values
from trajmeter.summaries.groups import largest_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from trajmeter.reports.scores.arrangement import Arrangement
    from trajmeter.summaries.summary import AttemptsSummary, FigureSummary, MetricSummary, Summary

__all__ = ["ScoreReport", "print_report", "score_report", "to_html", "to_markdown", "to_plain"]

_GROUPS = 50
"""Maximum number of groups of attempts in the tables, to keep them readable."""

_FAMILIES = "figures of all attempts, by family"
_OF_A_FAMILY = ("family", "figures", "values", "scored", "by a rule", "abstained", "not scored")


class ScoreReport(NamedTuple):
    """The tables of one scoring run."""

    heading: str
    """Number of scored attempts, and the metrics."""
    tables: tuple[Table, ...]
    """Tables in the order they are shown."""


def score_report(summary: Summary, *, width: int | None = None) -> ScoreReport:
    """Arrange a summary as tables.

    Args:
        summary: The summary.
        width: Maximum length of a line. A grid that does not fit becomes a list, and columns of
            agents continue in another table. ``None`` for no limit.
    """
    tables: list[Table] = []
    groups = largest_groups(summary.groups, _GROUPS)
    if len(summary.metrics) > 1:
        tables.append(Table(_FAMILIES, _OF_A_FAMILY, family_rows(summary)))
    for metric in summary.metrics:
        tables += _metric_tables(metric, summary, groups, width)
    if summary.errors:
        tables.append(_errors(summary))
    return ScoreReport(
        _heading(summary, len(groups)), tuple(table for table in tables if table.rows)
    )


def print_report(report: ScoreReport, console: Console) -> None:
    """Print a report to a console; its width determines where cells are wrapped."""
    from rich.text import Text

    from trajmeter.reports.terminal import print_tables

    console.print(Text(report.heading))
    print_tables(report.tables, console)


def to_plain(report: ScoreReport) -> str | None:
    """Render a report like :func:`print_report` to a file; ``None`` if only that function can."""
    from trajmeter.reports.plain import plain_tables

    return plain_tables(report.heading, report.tables)


def to_markdown(report: ScoreReport) -> str:
    """Render a report as Markdown; all text of records is escaped."""
    from trajmeter.reports.markdown import escape, render_table

    parts = [escape(report.heading)]
    for table in report.tables:
        parts += [f"## {escape(table.title)}", render_table(table)]
    return "\n\n".join(parts) + "\n"


def to_html(report: ScoreReport) -> str:
    """Render a report as an HTML fragment; all text of records is escaped."""
    from trajmeter.reports import html

    parts = [f"<p>{html.escape(report.heading)}</p>"]
    for table in report.tables:
        parts += [f"<p><strong>{html.escape(table.title)}</strong></p>", html.render_table(table)]
    return f"<div>{''.join(parts)}</div>"


def _heading(summary: Summary, shown: int) -> str:
    attempts = summary.overall.attempts
    metrics = []
    for metric in summary.metrics:
        profile = metric.parameters.get("profile")
        about = f"version {metric.version}" + (f", profile {profile}" if profile else "")
        metrics.append(f"{metric.name} ({about})")
    count = f"{attempts:,} attempt" + ("" if attempts == 1 else "s")
    heading = f"{count} · {', '.join(metrics)}"
    if shown < len(summary.groups):
        heading += f" · the {shown} largest of {len(summary.groups):,} groups"
    return heading


def _metric_tables(
    metric: MetricSummary,
    summary: Summary,
    groups: Sequence[AttemptsSummary],
    width: int | None,
) -> Iterator[Table]:
    overall, name = summary.overall, metric.name
    title = f"{name}: all attempts" if metric.headlines else name
    arrangement = arrange(overall.figures, name)
    grid = _grid(title, arrangement, overall)
    if width is not None and sum(grid.widths()) - GAP > width:
        arrangement = arrange(overall.figures, name, as_list=True)
        grid = _grid(title, arrangement, overall)
    if name in overall.aggregates:
        yield from figures_of_run(metric, overall, groups, width)
    yield grid
    yield with_values(_list(title, name, arrangement, overall))
    if len(groups) > 1 and not metric.headlines:
        yield from figures_by_agent(name, arrangement, groups, width)
    shown = {
        column.removeprefix(f"{name}."): figure
        for column, figure in overall.figures.items()
        if column in arrangement.shown
    }
    # A figure without values and direction (such as whether a metric without a threshold passed)
    # is uninformative next to others.
    has_any = any(figure.scored for figure in shown.values())
    concerned = {
        column: figure
        for column, figure in shown.items()
        if figure.scored or figure.higher_is_better is not None or not has_any
    }
    yield Table(
        f"{name}: not in the means, or set by a rule",
        ("outcome", "cause", "attempts", "figures"),
        outcome_rows(concerned),
        texts=(0, 1, 3),
    )


def _grid(title: str, arrangement: Arrangement, attempts: AttemptsSummary) -> Table:
    header = tuple(dict.fromkeys(key for row in arrangement.grid.values() for key in row))
    rows = []
    for label, names in arrangement.grid.items():
        cells = [attempts.figures[names[key]] if key in names else None for key in header]
        figures = [cell for cell in cells if cell]
        if not any(figure.scored for figure in figures):  # the table of outcomes shows why
            continue
        rows.append((label, "macro", *(amount(cell.macro) if cell else "" for cell in cells)))
        if any(figure.denominator for figure in figures):
            rows.append(("", "micro", *(amount(cell.micro) if cell else "" for cell in cells)))
        rows.append(("", "scored", *(_scored_of_total(cell) if cell else "" for cell in cells)))
    return Table(title, ("", "", *header), tuple(rows), texts=(0, 1))


def _list(title: str, metric: str, arrangement: Arrangement, attempts: AttemptsSummary) -> Table:
    rows = []
    for name in arrangement.listed:
        figure = attempts.figures[name]
        if not figure.scored:  # the table of outcomes shows why
            continue
        whole = figure.sum is not None and figure.kind == "integer"
        rows.append(
            (
                name.removeprefix(f"{metric}."),
                amount(figure.macro),
                amount(figure.micro),
                amount(int(figure.sum)) if whole and figure.sum is not None else NOTHING,
                _scored_of_total(figure),
            )
        )
    title = f"{metric}: other figures" if arrangement.grid else title
    return Table(title, ("figure", "macro", "micro", "sum", "scored"), tuple(rows))


def _scored_of_total(figure: FigureSummary) -> str:
    return counts(figure.scored, figure.total)


def _errors(summary: Summary) -> Table:
    rows = tuple(
        (error.metric, f"{error.attempts:,}", visible(error.message)) for error in summary.errors
    )
    return Table("errors", ("metric", "attempts", "message"), rows, texts=(0, 2))
