"""Summaries of results tables: the worked example, outcomes, edges, and laws."""

from __future__ import annotations

import random
import threading
from fractions import Fraction
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from tests.summaries.tables import F1, PASSED, Row, Tasks, attempt, rows_of, tasks
from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.records import Task
from trajmeter.summaries.attempt_keys import AttemptKeys
from trajmeter.summaries.figure_sums import FigureSums

if TYPE_CHECKING:
    from trajmeter.summaries.estimates import Estimate

WORKED: Tasks = {"t1": [0.2, 0.4], "t2": [0.9], "t3": [0.5, 0.7], "t4": ["missing_gold"]}


def one(rows: object, **options: Any) -> Estimate:
    """The one figure of the one group."""
    options.setdefault("figures", [F1])
    (group,) = trajmeter.summarize(rows, by="none", **options).groups  # type: ignore[arg-type]  # rows of any kind
    (figure,) = group.figures
    return figure


def test_the_worked_example() -> None:
    """Mean 2.7 / 5, of tasks (0.3 + 0.9 + 0.6) / 3, error sqrt(1.5 * 0.3744) / 5."""
    found = one(rows_of(WORKED))
    assert (found.n_total, found.n_scored, found.n_not_scored) == (6, 5, 1)
    assert (found.n_tasks, found.n_clusters, found.df) == (3, 3, 2)
    assert found.not_scored == {"missing_gold": 1}
    assert found.mean == 0.54
    assert found.mean_of_tasks == pytest.approx(0.6)
    assert found.std_error == pytest.approx(sqrt(1.5 * 0.3744) / 5)
    assert (found.interval, found.low, found.high) == ("t", 0.0, 1.0)
    assert found.bound_low == pytest.approx(2.7 / 6)
    assert found.bound_high == pytest.approx(3.7 / 6)
    assert found.var_repeat == pytest.approx(0.02)
    assert found.var_task == pytest.approx(0.06625)
    assert found.notes == ("few_tasks",)


def test_what_counts_and_what_does_not() -> None:
    group = F1.rpartition(".")[0]
    rows = [
        attempt("t1", 0.5),
        attempt("t2", 0.25) | {f"{group}.outcome": "assigned", f"{group}.cause": "not_a_diff"},
        attempt("t3", None),
        attempt("t4", 10.0) | {f"{group}.outcome": "abstained"},
        attempt("t5", None) | {f"{group}.outcome": "scored"},
        attempt("t6", float("nan")),
        attempt("t7", "metric_error"),
    ]
    found = one(rows)
    assert (found.n_total, found.n_scored, found.n_assigned) == (7, 2, 1)
    assert (found.n_abstained, found.n_not_scored) == (3, 2)
    assert found.not_scored == {"metric_error": 1, "non_finite": 1}
    assert found.mean == 0.375


def test_one_task_has_no_interval_however_many_attempts() -> None:
    found = one(rows_of({"t": [0.5, 0.75, 1.0]}))
    assert found.mean == 0.75
    assert (found.interval, found.low, found.std_error, found.df) == (None, None, None, None)
    assert found.notes == ("one_task",)


def test_nothing_scored_has_no_mean() -> None:
    found = one(rows_of({"t": ["missing_gold", None]}))
    assert (found.mean, found.interval, found.notes) == (None, None, ("nothing_scored",))
    assert (found.bound_low, found.bound_high) == (0.0, 1.0)


def test_equal_values_are_not_certain() -> None:
    """Wilson on two tasks, not on four attempts: z**2 / (2 + z**2) = 0.6576."""
    found = one(rows_of({"t1": [0.0, 0.0], "t2": [0.0, 0.0]}))
    assert (found.interval, found.std_error, found.low) == ("wilson", 0.0, 0.0)
    assert found.high == pytest.approx(0.6576197724933468)
    unbounded = one(
        [{"task_id": f"t{i}", "speedup.agent_advantage": 0.1} for i in range(3)],
        figures=["speedup.agent_advantage"],
    )
    assert (unbounded.interval, unbounded.low, unbounded.std_error) == (None, None, 0.0)
    assert "no_variation" in unbounded.notes


@pytest.mark.parametrize(
    ("repeats", "choice", "method"),
    [
        (1, "auto", "wilson"),
        (2, "auto", "wilson_clustered"),
        (2, "wilson", "wilson_clustered"),
        (1, "t", "t"),
        (1, "bootstrap", "bootstrap"),
    ],
)
def test_intervals_of_truth_values(repeats: int, choice: str, method: str) -> None:
    rows = rows_of(
        {f"t{i:02}": [i % 3 == 0, i % 2 == 0][:repeats] for i in range(12)}, figure=PASSED
    )
    found = one(rows, figures=[PASSED], interval=choice)
    assert found.interval == method
    assert found.kind == "boolean"
    assert found.low is not None
    assert found.mean is not None
    assert 0.0 <= found.low < found.mean


