"""Summaries of results tables: edges of counts, bounds, intervals, repeats and agreement."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import trajmeter
from tests.summaries.tables import F1, PASSED, Tasks, attempt, rows_of, tasks
from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.statistics.draws import draws, picks
from trajmeter.summaries.options import read_success

if TYPE_CHECKING:
    from trajmeter.summaries.estimates import Estimate

SPEEDUP = "speedup.task_speedup"


def one(rows: object, figure: str, **options: Any) -> Estimate:
    """The one figure of the one group."""
    (group,) = trajmeter.summarize(rows, by="none", figures=[figure], **options).groups  # type: ignore[arg-type]  # rows of any kind
    (found,) = group.figures
    return found


def test_every_group_and_figure_is_a_row() -> None:
    values: Tasks = {"t1": [0.2, 0.4], "t2": [0.9], "t3": ["missing_gold"]}
    rows = rows_of(values) + rows_of({"t1": [True, False]}, agent="b", figure=PASSED)
    found = trajmeter.summarize(rows, figures=[F1, PASSED])
    kept = [(row["agent"], row["model"], row["figure"], row["mean"]) for row in found.rows]
    assert ("a", "m", F1, 0.5) in kept
    assert [*found.rows[0]][:4] == ["agent", "model", "figure", "n_total"]
    assert len(kept) == sum(len(group.figures) for group in found.groups)
    assert pa.Table.from_pylist(found.rows)["mean"].to_pylist() == [row[3] for row in kept]


def test_draws_are_those_of_the_definition() -> None:
    assert int(draws(0, range(1), 1)[0, 0]) == 0xA706DD2F4D197E6F
    assert picks(0, range(2), 5).tolist() == [[3, 3, 1, 3, 3], [1, 1, 4, 0, 2]]


def test_a_figure_without_outcome_abstains_where_it_is_null(tmp_path: Path) -> None:
    """NaN and infinities stand as text in JSON lines, and could not be scored."""
    values = [1.0, None, "Infinity", 3.0, "NaN", "-Infinity"]
    file = tmp_path / "t.jsonl"
    rows = [{"task_id": f"t{i}", "x.y": value} for i, value in enumerate(values)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = one(file, "x.y")
    assert (found.n_total, found.n_scored, found.n_abstained, found.n_not_scored) == (6, 2, 1, 3)
    assert (found.mean, found.not_scored) == (2.0, {"non_finite": 3})
    assert (found.bound_low, found.bound_high) == (None, None), "no end is declared"


def test_an_end_that_is_not_declared_gives_no_bound() -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": f"t{i}", SPEEDUP: value, "speedup.outcome": "scored"}
        for i, value in enumerate([1.0, 3.0])
    ]
    whole = one(rows, SPEEDUP)
    assert (whole.bound_low, whole.bound_high) == (2.0, 2.0), "nothing is unmeasured"
    lost = {"task_id": "t9", "speedup.outcome": "not_scored", "speedup.cause": "missing_oracle"}
    found = one([*rows, lost], SPEEDUP)
    assert (found.bound_low, found.bound_high) == (4 / 3, None)


def test_truth_values_of_a_users_own_range_from_0_to_1() -> None:
    found = one([{"task_id": f"t{i}", "mine.ok": i > 1} for i in range(4)], "mine.ok")
    assert (found.kind, found.range_low, found.range_high) == ("boolean", 0.0, 1.0)
    assert found.interval == "wilson"


def test_equal_values_of_any_range_have_wilsons_interval_scaled_back() -> None:
    """The greatest of 0 to 10 at three tasks: 10 * 3 / (3 + z**2) at least."""
    rows = [{"task_id": f"t{i}", "x.y": 10.0} for i in range(3)]
    found = one(rows, "x.y", ranges={"x.y": (0.0, 10.0)}, interval="bootstrap")
    assert (found.interval, found.high, found.std_error) == ("wilson", 10.0, 0.0)
    assert found.low == pytest.approx(10.0 * 3 / (3 + 1.959963984540054**2))


def test_an_infinite_end_of_a_range_is_none() -> None:
    """Of 3, 3, 3 and one unmeasured attempt, the mean is 9 / 4 at least, if none is below 0."""
    rows = [{"task_id": f"t{i}", "x.y": 3.0} for i in range(3)]
    rows.append({"task_id": "t9", "x.y": math.nan})
    found = one(rows, "x.y", ranges={"x.y": (0.0, math.inf)})
    assert (found.bound_low, found.bound_high) == (9 / 4, None)
    assert (found.interval, found.low, found.range_high) == (None, None, None)
    with pytest.raises(ConfigurationError, match=r"--range x.y=nan\.\.: a range ends at nan"):
        one(rows, "x.y", ranges={"x.y": (math.nan, None)})


def test_a_gate_needs_a_number() -> None:
    gate = trajmeter.Gate(kind="fail_under", figure=SPEEDUP, threshold=math.nan)
    with pytest.raises(ConfigurationError, match="--fail-under: nan, expected a number"):
        one([{"task_id": "t", SPEEDUP: 2.0}], SPEEDUP, gates=[gate])


def test_logarithms_without_variation_have_no_interval() -> None:
    found = one([{"task_id": f"t{i}", SPEEDUP: 2.0} for i in range(3)], SPEEDUP)
    assert found.gmean == pytest.approx(2.0)
    assert (found.gmean_low, found.gmean_high) == (None, None)
    alone = one([{"task_id": "t", "attempt": str(i), SPEEDUP: 2.0**i} for i in (0, 2)], SPEEDUP)
    assert alone.gmean == pytest.approx(2.0)
    assert (alone.gmean_low, alone.notes) == (None, ("one_task",))


def test_logarithms_that_cancel_vary_only_by_rounding() -> None:
    """The product of 3 and 1/3 is 1 at every task, although their logarithms are not small."""
    ratios = {"t1": [3.0, 1 / 3], "t2": [5.0, 0.2], "t3": [7.0, 1 / 7]}
    found = one(rows_of(ratios, figure=SPEEDUP), SPEEDUP)
    assert found.gmean == pytest.approx(1.0)
    assert (found.gmean_low, found.gmean_high) == (None, None)


def test_a_factor_beyond_floats_has_no_limit() -> None:
    """The upper limit is exp(13.8 * t) with t = 637: of 1e-6 and 1e6, two tasks."""
    found = one(rows_of({"t1": [1e-6], "t2": [1e6]}, figure=SPEEDUP), SPEEDUP, level=0.999)
    assert found.gmean == pytest.approx(1.0)
    assert (found.gmean_low, found.gmean_high) == (0.0, None)
    assert found.notes == ("few_tasks", "too_large")


@pytest.mark.parametrize("counts", [[(0, 0), (0, 0)], [(1, 2), (0, 0)]])
def test_ratios_of_one_cluster_or_none_have_no_interval(counts: list[tuple[int, int]]) -> None:
    group = "context.final.line"
    rows = [
        attempt(f"t{i}", 0.5, figure=f"{group}.coverage")
        | {f"{group}.intersection": hit, f"{group}.gold_size": size}
        for i, (hit, size) in enumerate(counts)
    ]
    found = one(rows, f"{group}.coverage")
    assert found.micro == (0.5 if any(size for _, size in counts) else None)
    assert (found.micro_low, found.micro_high) == (None, None)


def test_parameters_are_settings_too() -> None:
    tables = [
        [row | {"context.version": "1", "context.parameters": text} for row in rows_of({task: [1]})]
        for task, text in (("t1", '{"k": 1}'), ("t2", '{"k": 2}'))
    ]
    with pytest.raises(ConfigurationError, match=r'two settings.*"k": 1.*"k": 2.*--mixed-settings'):
        trajmeter.summarize(tables, figures=[F1])


@pytest.mark.parametrize(
    ("condition", "successes"),
    [
        ("x.y>1", [False, False, True]),
        ("x.y >= 1", [False, True, True]),
        ("x.y<1", [True, False, False]),
        ("x.y<=1", [True, True, False]),
        ("x.y", [False, True, True]),
    ],
)
def test_what_a_success_is(condition: str, successes: list[bool]) -> None:
    name, succeeds, _ = read_success(condition)
    assert name == "x.y"
    assert succeeds(np.array([0.0, 1.0, 2.0])).tolist() == successes


@pytest.mark.parametrize("condition", ["", "x.y>", "x.y>=much", "x.y>=nan", "x.y == 1"])
def test_what_no_success_is(condition: str) -> None:
    with pytest.raises(ConfigurationError, match="success is"):
        read_success(condition)


def test_a_success_is_of_one_figure() -> None:
    rows = [{"task_id": "t", "x.y": 0.5, "x.z": 0.5}]
    with pytest.raises(
        ConfigurationError, match=r"x\.\* matches 2 figures; name one, such as x\.y"
    ):
        trajmeter.summarize(rows, figures=["x.y"], success="x.*>=0.5")


def test_repeats_of_one_task_and_of_equal_ones() -> None:
    """Of two tasks that always succeed, Wilson's interval: 2 / (2 + z**2) = 0.3424."""

    def first(attempts: Tasks) -> Any:
        rows = rows_of(attempts, figure=PASSED)
        return trajmeter.summarize(rows, success=PASSED).groups[0].repeats[0]

    alone = first({"t": [True, False]})
    assert (alone.n_tasks, alone.pass_at_k, alone.pass_at_k_low) == (1, 0.5, None)
    equal = first({"t": [True, True], "u": [True, True]})
    assert (equal.pass_hat_k, equal.pass_hat_k_high) == (1.0, 1.0)
    assert equal.pass_hat_k_low == pytest.approx(0.3423802275066532)
    unscored = first({"t": [True, "lost"], "u": [True, True]})
    assert unscored.n_always == 1, "an attempt that was not scored is no attempt"


