"""Draws docs/coverage.svg, the chart of README.md, from the bundled context example.

Called by ``make picture``. For each task that two agents tried, it shows how much of the gold lines
an agent had seen after each of its steps.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt

import trajmeter

_ROOT = Path(__file__).parents[1]
_EXAMPLE = _ROOT / "examples" / "context"
_TASKS = ("shelf__shelf-1", "shelf__shelf-2")


def _points() -> list[dict[str, object]]:
    scores = trajmeter.score(
        _EXAMPLE / "predictions.jsonl",
        tasks=_EXAMPLE / "gold.jsonl",
        snapshots=_EXAMPLE / "snapshots.jsonl",
    )
    return [
        {"task": row["task_id"], "agent": row["model"], "step": step, "coverage": coverage}
        for row in scores.rows
        if row["task_id"] in _TASKS
        for step, coverage in enumerate([0.0, *row["context.trajectory.line.coverage"]])
    ]


def main() -> None:
    """Draw the chart."""
    chart = (
        alt.Chart(alt.InlineData(values=_points()))
        .mark_line(point=True)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(values=[0, 1, 2, 3], format="d")),
            y=alt.Y("coverage:Q", title="gold lines seen", axis=alt.Axis(format="%")),
            color=alt.Color("agent:N", title=None),
            column=alt.Column("task:N", title=None),
        )
        .properties(width=280, height=180, background="white")
    )
    chart.save(_ROOT / "docs" / "coverage.svg")
    sys.stdout.write("docs/coverage.svg\n")


if __name__ == "__main__":
    main()