def test_wilson_is_for_truth_values() -> None:
    with pytest.raises(ConfigurationError, match="true or false"):
        one(rows_of(WORKED), interval="wilson")


def test_values_that_hardly_differ_keep_their_variance() -> None:
    """1000 and 1000 plus or minus 0.01: squares of a million lose it in floats."""
    rows = [
        {"task_id": f"t{i}", "attempt": str(k), "x.y": 1000.0 + 0.01 * (-1) ** k}
        for i in range(20)
        for k in range(2)
    ]
    found = one(rows, figures=["x.y"])
    assert found.var_repeat == pytest.approx(2 * 0.01**2, rel=1e-6)
    assert found.var_task == 0.0


def test_geometric_means() -> None:
    name = "speedup.task_speedup"
    values = [2.0, 0.5, 4.0]
    rows = [{"task_id": f"t{i}", name: value} for i, value in enumerate(values)]
    found = one(rows, figures=[name])
    assert found.gmean is not None
    assert found.gmean_low is not None
    assert found.gmean == pytest.approx(exp(sum(map(log, values)) / 3))
    assert found.gmean_low < found.gmean
    zero = one([*rows, {"task_id": "t9", name: 0.0}], figures=[name])
    assert (zero.gmean, zero.gmean_low) == (0.0, None)
    assert "zero" in zero.notes
    negative = one([*rows, {"task_id": "t9", name: -1.0}], figures=[name])
    assert negative.gmean is None
    assert "negative" in negative.notes


def test_a_ratio_of_sums_leaves_out_what_divides_by_nothing() -> None:
    group = "context.final.line"
    counts = [(2, 5), (9, 10), (0, 0), (3, 6)]
    rows = [
        attempt(f"t{i}", hit / size if size else None, figure=f"{group}.coverage")
        | {f"{group}.intersection": hit, f"{group}.gold_size": size, f"{group}.outcome": "scored"}
        for i, (hit, size) in enumerate(counts)
    ]
    found = one(rows, figures=[f"{group}.coverage"])
    assert found.micro == 14 / 21
    # Residuals 2 - 10/3, 9 - 20/3 and 3 - 4 over 21, with two degrees of freedom.
    error = sqrt(1.5 * ((4 / 3) ** 2 + (7 / 3) ** 2 + 1)) / 21
    assert found.micro_high == pytest.approx(min(14 / 21 + 4.302652729911275 * error, 1.0))


