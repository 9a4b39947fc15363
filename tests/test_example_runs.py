"""The figures that the page of the example runs works out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trajmeter

FOLDER = Path(__file__).parents[1] / "examples" / "runs"


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], dict[str, Any]]:
    scores = trajmeter.score(
        FOLDER / "runs.jsonl",
        tasks=FOLDER / "tasks.jsonl",
        metrics=["turns", "rules", "tools"],
    )
    return {(row["agent"], row["task_id"]): row for row in scores.rows}


@pytest.mark.parametrize(
    ("run", "column", "value"),
    [
        (("gull", "berth"), "turns.parse_failure_rate", 1 / 3),
        (("gull", "berth"), "turns.recovered_errors", 1.0),
        (("gull", "berth"), "rules.tool_usage.score", 10.0),
        (("gull", "berth"), "tools.any_order", True),
        (("tern", "berth"), "turns.repeated_failures", 1),
        (("tern", "berth"), "rules.assertion_pass_rate.score", 5.0),
        (("tern", "berth"), "rules.tool_usage.score", 20 / 3),
        (("tern", "berth"), "rules.latency.score", 10 / 1.5),
        (("tern", "berth"), "tools.any_order_grades.precision", 1 / 3),
        (("tern", "berth"), "tools.any_order_grades.recall", 1 / 2),
        (("tern", "tide"), "turns.run.budget_exhausted", True),
        (("tern", "tide"), "rules.completeness.score", 0.0),
        (("tern", "tide"), "tools.any_order_grades.precision", 1.0),
        (("tern", "tide"), "tools.any_order_grades.recall", 0.0),
        (("gull", "lamp"), "tools.outcome", "abstained"),
        (("gull", "lamp"), "rules.tool_usage.outcome", "abstained"),
        (("gull", "lamp"), "rules.error_handling.outcome", "scored"),
        (("gull", "lamp"), "turns.outcome", "not_scored"),
    ],
)
def test_figures(
    rows: dict[tuple[str, str], dict[str, Any]],
    run: tuple[str, str],
    column: str,
    value: float | str,
) -> None:
    found = rows[run][column]
    assert found == (pytest.approx(value) if isinstance(value, float) else value)
