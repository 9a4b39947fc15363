"""Comparing systems: edges of pairing, tests and factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from tests.summaries.tables import F1, PASSED, Tasks, attempt, rows_of
from trajmeter.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.summaries.differences import Difference

SPEEDUP = "speedup.task_speedup"


def pair(a: list[Any], b: list[Any], figure: str = F1, **options: Any) -> Difference:
    (found,) = trajmeter.compare_scores([a, b], figures=[figure], **options).pairs[0].figures
    return found


@pytest.mark.parametrize(
    "compare", [trajmeter.compare_scores, trajmeter.summarize, trajmeter.report]
)
def test_columns_by_name_are_refused_in_one_short_line(compare: Callable[[Any], object]) -> None:
    columns = {"task_id": ["t"] * 99, F1: [0.5] * 99}
    with pytest.raises(
        InputError, match=r"\(dict\), expected a path, rows, or tables in a list or by name"
    ) as raised:
        compare(columns)
    assert len(str(raised.value)) < 200


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


def test_differences_that_cancel_up_to_rounding_are_no_difference() -> None:
    """In floats, 0.3 + 0.4 - 0.1 - 0.6 is not 0."""
    a, b = {"t": [0.1], "u": [0.6]}, {"t": [0.3], "u": [0.4]}
    found = pair(rows_of(a), rows_of(b))
    assert (found.difference, found.bound_low, found.bound_high) == (0.0, 0.0, 0.0)
    assert (found.n_better, found.n_worse, found.p_value) == (1, 1, 1.0)


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


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.4), (0.6, 0.7), (0.4, 0.3), (0.7, 0.6)])
def test_a_constant_difference_that_equals_the_margin_up_to_rounding(a: float, b: float) -> None:
    """In floats, 0.4 - 0.3 is more than 0.1, and 0.7 - 0.6 is less."""
    first, second = (rows_of({f"t{i}": [value] for i in range(12)}) for value in (a, b))
    found = pair(first, second, margin=0.1)
    assert (found.equivalence_p, found.equivalent, found.non_inferior) == (0.5, False, True)
    assert found.one_sided_low == found.difference


def test_factors_that_vary_only_by_rounding_have_no_interval() -> None:
    a = {"t1": [3.0, 1 / 3], "t2": [5.0, 0.2], "t3": [7.0, 1 / 7]}
    b = {"t1": [9.0, 1 / 9], "t2": [11.0, 1 / 11], "t3": [13.0, 1 / 13]}
    found = pair(rows_of(a, figure=SPEEDUP), rows_of(b, figure=SPEEDUP), SPEEDUP)
    assert found.ratio == pytest.approx(1.0)
    assert (found.ratio_low, found.ratio_high) == (None, None)


def test_a_factor_beyond_floats_has_no_limit() -> None:
    a, b = ({"t1": [low], "t2": [high]} for low, high in ((1.0, 1.0), (1e-6, 1e6)))
    options: dict[str, Any] = {"level": 0.999}
    found = pair(rows_of(a, figure=SPEEDUP), rows_of(b, figure=SPEEDUP), SPEEDUP, **options)
    assert (found.ratio_low, found.ratio_high) == (0.0, None)
    assert "too_large" in found.notes


@given(st.permutations(range(20)))
def test_the_order_of_rows_without_a_cluster_changes_nothing(order: list[int]) -> None:
    a, b = (
        [attempt(f"t{i}", i * i % 17 / power) | {"repository": None} for i in range(20)]
        for power in (32, 64)
    )
    options: dict[str, Any] = {
        "cluster": "repository",
        "interval": "bootstrap",
        "resamples": 99,
        "ranges": {F1: (0, 1)},
    }
    for row in a:
        row["repository"] = "r" if row["task_id"] == "t3" else None
    one, two = ([rows[place] for place in order] for rows in (a, b))
    assert pair(one, two, **options) == pair(a, b, **options)
