"""Ratings of judges: which values of a results table are ratings."""

from __future__ import annotations

import math
from typing import Any

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.summaries.ratings import ratings_of_tables


def _row(task: str | None, value: object, outcome: str | None, **others: object) -> dict[str, Any]:
    about = {"task_id": task, "agent": "a", "model": "m", "attempt": "1"}
    return {**about, "j.score": value, "j.outcome": outcome, **others}


def test_only_scored_and_assigned_values_are_ratings() -> None:
    rows = [
        _row("scored", 1.0, "scored"),
        _row("assigned", 0.0, "assigned"),
        _row("not_scored", 0.5, "not_scored"),
        _row("unknown", 0.5, None),
        _row("nan", math.nan, "scored"),
        _row("missing", None, "scored"),
        _row(None, 0.5, "scored"),
    ]
    first, second = ratings_of_tables([rows, rows[:1]], ["j.score"], None)
    rated = {key[0]: value for key, value in first.figures["j.score"].items()}  # type: ignore[index]
    assert rated == {"scored": 1.0, "assigned": 0.0}
    assert {*first.task_of.values()} == {row["task_id"] for row in rows} - {None}
    assert [*second.figures["j.score"].values()] == [1.0]


def test_figures_of_a_group_without_outcomes_are_ratings() -> None:
    rows = [_row("t", 0.5, "not_scored", **{"k.fits": True, "k.word": "yes"})]
    first, _ = ratings_of_tables([rows, rows], ["j.score", "k.*"], None)
    found = {name: [*values.values()] for name, values in first.figures.items()}
    assert found == {"j.score": [], "k.fits": [True], "k.word": ["yes"]}


def test_an_attempt_occurs_once() -> None:
    rows = [_row("t", 0.5, "scored"), _row("t", 0.5, "not_scored")]
    with pytest.raises(ConfigurationError, match=r"one attempt occurs twice: \('t', 'a', 'm', '1'"):
        ratings_of_tables([rows, rows[:1]], ["j.score"], None)
