"""Charts of a comparison, as Vega-Lite specifications made by altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.errors import ExtraMissingError
from trajmeter.reports.comparison.tables import labels

if TYPE_CHECKING:
    from trajmeter.summaries.compared import Comparison

__all__ = ["comparison_charts"]

_ROW_HEIGHT = 44
"""Pixels of a framework's row in charts that list frameworks downwards."""
_COLOURS = 10
"""Frameworks up to which the palette of ten tells them apart."""
_SCORES = ("correctness", "completeness", "faithfulness")


def comparison_charts(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """Vega-Lite specification of each chart that has something to show, by title.

    Args:
        comparison: What to show.

    Returns:
        Quality bars, latency distribution, cost against quality, and a heat map of correctness.

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
    answers = [
        {
            "framework": name,
            "question": question_id,
            "latency": question.latency_seconds,
            "correctness": question.correctness_score,
            "outcome": question.outcome.value if question.outcome else "",
        }
        for name, result in named
        for question_id, question in result.questions.items()
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
    names = [name for name, _ in named]
    framework = alt.Color(
        "framework:N",
        title=None,
        scale=alt.Scale(
            domain=names, scheme="tableau10" if len(names) <= _COLOURS else "tableau20"
        ),
        legend=alt.Legend(orient="top", columns=2),
    )
    rows = alt.Y("framework:N", title=None, sort=names)
    charts: dict[str, Any] = {}
    if quality:
        charts["Answer quality (judge, 1-5)"] = (
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
    timed = [answer for answer in answers if answer["latency"] is not None]
    if timed:
        charts["Latency per question (seconds)"] = (
            alt.Chart(alt.InlineData(values=timed))
            .mark_tick(thickness=3, size=24)
            .encode(
                x=alt.X("latency:Q", title="seconds", scale=alt.Scale(zero=True)),
                y=rows,
                color=framework.legend(None),
                tooltip=["framework:N", "question:N", "latency:Q", "outcome:N"],
            )
            .properties(height=alt.Step(_ROW_HEIGHT))
        )
    if costs:
        charts["Cost against quality"] = (
            alt.Chart(alt.InlineData(values=costs))
            .mark_circle(size=160, opacity=1)
            .encode(
                x=alt.X("cost:Q", title="cost per run (USD)", scale=alt.Scale(zero=True)),
                y=alt.Y("correctness:Q", title="mean correctness", scale=alt.Scale(domain=[0, 5])),
                color=framework,
                tooltip=["framework:N", "cost:Q", "correctness:Q"],
            )
        )
    judged = [answer for answer in answers if answer["correctness"] is not None]
    if judged:
        charts["Correctness per question"] = (
            alt.Chart(alt.InlineData(values=judged))
            .mark_rect()
            .encode(
                x=alt.X(
                    "question:N",
                    title=None,
                    sort=None,
                    axis=alt.Axis(labelAngle=0, labelOverlap=True),
                ),
                y=rows,
                color=alt.Color(
                    "correctness:Q",
                    title="correctness",
                    scale=alt.Scale(domain=[0, 5], scheme="viridis"),
                ),
                tooltip=["framework:N", "question:N", "correctness:Q", "outcome:N"],
            )
            .properties(height=alt.Step(_ROW_HEIGHT))
        )
    return {title: chart.properties(width="container").to_dict() for title, chart in charts.items()}
