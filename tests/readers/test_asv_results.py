"""ASV result files: combinations of parameters, failures, and whose times they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.speedup.runs import score, write_json
from trajmeter.readers import read_trajectories
from trajmeter.records import InvalidReason, Measurement, ReadProblem

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["result", "params", "version", "started_at", "duration", "samples"]


def write(path: Path, **results: Any) -> Path:
    write_json(path, {"version": 2, "result_columns": COLUMNS, "results": results})
    return path


def times(path: Path) -> dict[str, Measurement]:
    (attempt,) = read_trajectories(path)
    assert attempt.measurements is not None
    return attempt.measurements.seconds or {}


def value(seconds: float) -> Measurement:
    return Measurement(value=seconds)


def test_the_last_parameter_turns_fastest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", f=[[1.0, 2.0, 3.0, 4.0], [["1", "'x'"], ["a", "(b, c)"]]])
    assert times(path) == {
        "f(1, a)": value(1.0),
        "f(1, (b, c))": value(2.0),
        "f('x', a)": value(3.0),
        "f('x', (b, c))": value(4.0),
    }


def test_null_failed_and_nan_was_skipped(tmp_path: Path) -> None:
    nan = float("nan")
    path = write(
        tmp_path / "a.json",
        mixed=[[None, nan, 0.0, 1.5, True], [["1", "2", "3", "4", "5", "6"]]],
        whole=[None, [["1", "2"]]],
        plain=[[2.5], []],
        short=[[2.5]],
    )
    reasons = {name: time.reason for name, time in times(path).items()}
    assert reasons == {
        "mixed(1)": InvalidReason.FAILED,
        "mixed(2)": InvalidReason.SKIPPED,
        "mixed(3)": InvalidReason.NOT_POSITIVE,
        "mixed(4)": None,
        "mixed(5)": InvalidReason.NOT_A_NUMBER,
        "mixed(6)": InvalidReason.FAILED,
        "whole(1)": InvalidReason.FAILED,
        "whole(2)": InvalidReason.FAILED,
        "plain": None,
        "short": None,
    }


def test_a_null_with_samples_is_their_median(tmp_path: Path) -> None:
    nan = float("nan")
    rest = [[["1", "2", "3", "4"]], "v", 0, 0.1]
    path = write(
        tmp_path / "a.json",
        f=[[None, None, nan, 9.0], *rest, [[5.0, 1.0, 3.0], [4.0, 1.0, nan, None], [7.0], [8.0]]],
        g=[None, [], "v", 0, 0.1, [[2.0, 1.0]]],
    )
    assert times(path) == {
        "f(1)": value(3.0),
        "f(2)": value(2.5),
        "f(3)": Measurement(reason=InvalidReason.SKIPPED),
        "f(4)": value(9.0),
        "g": value(1.5),
    }


def test_samples_that_are_not_times_are_ignored(tmp_path: Path) -> None:
    beyond = 10**400  # further than any float goes
    rest = [[["1", "2", "3"]], "v", 0, 0.1]
    path = write(
        tmp_path / "a.json",
        f=[None, *rest, [[beyond, 4.0, True, "9", 2.0, None], [beyond], "7"]],
        g=[[beyond], []],
    )
    assert times(path) == {
        "f(1)": value(3.0),
        "f(2)": Measurement(reason=InvalidReason.FAILED),
        "f(3)": Measurement(reason=InvalidReason.FAILED),
        "g": Measurement(reason=InvalidReason.NON_FINITE),
    }


@pytest.mark.parametrize(
    ("columns", "results", "message"),
    [
        (COLUMNS, [], "expected a list of result_columns and an object of results"),
        ("result", {}, "expected a list of result_columns and an object of results"),
        (COLUMNS[1:], {"f": [[]]}, "result_columns has no 'result'"),
    ],
)
def test_another_version_is_reported(
    tmp_path: Path, columns: object, results: object, message: str
) -> None:
    write_json(tmp_path / "a.json", {"result_columns": columns, "results": results})
    problems: list[ReadProblem] = []
    assert list(read_trajectories(tmp_path / "a.json", on_problem=problems.append)) == []
    assert problems[0].message == message


UNREADABLE = Measurement(reason=InvalidReason.NOT_A_NUMBER)
LISTS = "params: expected a list of lists, "
MANY = [["1"] * 1000] * 3


@pytest.mark.parametrize(
    ("row", "names", "fault"),
    [
        (1.5, ["f"], "expected a list, one value for each column, got a number"),
        (None, ["f"], "expected a list, one value for each column, got null"),
        ([None] * 7, ["f"], "7 values, expected at most 6, one for each column"),
        ([[1.0], "x"], ["f"], LISTS + "got text"),
        ([[1.0], 0], ["f"], LISTS + "got a number"),
        ([[1.0], [["1"], "2"]], ["f"], LISTS + "got text at [1]"),
        ([None, MANY], ["f"], "params: expected at most 100,000 combinations, got more"),
        ([[1.0], MANY * 100], ["f"], "params: expected at most 100,000 combinations, got more"),
        ([1.5, []], ["f"], "result: expected a list or null, got a number"),
        (
            [{}, [["1", "2"]]],
            ["f(1)", "f(2)"],
            "result: expected a list or null, got an object",
        ),
        (
            [[1.0, 2.0, 3.0], [["1", "2"]]],
            ["f(1)", "f(2)"],
            "result: 3 values, expected at most 2, one for each combination of params",
        ),
        (
            [[1.0], [["1"], []]],
            ["f"],
            "result: 1 value, expected at most 0, one for each combination of params",
        ),
    ],
)
def test_a_benchmark_that_cannot_be_read_is_reported_and_the_others_are_read(
    tmp_path: Path, row: object, names: list[str], fault: str
) -> None:
    path = write(tmp_path / "t" / "a.json", e=[[4.0], []], f=row, g=[[2.0], [["x"]]])
    (attempt,) = read_trajectories(path)
    assert times(path) == {"e": value(4.0), **dict.fromkeys(names, UNREADABLE), "g(x)": value(2.0)}
    assert attempt.run_log is not None
    problem = f"{path}: results['f']: {fault}"
    assert attempt.run_log.problems == (problem,)
    nop = write(tmp_path / "t" / "nop.json", e=[[8.0], []])
    results, figures = score(nop, path)
    assert results["a"].task_speedup == 2.0  # 8 / 4
    assert results["a"].num_benchmarks == 2 + len(names)
    assert {results["a"].invalid_benchmarks[name] for name in names} == {UNREADABLE.reason}
    assert results["a"].warnings == (problem,)
    assert figures["a"]["warnings"] == {problem: 1}


def test_a_file_without_faults_has_no_problems(tmp_path: Path) -> None:
    (attempt,) = read_trajectories(write(tmp_path / "a.json", f=[[1.0], []], g=[None, None]))
    assert attempt.run_log is None


def test_as_many_combinations_as_there_are_values_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.readers.asv_results._MOST_COMBINATIONS", 3)
    four = [["1", "2"], ["3", "4"]]
    path = write(tmp_path / "a.json", f=[[1.0] * 4, four], g=[[1.0] * 3, four], h=[None, four[:1]])
    assert list(times(path)) == ["f(1, 3)", "f(1, 4)", "f(2, 3)", "f(2, 4)", "g", "h(1)", "h(2)"]


def test_parameters_that_leave_no_combination_leave_nothing_to_measure(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", f=[[], [["1"] * 1000, ["1"] * 1000, []]], g=[None, [[]]])
    (attempt,) = read_trajectories(path)
    assert times(path) == {}
    assert attempt.run_log is None


def test_of_a_benchmark_that_is_there_twice_the_first_counts(tmp_path: Path) -> None:
    more = {"f(1)": [[3.0], []], "g": [[4.0] * 4, [["1"] * 4]]}
    path = write(tmp_path / "a.json", f=[[1.0, 2.0], [["1", "1"]]], **more)
    (attempt,) = read_trajectories(path)
    assert times(path) == {"f(1)": value(1.0), "g(1)": value(4.0)}
    assert attempt.run_log is not None
    assert attempt.run_log.problems == (
        f"{path}: results['f']: 'f(1)' is repeated; the first one counts",
        f"{path}: results['f(1)']: 'f(1)' is repeated; the first one counts",
        f"{path}: results['g']: 'g(1)' is repeated; the first one counts (and 2 more)",
    )


def test_the_folder_is_the_task_also_from_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "sorting" / "nop.json", f=[[1.0], []])
    monkeypatch.chdir(tmp_path / "sorting")
    for path in ("nop.json", "."):
        (attempt,) = read_trajectories(path)
        assert (attempt.task_id, attempt.agent, attempt.model) == ("sorting", "nop", None)


def test_the_files_of_a_folder_are_one_task(tmp_path: Path) -> None:
    folder = tmp_path / "sorting"
    files = [
        write(folder / "baseline.json", **{"m.f": [[8.0], []], "m.g": [[6.0], []]}),
        write(folder / "oracle.json", **{"m.f": [[4.0], []], "m.g": [[0.75], []]}),
        write(folder / "fixer:large.json", **{"m.f": [[2.0], []], "m.g": [[6.0], []]}),
    ]
    results, _ = score(*files)
    assert score(folder)[0] == score(tmp_path)[0] == results
    # 8 / 2 and 6 / 6 against 8 / 4 and 6 / 0.75.
    assert results["fixer:large"].task_speedup == 2.0
    assert results["fixer:large"].agent_advantage == pytest.approx(2 - 4)
    assert (results["nop"].task_speedup, results["oracle"].agent_advantage) == (1.0, 0.0)
    assert {attempt.task_id for attempt in read_trajectories(files)} == {"sorting"}
