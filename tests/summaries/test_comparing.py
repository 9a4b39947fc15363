"""Comparing systems: pairs, what is left out, missing values, and laws."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import trajmeter
from tests.summaries.tables import F1, PASSED, Tasks, rows_of, tasks
from trajmeter.errors import ConfigurationError, InputError, ReadError, UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.summaries.differences import Difference

A: Tasks = {f"t{i}": [x] for i, x in enumerate([0.3, 0.3, 0.6, 0.1, 0.7, 0.2])}
B: Tasks = {f"t{i}": [x] for i, x in enumerate([0.4, 0.2, 0.6, 0.2, 0.6, 0.4])}


def pair(a: Any, b: Any, **options: Any) -> Difference:
    options.setdefault("figures", [F1])
    compared = trajmeter.compare_scores([rows_of(a), rows_of(b)], **options)
    (figure,) = compared.pairs[0].figures
    return figure


def test_the_worked_example() -> None:
    """Difference 0.2 / 6, error sqrt(0.07333 / 5 / 6), 24 of 32 patterns."""
    found = pair(A, B, margin=0.1)
    assert found.difference == pytest.approx(0.2 / 6)
    assert found.std_error == pytest.approx(sqrt((0.08 - 0.04 / 6) / 5 / 6))
    assert found.low == pytest.approx(-0.0938, abs=1e-4)
    assert found.high == pytest.approx(0.1604, abs=1e-4)
    assert (found.p_value, found.p_method) == (0.75, "sign_flip_exact")
    assert (found.n_better, found.n_worse, found.n_equal) == (3, 2, 1)
    assert found.equivalence_p == pytest.approx(0.118, abs=5e-4)
    assert (found.equivalent, found.non_inferior) == (False, True)
    assert found.mde == pytest.approx(0.1726, abs=5e-5)


def test_a_single_name_is_a_list_of_one() -> None:
    tables = [rows_of(A), rows_of(B)]
    for function in (trajmeter.compare_scores, trajmeter.agreement):
        assert function(tables, figures=F1) == function(tables, figures=[F1])
    one = trajmeter.summarize(rows_of(A), figures=F1)
    assert one == trajmeter.summarize(rows_of(A), figures=[F1])
    assert trajmeter.compare_scores(tables, tasks_of=F1).pairs[0].tasks.keys() == {F1}
    report = trajmeter.report(tables, figures=F1).document
    assert report.headlines == trajmeter.report(tables, figures=[F1]).document.headlines


def test_every_pair_and_figure_is_a_row() -> None:
    tables = [rows_of(tasks, agent=name) for name, tasks in {"a": A, "b": B, "c": A}.items()]
    compared = trajmeter.compare_scores(tables, figures=F1, by="agent")
    assert [(row["a"], row["b"], row["figure"]) for row in compared.rows] == [
        ("a", "b", F1),
        ("a", "c", F1),
    ]
    figure = compared.pairs[0].figures[0]
    assert compared.rows[0] == {"a": "a", "b": "b", **figure.model_dump(mode="json")}
    assert pa.Table.from_pylist(compared.rows)["difference"].to_pylist()[1] == 0.0


def test_a_mapping_names_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.Table.from_pylist(rows_of(B)), path)
    named = {"openai/gpt-4.1": pa.Table.from_pylist(rows_of(A)), "1.5": rows_of(B), "new": path}
    compared = trajmeter.compare_scores(named, figures=F1)
    assert [(each.a, each.b) for each in compared.pairs] == [
        ("openai/gpt-4.1", "1.5"),
        ("openai/gpt-4.1", "new"),
    ]
    groups = trajmeter.summarize(named, by="file").groups
    assert sorted(str(each.group["file"]) for each in groups) == sorted(named)
    document = trajmeter.report(named).document
    assert document.title == "Scores of openai/gpt-4.1, 1.5, new"
    judges = trajmeter.agreement(named, scale="nominal").judges
    assert judges == tuple(named)


def test_an_error_says_the_name_of_a_table() -> None:
    rows = [*rows_of(A), {"task_id": "t9", F1: "much"}]
    with pytest.raises(ReadError, match=r"mine\[6\]: .* is 'much', expected a number"):
        trajmeter.compare_scores({"mine": rows, "other": rows_of(B)})
    with pytest.raises(InputError, match="expected a path, rows, or tables in a list or by name"):
        trajmeter.compare_scores({"task_id": ["t1"], F1: [0.5]})


def test_why_tasks_are_left_out() -> None:
    a: Tasks = {"t1": [0.5], "t2": [0.5], "t4": ["x"], "t5": ["x"], "t6": [0.1], "t7": [None]}
    b: Tasks = {"t1": [0.6], "t3": [0.5], "t4": ["x"], "t5": [0.2], "t6": ["x"], "t7": [0.1]}
    compared = trajmeter.compare_scores([rows_of(a), rows_of(b)], figures=[F1])
    assert compared.pairs[0].left_out == {
        "only_a": ("t2",),
        "only_b": ("t3",),
        "unmeasured_both": ("t4",),
        "unmeasured_a": ("t5",),
        "unmeasured_b": ("t6",),
        "abstained": ("t7",),
    }
    assert compared.pairs[0].figures[0].left_out == dict.fromkeys(compared.pairs[0].left_out, 1)
    assert [task.task_id for task in compared.pairs[0].tasks[F1]] == ["t1"]


def test_missing_values_at_their_worst() -> None:
    """t2 lacks one of two attempts in b: (0.8 + 0) / 2; t3 is only in a: 0 in b."""
    a: Tasks = {"t1": [0.5], "t2": [0.5], "t3": [0.5]}
    b: Tasks = {"t1": [0.5], "t2": [0.8, "x"]}
    found = pair(a, b, missing="worst")
    assert (found.n_tasks, found.left_out) == (3, {})
    assert found.difference == pytest.approx((0.0 - 0.1 - 0.5) / 3)
    assert pair(a, b, missing="best").difference == pytest.approx((0.0 + 0.4 + 0.5) / 3)
    assert pair(a, b).bound_low == found.difference
    with pytest.raises(ConfigurationError, match=r"no greatest value.*--range"):
        trajmeter.compare_scores(
            [
                [{"task_id": "t", "speedup.task_speedup": 1.0}],
                [{"task_id": "t", "speedup.task_speedup": 2.0}],
            ],
            figures=["speedup.task_speedup"],
            missing="best",
        )


def test_lower_may_be_better() -> None:
    name = "context.trajectory.line.redundancy"
    a, b = ({f"t{i}": [x + i / 100] for i in range(12)} for x in (0.5, 0.1))
    b["t0"] = [0.2]
    tables = [rows_of(a, figure=name), rows_of(b, figure=name)]
    compared = trajmeter.compare_scores(tables, figures=[name], margin=0.05)
    (found,) = compared.pairs[0].figures
    assert found.difference is not None
    assert found.difference < 0
    assert (found.n_better, found.non_inferior) == (12, True)
    assert compared.pairs[0].tasks[name][0].task_id == "t0", "the least gain comes first"


def test_factors() -> None:
    name = "speedup.task_speedup"
    values = [(1.0, 2.0), (2.0, 3.0), (4.0, 4.0)]
    tables = [
        [{"task_id": f"t{i}", name: pair[side]} for i, pair in enumerate(values)] for side in (0, 1)
    ]
    (found,) = trajmeter.compare_scores(tables, figures=[name]).pairs[0].figures
    assert found.ratio == pytest.approx(exp((log(2) + log(1.5)) / 3))
    tables[0][0][name] = 0.0
    (zero,) = trajmeter.compare_scores(tables, figures=[name]).pairs[0].figures
    assert zero.ratio is None
    assert "zero" in zero.notes


def test_one_task_has_no_interval() -> None:
    found = pair({"t": [0.1, 0.2]}, {"t": [0.5]})
    assert found.difference == pytest.approx(0.35)
    assert (found.interval, found.low, found.std_error) == (None, None, None)
    assert (found.p_value, found.notes) == (1.0, ("one_task",))


def test_the_same_difference_everywhere() -> None:
    a, b = ({f"t{i}": [x] for i in range(12)} for x in (0.25, 0.5))
    found = pair(a, b, margin=0.1)
    assert (found.difference, found.low, found.high) == (0.25, 0.25, 0.25)
    assert (found.interval, found.p_t, found.mde, found.equivalence_p) == (None, None, None, 1.0)
    assert found.notes == ("no_variation",)


def test_a_figure_without_a_pair() -> None:
    found = pair({"t": ["x"]}, {"t": [0.5]})
    assert (found.n_tasks, found.difference, found.p_value) == (0, None, None)
    assert (found.bound_low, found.bound_high) == (-0.5, 0.5)
    assert found.notes == ("no_pair",)


def test_systems_of_one_table() -> None:
    rows = rows_of(A, agent="z") + rows_of(B, agent="y") + rows_of(A, agent="x")
    compared = trajmeter.compare_scores(rows, figures=[F1])
    assert [(each.a, each.b) for each in compared.pairs] == [("x / m", "y / m"), ("x / m", "z / m")]
    every = trajmeter.compare_scores(rows, figures=[F1], pairs="all")
    assert [(each.a, each.b) for each in every.pairs][2] == ("y / m", "z / m")


@pytest.mark.parametrize(
    ("tables", "options", "message"),
    [
        ([rows_of(A)], {}, "there is only one system"),
        ([rows_of(A) + rows_of(B, agent="b"), rows_of(B)], {}, "--by agent,model,file"),
        ([rows_of(A), rows_of({"other": [1.0]})], {}, "share no task id"),
        ([rows_of(A), rows_of(B)], {"margin": -0.1}, "expected 0 or more"),
        ([rows_of(A), rows_of(B)], {"interval": "wilson"}, "not for differences"),
        ([rows_of(A), rows_of(B)], {"missing": "none"}, "expected drop, worst or best"),
        ([rows_of(A), rows_of(B)], {"level": 1.0}, "between 0 and 1"),
    ],
)
def test_refusals(tables: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        trajmeter.compare_scores(tables, figures=[F1], **options)


def test_p_values_of_a_call_are_adjusted_together() -> None:
    a = [row | {PASSED: False} for row in rows_of(A)]
    b = [row | {PASSED: True} for row in rows_of(B)]
    first, second = trajmeter.compare_scores([a, b], figures=[F1, PASSED]).pairs[0].figures
    assert (second.p_value, second.p_method) == (2 / 2**6, "mcnemar")
    assert second.p_holm == 2 * 2 / 2**6
    assert first.p_holm == first.p_value == 0.75


def test_clusters_of_tasks() -> None:
    def repository(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [row | {"repo": "xyz"[int(row["task_id"][1:]) // 2]} for row in rows]

    compared = trajmeter.compare_scores(
        [repository(rows_of(A)), repository(rows_of(B))], figures=[F1], cluster="repo"
    )
    found = compared.pairs[0].figures[0]
    # Sums of the repositories' differences: 0, 0.1 and 0.1; residuals from 2 * 0.0333.
    assert (found.n_tasks, found.n_clusters) == (6, 3)
    squares = (0.2 / 3) ** 2 + 2 * (0.1 - 0.2 / 3) ** 2
    assert found.std_error == pytest.approx(sqrt(1.5 * squares) / 6)


@given(a=tasks(), b=tasks())
def test_the_other_way_round(a: Tasks, b: Tasks) -> None:
    if not a.keys() & b.keys():
        return
    ab, ba = pair(a, b), pair(b, a)
    assert ab.p_value == ba.p_value
    if ab.difference is not None and ba.difference is not None:
        assert ba.difference == pytest.approx(-ab.difference, abs=1e-15)
        assert (ab.n_better, ab.n_worse) == (ba.n_worse, ba.n_better)
    if ab.bound_low is not None and ab.bound_high is not None:
        assert ba.bound_high == pytest.approx(-ab.bound_low)
        for rule in ("worst", "best"):
            found = pair(a, b, missing=rule).difference
            assert found is not None
            assert ab.bound_low - 1e-12 <= found <= ab.bound_high + 1e-12


@given(a=tasks())
def test_the_same_results_are_no_regression(a: Tasks) -> None:
    found = pair(a, a, margin=0.0)
    if found.n_tasks:
        assert (found.difference, found.p_value) == (0.0, 1.0)
    if found.n_clusters > 1:
        assert found.non_inferior


@given(a=tasks(), b=tasks(), gaps=st.sets(st.integers(0, 7), max_size=4))
def test_where_only_b_misses_worst_is_at_most_best(a: Tasks, b: Tasks, gaps: set[int]) -> None:
    full: Tasks = {t: [x for x in own if isinstance(x, float)] or [0.5] for t, own in a.items()}
    partial: Tasks = {t: b.get(t, [0.5]) for t in full}
    partial |= {f"t{i}": ["x"] for i in gaps if f"t{i}" in full}
    worst = pair(full, partial, missing="worst").difference
    best = pair(full, partial, missing="best").difference
    if worst is not None and best is not None:
        assert worst <= best + 1e-12


@pytest.mark.parametrize("value", [2e140, 1.7e308])
def test_no_difference_of_values_whose_squares_leave_the_range(value: float) -> None:
    found = pair({"t1": [value], "t2": [0.5]}, {"t1": [-value], "t2": [0.25]}, margin=0.1)
    assert (found.n_tasks, found.n_clusters, found.notes) == (2, 2, ("too_large",))
    assert found.difference is found.std_error is found.p_value is found.bound_low is None


def test_tasks_are_listed_of_the_figures_that_are_asked_for() -> None:
    rows = [
        row | {PASSED: row[F1] > 0.5}
        for agent, values in {"a": [0.25, 0.5], "b": [0.75, 1.0]}.items()
        for row in rows_of({f"t{n}": [value] for n, value in enumerate(values)}, agent=agent)
    ]
    every, some = (
        trajmeter.compare_scores(rows, figures=[F1, PASSED], tasks_of=chosen).pairs[0]
        for chosen in (None, ["context.line.f1"])
    )
    assert [*every.tasks] == [F1, PASSED]
    assert some.tasks == {F1: every.tasks[F1]}
    assert some.figures == every.figures
    with pytest.raises(UnknownNameError, match=r"no figure 'context\.line\.f2'"):
        trajmeter.compare_scores(rows, tasks_of=["context.line.f2"])
