"""The scores that the page of the example test cases works out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter

if TYPE_CHECKING:
    from trajmeter.scoring.files import Scores

FOLDER = Path(__file__).parents[1] / "examples" / "rules"

RULES = (
    "assertion_pass_rate",
    "tool_usage",
    "error_handling",
    "completeness",
    "latency",
    "cost_budget",
    "llm_judge",
)
ABSTAINED = "abstained"
MISSING_USAGE = "missing_usage"
MISSING_TRANSCRIPT = "missing_transcript"


@pytest.fixture(scope="module")
def scores() -> Scores:
    cases = FOLDER / "cases.json"
    return trajmeter.score(FOLDER / "results.json", tasks=cases, metrics=["rules"])


@pytest.fixture(scope="module")
def rows(scores: Scores) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["task_id"], row["agent"]): row for row in scores.rows}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (("crossing", "puffin"), (10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 0.0)),
        (("crossing", "skua"), (0.0, 0.0, 0.0, 5.0, 10 / 1.6, 10 / 1.6, 10.0)),
        (("ticket", "puffin"), (10.0, 10.0, 10.0, 10.0, ABSTAINED, 10 / 1.25, ABSTAINED)),
        (("ticket", "skua"), (0.0, 10.0, 10.0, 0.0, ABSTAINED, MISSING_USAGE, ABSTAINED)),
        (("hello", "puffin"), (ABSTAINED, ABSTAINED, 10.0, *[ABSTAINED] * 4)),
        (("hello", "skua"), (ABSTAINED, ABSTAINED, MISSING_TRANSCRIPT, *[ABSTAINED] * 4)),
    ],
)
def test_scores(
    rows: dict[tuple[str, str], dict[str, Any]],
    run: tuple[str, str],
    expected: tuple[float | str, ...],
) -> None:
    row = rows[run]
    for rule, value in zip(RULES, expected, strict=True):
        prefix = f"rules.{rule}."
        outcome = row[f"{prefix}outcome"]
        if isinstance(value, str):
            assert value in (outcome, row[f"{prefix}cause"]), rule
            assert row[f"{prefix}score"] == (10.0 if value == ABSTAINED else None), rule
        else:
            assert outcome == "scored", rule
            assert row[f"{prefix}score"] == pytest.approx(value, abs=1e-12), rule
            assert row[f"{prefix}passed"] is (value >= 7), rule


def test_a_call_without_a_name_is_counted(rows: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert rows["ticket", "skua"]["rules.tool_usage.dropped_calls"] == 1
    assert rows["ticket", "puffin"]["rules.tool_usage.dropped_calls"] == 0


def test_means_without_abstained_scores_and_with_them(scores: Scores) -> None:
    latency = scores.summary.overall.aggregates["rules"]["latency"]

    assert latency["mean"] == {"value": (10 + 6.25) / 2, "scored": 2, "total": 6}
    assert latency["mean_with_abstained"] == {
        "value": (10 + 6.25 + 4 * 10) / 6,
        "scored": 6,
        "total": 6,
    }
