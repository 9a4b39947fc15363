"""Parts of a comparison's page: charts, tables with their best values, and what failed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.frameworks.report.tables import comparison_tables, labels
from trajmeter.frameworks.results import AnswerOutcome
from trajmeter.reports.cells import Cell
from trajmeter.reports.charts import (
    DistributionChart,
    Grid,
    Interval,
    IntervalChart,
    IntervalGroup,
    Point,
    ScatterChart,
    Series,
    Stack,
    StackChart,
)
from trajmeter.reports.page.document import Fold, Part, PartTable
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.frameworks.comparison import ComparedResult, Comparison
    from trajmeter.reports.charts import Chart
    from trajmeter.summaries.summarizing import Estimates

__all__ = ["SCORES", "comparison_parts"]

SCORES = ("correctness", "completeness", "faithfulness")
"""What a judge scores of an answer, 1 to 5."""
_LOWEST, _HIGHEST = 0.0, 5.0
"""Ends of the judge's scale, with the 0 of questions without an answer."""

_LOWER = ("latency", "tokens", "cost", "complexity", "halstead", "timed out", "failed")
_HIGHER = (
    *SCORES,
    "precision",
    "recall",
    "capability",
    "efficiency",
    "experience",
    "coverage",
    "success",
    "maintainability index",
    "annotation",
    "answered",
    "average",
)
_OF_RUNS = ("total tokens", "est. cost", "questions ")
"""Sums, which say nothing of the better where results are of different numbers of runs."""
_INTERNAL = " Avg"
"""End of the names of a profile's internals."""


def comparison_parts(comparison: Comparison, estimates: Estimates | None) -> Iterator[Part]:
    """Every part that has something to show.

    Args:
        comparison: The comparison.
        estimates: Judge scores with intervals over questions; ``None`` if they are not known.
    """
    tables = {table.title: table for table in comparison_tables(comparison)}
    yield Part(
        "quality",
        "Quality, time and cost",
        charts=tuple(_charts(comparison, estimates)),
        tables=(marked(tables.pop("Summary"), comparison),),
    )
    scorecard = tables.pop("Derived Scorecard (0-100)", None)
    if scorecard is not None:
        yield Part(
            "scorecard",
            "Scorecard",
            charts=tuple(_scorecard(comparison)),
            tables=(marked(scorecard, comparison),),
        )
    times = tables.pop("Runtime Distribution", None)
    charts = tuple(_per_question(comparison))
    if charts or times is not None:
        held = () if times is None else (marked(times, comparison),)
        yield Part("questions", "Question by question", charts=charts, tables=held)
    scenario = tables.pop("Scenario-Specific Metrics", None)
    if scenario is not None:
        yield _scenario(scenario, comparison)
    code = tuple(
        marked(Table(title.removeprefix("Code Quality: "), table.header, table.rows), comparison)
        for title, table in tables.items()
    )
    if code:
        yield Part("code", "Code", tables=code)
    failed = _failed(comparison)
    if failed is not None:
        yield failed


def marked(table: Table, comparison: Comparison) -> PartTable:
    """A table whose rows have their best values marked, where one end is better."""
    equal_runs = len({result.run_count for result in comparison.results}) == 1
    best = set()
    for at, (name, *cells) in enumerate(table.rows):
        direction = _direction(name, equal_runs=equal_runs)
        values = [cell.value if isinstance(cell, Cell) else None for cell in cells]
        known = [value for value in values if value is not None]
        if direction is None or len(known) < 2 or min(known) == max(known):  # noqa: PLR2004 - to compare
            continue
        top = max(known) if direction else min(known)
        best |= {(at, place) for place, value in enumerate(values, 1) if value == top}
    return PartTable(table, frozenset(best))


def _direction(name: str, *, equal_runs: bool) -> bool | None:
    """Whether more is better; ``None`` if neither end is."""
    lowered = name.lower()
    if not equal_runs and lowered.startswith(_OF_RUNS):
        return None
    if any(word in lowered for word in _LOWER):
        return False
    return True if any(word in lowered for word in _HIGHER) else None


def _charts(comparison: Comparison, estimates: Estimates | None) -> Iterator[Chart]:
    named = list(zip(labels(comparison), comparison.results, strict=True))
    groups = [
        IntervalGroup(score.capitalize(), tuple(_judged(named, score, estimates)))
        for score in SCORES
        if any(result.summary[f"avg_{score}"].value is not None for _, result in named)
    ]
    if groups:
        has_runs = any(
            result.summary[f"avg_{score}"].run_stddev is not None
            for _, result in named
            for score in SCORES
        )
        spread = "± deviation over runs, else " if has_runs else ""
        about = (
            f"mean score; {spread}95 % interval over questions"
            if estimates or has_runs
            else ("mean score")
        )
        yield IntervalChart(
            "Answer quality (judge, 1-5)", tuple(groups), about, low_end=_LOWEST, high_end=_HIGHEST
        )
    points = [
        Point(label, result.cost_usd_per_run, value, series=place)
        for place, (label, result) in enumerate(named)
        if result.summary["total_cost_usd"].n
        and result.cost_usd_per_run is not None
        and (value := result.summary["avg_correctness"].value) is not None
    ]
    if points:
        yield ScatterChart(
            "Cost against quality", tuple(points), "cost of a run (USD)", "mean correctness"
        )