@given(attempts=tasks(), times=st.integers(2, 3))
def test_repeating_every_attempt_leaves_the_error(attempts: Tasks, times: int) -> None:
    own: Tasks = {
        task: [x for x in each if isinstance(x, float)] for task, each in attempts.items()
    }
    own = {task: each for task, each in own.items() if each}
    if len(own) < 2:
        return
    once = one(rows_of(own), F1)
    often = one(rows_of({task: each * times for task, each in own.items()}), F1)
    assert often.mean == pytest.approx(once.mean)
    assert often.std_error == pytest.approx(once.std_error)


def ratings(values: list[Any]) -> list[dict[str, Any]]:
    return [{"task_id": f"t{i}", "j.s": value} for i, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "scale"),
    [([1, 2], "ordinal"), ([1.5, 2.5], "interval"), ([True, False], "nominal")],
)
def test_the_scale_of_ratings_is_that_of_their_type(values: list[Any], scale: str) -> None:
    judges = [ratings(values), ratings(values)]
    assert trajmeter.agreement(judges, figures=["j.s"]).figures[0].scale == scale


def test_ratings_of_text_have_names_and_no_order() -> None:
    judges = [ratings(["yes", "no", "no"]), ratings(["yes", "yes", "no"])]
    (found,) = trajmeter.agreement(judges, figures=["j.s"]).figures
    assert (found.scale, found.exact, found.kappa) == ("nominal", 2 / 3, None)
    with pytest.raises(ConfigurationError, match="is text, for which the scale is nominal"):
        trajmeter.agreement(judges, figures=["j.s"], scale="ordinal")


