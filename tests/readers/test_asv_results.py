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


def test_samples_that_are_no_times_tell_nothing(tmp_path: Path) -> None:
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
    ("results", "message"),
    [
        ({"f": 1.5}, "results['f']: expected a list, one value for each column"),
        ({"f": [[1.0], "x"]}, "results['f']: params are no list of lists"),
        ([], "expected a list of result_columns and an object of results"),
    ],
)
def test_what_is_no_version_2_is_told(tmp_path: Path, results: object, message: str) -> None:
    write_json(tmp_path / "a.json", {"result_columns": COLUMNS, "results": results})
    problems: list[ReadProblem] = []
    assert list(read_trajectories(tmp_path / "a.json", on_problem=problems.append)) == []
    assert problems[0].message == message


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
