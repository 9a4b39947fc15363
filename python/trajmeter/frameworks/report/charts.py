"""Charts of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.frameworks.aggregates import is_timed
from trajmeter.frameworks.report.tables import labels
from trajmeter.frameworks.results import SCORES, AnswerOutcome
from trajmeter.reports.charts import (
    Chart,
    DistributionChart,
    Grid,
    Interval,
    IntervalChart,
    IntervalGroup,
    Point,
    ScatterChart,
    Series,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.frameworks.comparison import ComparedFigure, ComparedResult, Comparison
    from trajmeter.summaries.table_estimates import Estimates

__all__ = ["comparison_charts"]

_BEST_SCORE = 5.0
_AXES = (
    ("Capability", "capability"),
    ("Efficiency", "efficiency"),
    ("Developer experience", "developer_experience"),
)


def comparison_charts(
    comparison: Comparison, estimates: Estimates | None = None
) -> tuple[Chart, ...]:
    """The charts that have something to show.

    Args:
        comparison: The comparison.
        estimates: Judge scores with intervals over questions, which are drawn for single runs.

    Returns:
        Answer quality with its deviation over runs, the scorecard, cost against quality, latencies,
        and the correctness of each answer.
    """
    named = list(zip(labels(comparison), comparison.results, strict=True))
    return tuple(_charts(named, list(comparison.question_texts()), estimates))


def _charts(
    named: Sequence[tuple[str, ComparedResult]],
    questions: Sequence[str],
    estimates: Estimates | None,
) -> Iterator[Chart]:
    judged = [result.summary["avg_correctness"].value is not None for _, result in named]
    if any(
        result.summary[f"avg_{score}"].value is not None for _, result in named for score in SCORES
    ):
        yield _quality(named, estimates)
    if any(judged) and len(named) > 1:
        yield _scorecard(named)
    if points := tuple(_points(named)):
        yield ScatterChart("Cost against quality", points, "cost per run (USD)", "mean correctness")
    latencies = tuple(
        Series(name, *_latencies(result), place) for place, (name, result) in enumerate(named)
    )
    if any(series.values for series in latencies):
        yield DistributionChart(
            "Latency per question", latencies, "seconds", "questions", low_end=0.0
        )
    # Without a judge, the only scores are the 0 that failures get by rule.
    shown = [pair for pair, is_judged in zip(named, judged, strict=True) if is_judged]
    if shown and questions:
        yield Grid(
            "Correctness per question",
            tuple(name for name, _ in shown),
            tuple(questions),
            tuple(tuple(_correctness(result, each) for each in questions) for _, result in shown),
            low_end=0.0,
            high_end=_BEST_SCORE,
        )


def _quality(
    named: Sequence[tuple[str, ComparedResult]], estimates: Estimates | None
) -> IntervalChart:
    limits = {
        (group.group["agent"], each.figure): (each.low, each.high)
        for group in (estimates.groups if estimates is not None else ())
        for each in group.figures
    }
    groups = tuple(
        IntervalGroup(
            score.capitalize(),
            tuple(
                _with_spread(name, result.summary[f"avg_{score}"], place, limits.get((name, score)))
                for place, (name, result) in enumerate(named)
            ),
        )
        for score in SCORES
    )
    deviates = any(
        result.summary[f"avg_{score}"].run_stddev is not None
        for _, result in named
        for score in SCORES
    )
    spreads = ["± SD over runs"] if deviates else []
    if any(result.run_count == 1 for _, result in named) and limits:
        spreads.append("95 % interval over questions")
    axis = ", ".join(["mean", *spreads])
    return IntervalChart(
        "Answer quality (judge, 1-5)", groups, axis, least=0.0, greatest=_BEST_SCORE
    )


def _with_spread(
    name: str,
    figure: ComparedFigure,
    series: int,
    limits: tuple[float | None, float | None] | None,
) -> Interval:
    """A score with its deviation over runs or, for a single run, its interval over questions."""
    if figure.value is None:
        return Interval(name, None, remark="not judged", series=series)
    low, high = _deviation(figure)
    if low is None and limits is not None:
        low, high = limits
    remark = f"{figure.n}/{figure.of}" if figure.n < figure.of else ""
    return Interval(name, figure.value, low, high, remark, series=series)


def _deviation(figure: ComparedFigure) -> tuple[float | None, float | None]:
    """The ends of a standard deviation over runs; none for a single run."""
    if figure.value is None or figure.run_stddev is None:
        return None, None
    return figure.value - figure.run_stddev, figure.value + figure.run_stddev


def _scorecard(named: Sequence[tuple[str, ComparedResult]]) -> IntervalChart:
    return IntervalChart(
        "Derived scorecard",
        tuple(
            IntervalGroup(
                heading,
                tuple(
                    Interval(name, getattr(result.scorecard, axis).value, series=place)
                    for place, (name, result) in enumerate(named)
                ),
            )
            for heading, axis in _AXES
            if any(getattr(result.scorecard, axis).value is not None for _, result in named)
        ),
        "0 to 100, relative to each other",
        low_end=0.0,
        high_end=100.0,
    )


def _points(named: Sequence[tuple[str, ComparedResult]]) -> Iterator[Point]:
    for place, (name, result) in enumerate(named):
        cost, quality = result.cost_usd_per_run, result.summary["avg_correctness"]
        if result.summary["total_cost_usd"].n and cost is not None and quality.value is not None:
            part = _part_with_cost(result)
            yield Point(name, cost, quality.value, *_deviation(quality), series=place, part=part)


def _part_with_cost(result: ComparedResult) -> str:
    """Number of questions that the cost covers, of all; empty if it covers all."""
    known = result.summary["total_cost_usd"]
    if known.n < known.of:
        return f"{known.n}/{known.of}"
    asked = sum(count or 0 for count in result.outcomes.values())
    answered = result.outcomes[AnswerOutcome.ANSWERED]
    if result.run_count == 1 or answered is None or answered == asked:
        return ""
    return f"{answered}/{asked}"  # the sums of an average may lack a question of one of its runs


def _latencies(result: ComparedResult) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Latencies and their questions, without failures, which would look like fast answers."""
    averaged = result.run_count > 1
    timed = [
        (question.latency_seconds, question_id)
        for question_id, question in result.questions.items()
        if question.latency_seconds is not None and is_timed(question, averaged=averaged)
    ]
    return tuple(latency for latency, _ in timed), tuple(question_id for _, question_id in timed)


def _correctness(result: ComparedResult, question_id: str) -> float | None:
    question = result.questions.get(question_id)
    return None if question is None else question.correctness_score