def test_what_most_replicates_lack_has_no_interval() -> None:
    """One of 30 tasks differs: a third of the replicates draws no variation at all."""
    judges = [ratings([1] * 29 + [2]), ratings([1] * 29 + [2])]
    (found,) = trajmeter.agreement(judges, figures=["j.s"]).figures
    assert found.alpha == 1.0
    assert (found.alpha_low, found.alpha_high) == (None, None)
    mixed = [ratings([1, 2] * 15), ratings([1, 2] * 14 + [2, 1])]
    (found,) = trajmeter.agreement(mixed, figures=["j.s"]).figures
    assert found.alpha_low is not None


@given(a=tasks(), keep=st.sampled_from(["first", "last"]), seed=st.integers(0, 9))
def test_columns_read_one_by_one_give_the_same_summary(a: Tasks, keep: Any, seed: int) -> None:
    """Also where rows are left out, as one of equal attempts is."""
    rows = rows_of(a) * 2
    np.random.default_rng(seed).shuffle(rows)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("trajmeter.readers._results.parquet._FEW_CELLS", 0)
        file = Path(folder, "rows.parquet")
        parquet.write_table(pa.Table.from_pylist(rows), file, row_group_size=3)
        assert one(file, F1, duplicates=keep) == one(rows, F1, duplicates=keep)


def test_a_truth_value_is_nothing_else() -> None:
    """A share of more than 1 would have no interval."""
    rows = rows_of({"t1": [True], "t2": [False], "t3": [True]}, figure=PASSED)
    rows[1][PASSED] = 2
    message = r"turns\.run\.passed of task 't2' is 2, expected true or false"
    with pytest.raises(ReadError, match=message):
        one(rows, PASSED)
    rows[1][PASSED] = None
    assert one(rows, PASSED).mean == 1.0