def _judged(
    named: Sequence[tuple[str, ComparedResult]], score: str, estimates: Estimates | None
) -> Iterator[Interval]:
    """A judge score of each framework, with its deviation over runs or interval over questions."""
    values = [result.summary[f"avg_{score}"].value for _, result in named]
    known = [value for value in values if value is not None]
    for place, ((label, result), value) in enumerate(zip(named, values, strict=True)):
        figure = result.summary[f"avg_{score}"]
        low = high = None
        if value is None:
            yield Interval(label, None, remark="not judged", series=place)
            continue
        if figure.run_stddev is not None:
            low, high = value - figure.run_stddev, value + figure.run_stddev
        elif estimates is not None:
            low, high = _limits(estimates, label, score)
        remark = f"{figure.n}/{figure.of}" if figure.n < figure.of else ""
        is_best = len(known) > 1 and value == max(known) > min(known)
        yield Interval(label, value, low, high, remark, is_best, place)


def _limits(estimates: Estimates, label: str, score: str) -> tuple[float | None, float | None]:
    for group in estimates.groups:
        if group.group["agent"] == label:
            for each in group.figures:
                if each.figure == score:
                    return each.low, each.high
    return None, None


def _scorecard(comparison: Comparison) -> Iterator[IntervalChart]:
    named = list(zip(labels(comparison), comparison.results, strict=True))
    groups = []
    for title, axis in (
        ("Capability", "capability"),
        ("Efficiency", "efficiency"),
        ("Developer experience", "developer_experience"),
    ):
        values = [getattr(result.scorecard, axis).value for _, result in named]
        known = [value for value in values if value is not None]
        if known:
            groups.append(
                IntervalGroup(
                    title,
                    tuple(
                        Interval(
                            label,
                            value,
                            remark="" if value is not None else "not known",
                            is_best=len(known) > 1 and value == max(known) > min(known),
                            series=place,
                        )
                        for place, ((label, _), value) in enumerate(zip(named, values, strict=True))
                    ),
                )
            )
    if groups:
        yield IntervalChart(
            "Scorecard, relative to the others", tuple(groups), "0-100", low_end=0.0, high_end=100.0
        )


def _per_question(comparison: Comparison) -> Iterator[Chart]:
    named = list(zip(labels(comparison), comparison.results, strict=True))
    series = []
    for place, (label, result) in enumerate(named):
        timed = {
            question_id: question.latency_seconds
            for question_id, question in result.questions.items()
            # A failure would pass for a fast answer.
            if question.latency_seconds is not None and question.outcome is not AnswerOutcome.FAILED
        }
        if timed:
            series.append(Series(label, (*timed.values(),), (*timed,), place))
    if series:
        yield DistributionChart("Latency", tuple(series), "seconds", "questions", low_end=0.0)
    judged = [  # without a judge there are only the scores of 0 that failures have by rule
        (label, result)
        for label, result in named
        if result.summary["avg_correctness"].value is not None
    ]
    texts = comparison.question_texts()
    values = tuple(
        tuple(
            None if (found := result.questions.get(each)) is None else found.correctness_score
            for each in texts
        )
        for _, result in judged
    )
    if any(value is not None for row in values for value in row):
        yield Grid(
            "Correctness", tuple(label for label, _ in judged), (*texts,), values, _LOWEST, _HIGHEST
        )


def _scenario(table: Table, comparison: Comparison) -> Part:
    """The profile's figures; what it is made of stands behind a fold."""
    own = tuple(row for row in table.rows if not row[0].endswith(_INTERNAL))
    internal = tuple(row for row in table.rows if row[0].endswith(_INTERNAL))
    folds: tuple[Fold, ...] = ()
    if internal:
        held = marked(Table("", table.header, internal), comparison)
        folds = (Fold(f"{len(internal)} means of the profile's figures", (held,)),)
    tables = (marked(Table("", table.header, own), comparison),) if own else ()
    return Part("scenario", "Scenario", tables=tables, folds=folds)


def _failed(comparison: Comparison) -> Part | None:
    """Questions without an answer, and answers without a score; ``None`` if there are none."""
    outcomes, causes = [], []
    for label, result in zip(labels(comparison), comparison.results, strict=True):
        counts = {kind.value.replace("_", " "): n for kind, n in result.outcomes.items() if n}
        outcomes.append(Stack(label, counts))
        found: Counter[str] = Counter()
        for question in result.questions.values():
            found.update({c.value: n for c, n in (question.run_judge_causes or {}).items()})
            if question.judge is not None and question.judge.cause is not None:
                found[question.judge.cause.value] += 1
        causes.append(Stack(label, {c.replace("_", " "): n for c, n in found.items()}))
    charts = []
    if any(stack.counts.keys() - {"answered"} for stack in outcomes):
        charts.append(StackChart("Questions", tuple(outcomes), "questions"))
    if any(stack.counts for stack in causes):
        charts.append(StackChart("Answers that were not judged", tuple(causes), "answers"))
    errors = Counter(
        (label, question.error)
        for label, result in zip(labels(comparison), comparison.results, strict=True)
        for question in result.questions.values()
        if question.error
    )
    rows = tuple((label, text, f"{count:,}") for (label, text), count in errors.most_common(20))
    tables = (PartTable(Table("Errors", ("framework", "error", "questions"), rows, texts=(0, 1))),)
    if not charts and not rows:
        return None
    return Part("failures", "What failed", charts=tuple(charts), tables=tables if rows else ())
