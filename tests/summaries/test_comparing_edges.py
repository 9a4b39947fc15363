"""Comparing systems: edges of pairing, tests and factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.summaries.tables import F1, PASSED, Tasks, attempt, rows_of

if TYPE_CHECKING:
    from trajmeter.summaries.differences import Difference

SPEEDUP = "speedup.task_speedup"


def pair(a: list[Any], b: list[Any], figure: str = F1, **options: Any) -> Difference:
    (found,) = trajmeter.compare_scores([a, b], figures=[figure], **options).pairs[0].figures
    return found


def test_an_attempt_without_a_task_cannot_be_paired() -> None:
    a = [attempt(None, 0.5), *rows_of({"t1": [0.1], "t2": [0.3]})]
    b = [attempt(None, 0.9), *rows_of({"t1": [0.2], "t2": [0.1]})]
    found = pair(a, b)
    assert (found.n_tasks, found.left_out) == (2, {})


def test_mcnemar_is_for_truth_values_of_tasks() -> None:
    """Neither for clusters of several tasks, nor for tasks of which some attempts pass."""

    def rows(*, value: bool) -> list[dict[str, Any]]:
        listed = rows_of({f"t{i}": [value] for i in range(4)}, figure=PASSED)
        return [row | {"repository": "ab"[i // 2]} for i, row in enumerate(listed)]

    found = pair(rows(value=False), rows(value=True), PASSED)
    assert (found.p_method, found.p_value) == ("mcnemar", 2 / 2**4)
    found = pair(rows(value=False), rows(value=True), PASSED, cluster="repository")
    assert (found.p_method, found.p_value) == ("sign_flip_exact", 2 / 2**2)
    halves = rows_of({f"t{i}": [True, False] for i in range(4)}, figure=PASSED)
    assert pair(rows(value=False), halves, PASSED).p_method == "sign_flip_exact"


def test_what_differs_by_rounding_is_a_tie() -> None:
    found = pair(rows_of({"t": [0.3], "u": [0.5]}), rows_of({"t": [0.1 + 0.2], "u": [0.7]}))
    assert (found.n_better, found.n_worse, found.n_equal) == (1, 0, 1)


def test_a_task_filled_in_whole_has_no_factor() -> None:
    a, b = ([{"task_id": f"t{i}", SPEEDUP: 2.0 + i} for i in range(count)] for count in (3, 2))
    options: dict[str, Any] = {"ranges": {SPEEDUP: (0.5, None)}}
    assert pair(a, b, SPEEDUP, **options).ratio == pytest.approx(1.0)
    filled = pair(a, b, SPEEDUP, missing="worst", **options)
    assert filled.difference == pytest.approx((0.5 - 4.0) / 3)
    assert filled.ratio is None


def test_abstained_attempts_are_never_filled_in() -> None:
    a: Tasks = {"t1": [0.5], "t2": [0.5]}
    found = pair(rows_of(a), rows_of({"t1": [0.75], "t2": [None]}), missing="worst")
    assert (found.n_tasks, found.left_out) == (1, {"abstained": 1})
    assert found.difference == 0.25


def test_the_improvement_decides_where_lower_is_better() -> None:
    """Shorter by 1 at all of 12 tasks: not inferior, and without a margin nothing is said."""
    a, b = ([{"task_id": f"t{i}", "x.turns": x} for i in range(12)] for x in (5.0, 4.0))
    options: dict[str, Any] = {"better": {"x.turns": "lower"}}
    assert pair(a, b, "x.turns", margin=0.0, **options).non_inferior is True
    assert pair(b, a, "x.turns", margin=0.5, **options).non_inferior is False
    assert pair(b, a, "x.turns", **options).non_inferior is None


def test_a_margin_of_one_figure() -> None:
    a = [row | {PASSED: False} for row in rows_of({f"t{i}": [i / 8] for i in range(6)})]
    compared = trajmeter.compare_scores([a, a], figures=[F1, PASSED], margin={F1: 0.1})
    assert [each.margin for each in compared.pairs[0].figures] == [0.1, None]