def test_tasks_in_several_clusters_keep_their_variance() -> None:
    """A million and a million plus 0.002: squared distances from the mean are 0.001 ** 2.

    Two values at each of 20 tasks: (2 * 20 * 0.001 ** 2) / (40 - 20) = 2e-6.
    """
    rows = [
        {"task_id": f"t{i}", "attempt": str(k), "repo": f"r{k}", "x.y": 1e6 + 0.002 * k}
        for i in range(20)
        for k in range(2)
    ]
    found = one(rows, "x.y", cluster="repo")
    assert found.var_repeat == pytest.approx(2e-6, rel=1e-6)
    assert found.var_task == 0.0


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_figure_whose_first_rows_are_all_null_is_found_by_name(
    tmp_path: Path, suffix: str
) -> None:
    """Of 154 attempts, 150 abstain; the mean of 0, 1, 2, 3 is 1.5."""
    rows = [("t", None)] * 150 + [("t", value) for value in range(4)]
    file = tmp_path / f"late.{suffix}"
    if suffix == "csv":
        cells = [f"t,{at},{'' if x is None else x}\n" for at, (_, x) in enumerate(rows)]
        file.write_text("task_id,attempt,mine.late\n" + "".join(cells))
    else:
        lines = [
            json.dumps({"task_id": task, "attempt": str(at), "mine.late": x, "mine.list": [1]})
            for at, (task, x) in enumerate(rows)
        ]
        file.write_text("\n".join(lines))
    found = one(file, "mine.late")
    assert (found.mean, found.n_scored, found.n_abstained) == (1.5, 4, 150)
    with pytest.raises(UnknownNameError, match=r"no figure 'mine\.list'"):
        one(file, "mine.list")


def test_the_version_of_a_metric_is_not_a_figure_in_csv(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("task_id,attempt,mine.version,mine.x\nt,0,1,2.5\nu,0,1,3.5\n")
    assert one(file, "mine.*").mean == 3.0
    with pytest.raises(UnknownNameError, match=r"no figure 'mine\.version'"):
        one(file, "mine.version")


def test_a_passed_run_counts_even_if_its_turns_are_unknown() -> None:
    """A missing ``passed`` has the outcome of the run, a recorded one counts."""
    values: list[tuple[bool | None, str, str | None]] = [
        (True, "scored", None),
        (None, "not_scored", "missing_turns"),
        (True, "not_scored", "missing_turns"),
        (False, "assigned", "timed_out"),
        (None, "scored", None),
    ]
    rows = [
        {"task_id": f"t{i}", PASSED: value, "turns.run.outcome": outcome, "turns.run.cause": cause}
        for i, (value, outcome, cause) in enumerate(values)
    ]
    found = one(rows, PASSED)
    assert (found.n_scored, found.n_assigned, found.n_abstained) == (3, 1, 1)
    assert found.not_scored == {"missing_turns": 1}
    assert (found.mean, found.bound_low, found.bound_high) == (2 / 3, 2 / 4, 3 / 4)


def test_a_ratio_covers_only_attempts_inside_the_mean() -> None:
    """The counts of t2 and t3 stand beside no value, and u has none: 1 / 4 remains."""
    group = "context.final.line"
    rows = [
        attempt(task, value, figure=f"{group}.coverage")
        | {f"{group}.intersection": shared, f"{group}.gold_size": 4}
        for task, value, shared in [("t1", 0.25, 1), ("t2", None, 2)]
    ]
    wrong = {f"{group}.coverage": math.nan, f"{group}.outcome": "scored"}
    rows.append(rows[1] | wrong | {"task_id": "t3"})
    other = [attempt("u", 0.5, figure=f"{group}.coverage")]
    assert one([*rows, *other], f"{group}.coverage").micro == 0.25
    assert one([rows, other], f"{group}.coverage").micro == 0.25


def test_a_mean_that_equals_its_threshold_up_to_rounding_passes() -> None:
    """The sum of the floats is a little less than 1.6."""
    values = [0.6, 0.0, 0.7, 0.3]
    rows = rows_of({f"t{i}": [value] for i, value in enumerate(values)})
    gate = trajmeter.Gate(kind="fail_under", figure=F1, threshold=0.4)
    (check,) = trajmeter.summarize(rows, gates=[gate]).gates
    assert check.value is not None
    assert check.value < 0.4
    assert (check.outcome, check.reason) == ("passed", "mean 0.4 = 0.4  (4 of 4 scored)")


@given(st.permutations(range(12)))
def test_the_order_of_rows_without_a_cluster_changes_nothing(order: list[int]) -> None:
    rows = [attempt(None if i % 3 else f"t{i}", i * i / 128, number=i) for i in range(12)]
    options: dict[str, Any] = {"interval": "bootstrap", "resamples": 99, "success": f"{F1}>=0.5"}
    found = trajmeter.summarize([rows[place] for place in order], **options)
    assert found == trajmeter.summarize(rows, **options)
