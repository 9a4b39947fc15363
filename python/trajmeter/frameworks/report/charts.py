"""Charts of a comparison, as Vega-Lite specifications made by altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ExtraMissingError
from trajmeter.frameworks.report.tables import labels
from trajmeter.frameworks.results import AnswerOutcome

if TYPE_CHECKING:
    from trajmeter.frameworks.comparison import Comparison

__all__ = ["Chart", "comparison_charts"]

_TIMES_HEIGHT, _HEAT_HEIGHT = 44, 30
"""Pixels of a framework's row in charts that list frameworks downwards."""
_COLOURS = 10
"""Frameworks that the palette of ten can distinguish."""
_SCORES = ("correctness", "completeness", "faithfulness")
# Names of one framework's files differ at their end, and a phone has room for two such columns.
_SHORTENED = (
    "length(datum.label) > 24"
    " ? slice(datum.label, 0, 10) + '…' + slice(datum.label, -13) : datum.label"
)


class Chart(NamedTuple):
    """One chart."""

    title: str
    """Heading."""
    specification: dict[str, Any]
    """Vega-Lite specification, its data included."""
    wide: bool
    """Whether it takes the full width of a page."""


def comparison_charts(comparison: Comparison) -> list[Chart]:
    """The charts that have something to show.

    Args:
        comparison: The comparison.

    Returns:
        Quality bars, cost against quality, latency distribution, and a heat map of correctness.

    Raises:
        ExtraMissingError: altair is not installed.
    """
    try:
        import altair as alt
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "charts need altair; install trajmeter[report] for HTML reports"
        ) from error
    named = list(zip(labels(comparison), comparison.results, strict=True))
    quality = [
        {"framework": name, "criterion": score, "score": figure.value}
        for name, result in named
        for score in _SCORES
        if (figure := result.summary[f"avg_{score}"]).value is not None
    ]
    costs = [
        {
            "framework": name,
            "cost": result.cost_usd_per_run,
            "correctness": result.summary["avg_correctness"].value,
        }
        for name, result in named
        if result.summary["total_cost_usd"].n
        and result.summary["avg_correctness"].value is not None
    ]
    timed, judged = [], []
    for name, result in named:
        for question_id, question in result.questions.items():
            answer = {
                "framework": name,
                "question": question_id,
                "outcome": question.outcome.value if question.outcome else "",
            }
            failed = question.outcome is AnswerOutcome.FAILED  # and would pass for a fast answer
            if question.latency_seconds is not None and not failed:
                timed.append(answer | {"latency": question.latency_seconds})
            # Without a judge there are only the scores of 0 that failures have by rule.
            by_judge = result.summary["avg_correctness"].value is not None
            if by_judge and question.correctness_score is not None:
                judged.append(answer | {"correctness": question.correctness_score})
    names = [name for name, _ in named]
    framework = alt.Color(
        "framework:N",
        title=None,
        scale=alt.Scale(
            domain=names, scheme="tableau10" if len(names) <= _COLOURS else "tableau20"
        ),
        legend=alt.Legend(orient="top", columns=2, labelExpr=_SHORTENED, labelLimit=0),
    )
    rows = alt.Y(
        "framework:N",
        title=None,
        sort=names,
        axis=alt.Axis(labelExpr=_SHORTENED, labelLimit=0),
    )
    charts: list[tuple[str, Any, bool]] = []
    if quality:
        bars = (
            alt.Chart(alt.InlineData(values=quality))
            .mark_bar()
            .encode(
                x=alt.X("criterion:N", title=None, sort=_SCORES, axis=alt.Axis(labelAngle=0)),
                xOffset=alt.XOffset("framework:N", sort=names),
                y=alt.Y("score:Q", title="mean score", scale=alt.Scale(domain=[0, 5])),
                color=framework,
                tooltip=["framework:N", "criterion:N", alt.Tooltip("score:Q", format=".2f")],
            )
        )
        charts.append(("Answer quality (judge, 1-5)", bars, False))
    if costs:
        points = (
            alt.Chart(alt.InlineData(values=costs))
            .mark_circle(size=160, opacity=1)
            .encode(
                x=alt.X("cost:Q", title="cost per run (USD)", scale=alt.Scale(zero=True)),
                y=alt.Y("correctness:Q", title="mean correctness", scale=alt.Scale(domain=[0, 5])),
                color=framework,
                tooltip=["framework:N", "cost:Q", "correctness:Q"],
            )
        )
        charts.append(("Cost against quality", points, False))
    if timed:
        ticks = (
            alt.Chart(alt.InlineData(values=timed))
            .mark_tick(thickness=3, size=24, opacity=0.85)
            .encode(
                x=alt.X("latency:Q", title="seconds", scale=alt.Scale(zero=True)),
                y=rows,
                color=framework.legend(None),
                tooltip=["framework:N", "question:N", "latency:Q", "outcome:N"],
            )
            .properties(height=alt.Step(_TIMES_HEIGHT))
        )
        charts.append(("Latency per question (seconds)", ticks, True))
    if judged:
        squares = (
            alt.Chart(alt.InlineData(values=judged))
            .mark_rect(stroke="gray", strokeOpacity=0.6)
            .encode(
                x=alt.X(
                    "question:N",
                    title=None,
                    sort=list(comparison.question_texts()),
                    axis=alt.Axis(
                        labelAngle=0, labelOverlap=True, labelSeparation=6, labelBound=True
                    ),
                ),
                y=rows,
                color=alt.Color(
                    "correctness:Q",
                    title="correctness",
                    scale=alt.Scale(domain=[0, 5], scheme="viridis"),
                    legend=alt.Legend(orient="top", values=[0, 1, 2, 3, 4, 5]),
                ),
                tooltip=["framework:N", "question:N", "correctness:Q", "outcome:N"],
            )
            .properties(height=alt.Step(_HEAT_HEIGHT))
        )
        charts.append(("Correctness per question", squares, True))
    return [
        Chart(title, chart.properties(width="container").to_dict(), wide)
        for title, chart, wide in charts
    ]