def test_coarser_clusters() -> None:
    """Tasks of one repository are not independent: two clusters of two tasks."""
    rows = [
        attempt(f"t{i}", value) | {"repository": "ab"[i // 2]}
        for i, value in enumerate([0.1, 0.2, 0.7, 0.8])
    ]
    found = one(rows, cluster="repository")
    assert (found.n_tasks, found.n_clusters, found.df) == (4, 2, 1)
    # e = 0.3 - 0.9 and 1.5 - 0.9.
    assert found.std_error == pytest.approx(sqrt(2 * (0.36 + 0.36)) / 4)
    alone = [row | {"repository": None} for row in rows]
    assert one(alone, cluster="repository").n_clusters == 4


def test_tasks_without_an_attempt_count() -> None:
    gold = [Task(id="t1"), Task(id="t2", aliases=("other",)), Task(id="t3")]
    rows = [attempt("t1", 0.5), attempt("other", 1.0)]
    found = one(rows, tasks=gold)
    assert (found.n_total, found.n_scored) == (3, 2)
    assert found.not_scored == {"no_attempt": 1}
    assert found.bound_low == 0.5


@pytest.mark.parametrize(("keep", "mean"), [("first", 0.5), ("last", 0.75)])
def test_an_attempt_that_occurs_twice(keep: str, mean: float) -> None:
    rows = [attempt("t1", 0.25), attempt("t2", 0.75), attempt("t1", 0.75)]
    with pytest.raises(ConfigurationError, match=r"occurs twice.*'t1'.*row 1 and table 1, row 3"):
        one(rows)
    assert one(rows, duplicates=keep).mean == mean
    apart = [row | {"source": f"log:{i}"} for i, row in enumerate(rows)]
    assert one(apart).n_scored == 3, "their sources tell them apart"


def test_two_settings_of_a_metric() -> None:
    old = [row | {"context.version": "1"} for row in rows_of({"t1": [0.5], "t2": [0.7]})]
    new = [row | {"context.version": "2"} for row in rows_of({"t3": [0.9]})]
    with pytest.raises(ConfigurationError, match=r"context has two settings.*1 .*2 "):
        one([old, new])
    assert one([old, new], mixed_settings=True).n_scored == 3


def test_a_table_without_the_figure_says_nothing_of_it() -> None:
    other = [{"task_id": "t9", "agent": "a", "model": "m", PASSED: True}]
    (group,) = trajmeter.summarize([rows_of(WORKED), other], figures=[F1, PASSED]).groups
    assert group.attempts == 7
    assert {each.figure: each.n_total for each in group.figures} == {F1: 6, PASSED: 1}


def test_groups_and_names_of_figures() -> None:
    rows = rows_of({"t1": [0.5]}, agent="b") + rows_of({"t1": [0.25]}, agent="a")
    found = trajmeter.summarize(rows, figures=["context.line.f1"])
    assert [group.group for group in found.groups] == [
        {"agent": "a", "model": "m"},
        {"agent": "b", "model": "m"},
    ]
    assert trajmeter.summarize([rows], by=["file"]).groups[0].group == {"file": "table 1"}
    with pytest.raises(UnknownNameError, match=f"did you mean '{F1}'"):
        trajmeter.summarize(rows, figures=["context.final.line.f2"])
    with pytest.raises(ConfigurationError, match="no table has a column 'team'"):
        trajmeter.summarize(rows, by="team")


def test_figures_of_a_users_own() -> None:
    rows = [{"task_id": f"t{i}", "mine.seconds": float(i)} for i in range(4)]
    with pytest.raises(ConfigurationError, match=r"no figure .* has a direction.*mine\.seconds"):
        trajmeter.summarize(rows)
    options: dict[str, Any] = {"better": {"mine.seconds": "lower"}}
    options["ranges"] = {"mine.seconds": (0.0, None)}
    (figure,) = trajmeter.summarize(rows, **options).groups[0].figures
    assert (figure.mean, figure.low, figure.higher_is_better) == (1.5, 0.0, False)


def test_success_by_a_threshold() -> None:
    rows = rows_of({"t1": [0.9, 0.1, 0.8], "t2": [0.0, 0.2, 0.9]})
    found = trajmeter.summarize(rows, figures=[F1], success=f"{F1}>=0.8", ks=[1, 3, 4])
    first, third, fourth = found.groups[0].repeats
    assert first.pass_at_k == first.pass_hat_k == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert (third.pass_at_k, third.pass_hat_k) == (1.0, 0.0)
    assert (fourth.n_tasks, fourth.n_tasks_total, fourth.pass_at_k) == (0, 2, None)
    assert (first.n_always, first.n_sometimes, first.n_never) == (0, 2, 0)
    with pytest.raises(ConfigurationError, match="is not a boolean"):
        trajmeter.summarize(rows, success=F1)


def test_arrow_tables_are_read() -> None:
    rows = rows_of(WORKED)
    assert one(pa.Table.from_pylist(rows)) == one(rows)
    dictionary = pa.Table.from_pylist(rows)
    column = dictionary.column("task_id").dictionary_encode()
    assert one(dictionary.set_column(0, "task_id", column)) == one(rows)


def comparable(rows: list[Row], **options: Any) -> Any:
    return trajmeter.summarize(rows, figures=[F1], **options).groups


@given(attempts=tasks(), seed=st.integers(0, 9), boot=st.booleans())
def test_neither_order_nor_splitting_matters(attempts: Tasks, seed: int, *, boot: bool) -> None:
    rows = rows_of(attempts) + rows_of(attempts, agent="b")
    options: dict[str, Any] = {"success": f"{F1}>0.5", "resamples": 49}
    options["interval"] = "bootstrap" if boot else "auto"
    whole = comparable(rows, **options)
    mixed = random.Random(seed).sample(rows, len(rows))  # noqa: S311 - an order, not a secret
    assert comparable(mixed, **options) == whole
    parts = [mixed[: len(mixed) // 3], mixed[len(mixed) // 3 :]]
    assert comparable(parts, **options) == whole  # type: ignore[arg-type]  # several tables


@given(attempts=tasks())
def test_bounds_hold_the_mean(attempts: Tasks) -> None:
    found = one(rows_of(attempts))
    if found.mean is not None:
        assert found.bound_low is not None
        assert found.bound_high is not None
        assert found.bound_low <= found.mean <= found.bound_high


@given(attempts=tasks(), size=st.integers(1, 3))
def test_equally_many_attempts(attempts: Tasks, size: int) -> None:
    """The mean is that of the tasks, and the error that of their means."""
    values = {
        task: [each for each in own if isinstance(each, float)][:size]
        for task, own in attempts.items()
    }
    rows = rows_of({task: own for task, own in values.items() if len(own) == size})
    if not rows:
        return
    found = one(rows)
    assert found.mean_of_tasks == pytest.approx(found.mean)
    means = [sum(own) / size for own in values.values() if len(own) == size]
    if len(means) > 1 and found.std_error:
        mean = sum(means) / len(means)
        classical = sqrt(sum((x - mean) ** 2 for x in means) / (len(means) - 1) / len(means))
        assert found.std_error == pytest.approx(classical, rel=1e-6)


@given(attempts=tasks(max_tasks=5))
def test_repeats_are_bounded(attempts: Tasks) -> None:
    found = trajmeter.summarize(rows_of(attempts), figures=[F1], success=f"{F1}>=0.5", resamples=19)
    repeats = found.groups[0].repeats
    for each in repeats:
        assert each.pass_hat_k is not None
        assert each.pass_at_k is not None
        first = repeats[0].pass_at_k
        assert first is not None
        assert each.pass_hat_k - 1e-12 <= first <= each.pass_at_k + 1e-12


@pytest.mark.parametrize("value", [2e140, 1e155, 1.7e308])
@pytest.mark.parametrize("interval", ["auto", "bootstrap"])
def test_values_whose_squares_leave_the_range_have_a_mean(value: float, interval: str) -> None:
    rows = rows_of({"t1": [value, value / 2], "t2": [value], "t3": [1.0, -value]}, figure="x.f")
    found = one(rows, figures=["x.f"], better={"x.f": "higher"}, interval=interval)
    assert found.mean == float((Fraction(value) * 3 / 2 + 1) / 5)
    assert (found.n_scored, found.n_tasks, found.notes) == (5, 3, ("too_large",))
    assert found.std_error is found.low is found.high is found.var_task is None
    assert found.mean_of_tasks is None


@pytest.mark.parametrize("attempts", [["1", "01"], ["-1", None], ["1", None], ["1", "one"]])
def test_attempts_whose_names_are_alike_are_two(attempts: list[str | None]) -> None:
    rows = [attempt("t1", 0.5) | {"attempt": name} for name in attempts]
    assert one(rows).n_scored == 2
    with pytest.raises(ConfigurationError, match="occurs twice"):
        one([*rows, rows[0]])


def test_figures_are_the_same_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"x.f{number}" for number in range(7)]
    rows = [
        attempt(f"t{number % 5}", None) | {name: number / (7 + len(name)) for name in names}
        for number in range(40)
    ]
    for number, row in enumerate(rows):
        row["attempt"] = str(number)
    alone = trajmeter.summarize(rows, figures=names)
    used = set()
    add = FigureSums.add

    def watched(own: FigureSums, *arguments: Any) -> None:
        used.add(threading.current_thread())
        add(own, *arguments)

    monkeypatch.setattr(FigureSums, "add", watched)
    monkeypatch.setattr("trajmeter.summaries.table_sums._MANY_ROWS", 1)
    monkeypatch.setattr("trajmeter.summaries.table_sums.threads", lambda: 4)
    assert trajmeter.summarize(rows, figures=names) == alone
    assert used
    assert threading.current_thread() not in used


@pytest.mark.parametrize(("interval", "times"), [("auto", 1), ("bootstrap", 0), ("none", 0)])
def test_large_tables_are_read_while_student_is_imported(
    monkeypatch: pytest.MonkeyPatch, interval: Any, times: int
) -> None:
    rows = [attempt("t1", 0.5), attempt("t2", 0.25)]
    imports: list[None] = []
    monkeypatch.setattr("trajmeter.summaries.table_sums._MANY_ROWS", 1)
    monkeypatch.setattr("trajmeter.summaries.table_sums.threads", lambda: 4)
    monkeypatch.setattr("trajmeter.summaries.table_sums.has_t", lambda: imports.append(None))
    trajmeter.summarize(rows, interval=interval, resamples=10)
    assert len(imports) == times


class Unreadable:
    """Rows of which no column can be read."""

    num_rows = 2

    def column(self, name: str, /) -> None:
        raise ReadError("a figure")


@pytest.mark.parametrize("rows_on_threads", [1, 20_000])
def test_what_is_wrong_with_keys_is_reported_before_figures(
    monkeypatch: pytest.MonkeyPatch, rows_on_threads: int
) -> None:
    def keys(*_: object) -> None:
        raise ReadError("a key")

    module = "trajmeter.summaries.table_sums"
    monkeypatch.setattr(f"{module}._MANY_ROWS", rows_on_threads)
    monkeypatch.setattr(f"{module}.threads", lambda: 4)
    monkeypatch.setattr(f"{module}.rows_by_column", lambda *_, **__: [Unreadable()])
    monkeypatch.setattr(AttemptKeys, "add", keys)
    with pytest.raises(ReadError, match="a key"):
        trajmeter.summarize([attempt("t1", 0.5)])
