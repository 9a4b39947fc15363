"""Runs of fc-eval: whose result a file is, which attempts there are, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.metrics.speedup.runs import (
    FAST,
    PASSED,
    own,
    score,
    table,
    write_json,
    write_run,
)
from tests.readers.fceval.runs import BASE, keys, read, result
from trajmeter.records import Failure, Usage


def test_agents_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    agents = {f"a{number}:m": PASSED for number in range(1, 12)}
    attempts, problems = read(write_run(tmp_path / "r", agents))
    assert [attempt.agent for attempt in attempts] == [f"a{number}" for number in range(1, 12)]
    assert problems == []
    assert {attempt.trial for attempt in attempts} == {str(tmp_path / "r" / "t" / "t.1-of-1.r")}
    assert {attempt.attempt for attempt in attempts} == {None}


def test_any_part_of_a_run_can_be_read(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {**BASE, FAST: PASSED}, task="a")
    write_run(run, {**BASE, FAST: PASSED}, task="b")
    agent = run / "a" / "a.1-of-1.r.agent-3-fixer"
    for part, count in ((run, 6), (run / "a", 3), (agent, 1), (agent / "results.json", 1)):
        attempts, problems = read(part)
        assert (len(attempts), problems) == (count, [])
        assert attempts[-1].model == "large"  # from the lock file further up
    files = sorted(run.glob("*/*/results.json"))
    assert read(*files)[0] == read(run)[0]


def test_a_part_of_a_run_can_be_read_from_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "r", {**BASE, FAST: PASSED})
    agent = run / "t" / "t.1-of-1.r.agent-3-fixer"
    for name in ("trial_name", "task_id"):  # the folders alone tell of the task
        found = json.loads((agent / "results.json").read_text())
        write_json(agent / "results.json", {**found, name: ""})
    (agent / "agent-logs").mkdir()
    absolute = read(agent)[0]
    assert [(each.task_id, each.trial) for each in absolute] == [
        ("t", str(run / "t" / "t.1-of-1.r"))
    ]
    monkeypatch.chdir(agent)
    for path in (Path(), Path("results.json"), Path("agent-logs", "..")):
        attempts, problems = read(path)
        assert problems == []
        assert [(each.task_id, each.agent, each.trial) for each in attempts] == [
            ("t", "fixer", absolute[0].trial)
        ]
    monkeypatch.chdir(run / "t")
    (attempt,) = read(Path(agent.name))[0]
    assert attempt.task_id == "t"
    monkeypatch.chdir(run)
    assert [each.task_id for each in read(Path())[0]] == ["t", "t", "t"]


@pytest.mark.parametrize("content", [{}, {"results": {}}, {"id": "x", "accuracy": 0.5}])
def test_a_file_without_results_is_reported(tmp_path: Path, content: object) -> None:
    write_json(tmp_path / "r" / "results.json", content)
    attempts, problems = read(tmp_path / "r")
    assert attempts == []
    (problem,) = problems
    assert str(tmp_path / "r" / "results.json") in str(problem)
    # Beside the results of trials, that of a run which goes on may lack them.
    write_run(tmp_path / "r", BASE)
    attempts, problems = read(tmp_path / "r")
    assert (len(attempts), problems) == (2, [])


@pytest.mark.parametrize("below", ["", "model", "model/first"])
def test_results_of_other_programs_are_no_run(tmp_path: Path, below: str) -> None:
    write_json(tmp_path / "logs" / below / "results.json", {"accuracy": 0.5})
    write_json(tmp_path / "logs" / below / "own.json", {"task_id": "own"})
    with pytest.warns(UserWarning, match="1 file is left out"):
        attempts, problems = read(tmp_path / "logs")
    assert ([each.task_id for each in attempts], problems) == (["own"], [])


def test_a_run_within_a_run_is_not_part_of_it(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", BASE)
    write_run(run / "backup", {FAST: PASSED})
    assert keys(read(run)[0]) == [("nop", "nop"), ("oracle", "oracle")]


def test_a_trial_may_have_any_name(tmp_path: Path) -> None:
    write_json(tmp_path / "r" / "t" / "first" / "results.json", result(is_resolved="yes"))
    write_json(tmp_path / "r" / "fc.lock", {"run_spec": {"agent_name": "solo"}})
    for part in (Path(), Path("t", "first"), Path("t", "first", "results.json")):
        (attempt,), problems = read(tmp_path / "r" / part)
        assert problems == []
        assert (attempt.task_id, attempt.agent, attempt.passed) == ("t", "solo", False)


def test_a_trials_folder_whose_result_cannot_be_read_is_reported_once(tmp_path: Path) -> None:
    trial = tmp_path / "r" / "t" / "t.1-of-1.r"
    trial.mkdir(parents=True)
    (trial / "results.json").write_text("{cut")
    assert len(read(trial)[1]) == 1


@pytest.mark.parametrize("mode", ["none", "unset", None])
def test_a_mode_may_say_that_nothing_failed(tmp_path: Path, mode: str | None) -> None:
    path = tmp_path / "t" / "t.1-of-1.r" / "results.json"
    write_json(path, result(failure_mode=mode))
    ((attempt,), _) = read(path)
    assert attempt.failure is None


def test_of_a_folder_of_runs_each_is_read(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    first = write_run(runs / "r1", {**BASE, FAST: PASSED})
    second = write_run(runs / "r2", {"other:m": PASSED})
    (runs / "r2" / "results.json").write_text(json.dumps({"id": "x", "results": []}))
    (runs / "notes").mkdir()
    (runs / "z-latest").symlink_to(second)
    attempts, problems = read(runs)
    assert problems == []
    assert attempts == [*read(first)[0], *read(second)[0]]
    assert keys(attempts)[-1] == ("other", "m")  # each has the agents of its own lock file
    assert len({attempt.trial for attempt in attempts}) == 2


def test_repeated_attempts_are_distinguished(tmp_path: Path) -> None:
    run = tmp_path / "r"
    for number in (1, 2):
        write_run(run, {FAST: PASSED}, attempt=f"{number}-of-2")
    attempts, _ = read(run)
    assert [attempt.attempt for attempt in attempts] == ["1-of-2", "2-of-2"]
    assert len({attempt.trial for attempt in attempts}) == 2


def test_what_a_result_says_of_the_run(tmp_path: Path) -> None:
    metrics = {**PASSED, "trajectory_length": 5, "task_cost_usd": 0.5}
    write_json(
        tmp_path / "r" / "t" / "t.1-of-1.r.agent-1-a" / "results.json",
        result(
            task_id="named",
            failure_mode="agent_timeout",
            is_resolved=None,
            total_input_tokens=10,
            total_output_tokens=True,
            total_cost="free",
            trial_started_at="2026-01-05T10:00:00+00:00",
            parser_extra_metrics=metrics,
        ),
    )
    ((attempt,), _) = read(tmp_path / "r")
    assert (attempt.task_id, attempt.passed) == ("named", False)
    assert attempt.failure == Failure(reason="budget_exhausted")
    assert attempt.metadata == {"exit_status": "agent_timeout"}
    assert attempt.usage == Usage(input_tokens=10)
    log = attempt.run_log
    assert log is not None
    assert (log.trajectory_length, log.task_cost_usd, log.total_cost_usd) == (5, 0.5, None)
    assert log.started_at == "2026-01-05T10:00:00+00:00"


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (3, 3),
        (3.7, 3),
        ("4", 4),
        (True, 1),
        (False, 0),
        (None, 0),
        ("x", 0),
        ([1], 0),
        (1e400, 0),
        (10**400, 2**53),  # as far as counts may go
        (-(10**400), -(2**53)),
        (1e300, 2**53),
    ],
)
def test_counts_are_read_as_far_as_they_can_be(tmp_path: Path, value: object, count: int) -> None:
    metrics = {"test_failed": value, "snapshot_failed": value, "snapshot_pass_to_fail": value}
    write_json(
        tmp_path / "r" / "t" / "t.1-of-1.r.agent-1-a" / "results.json",
        result(parser_extra_metrics=metrics),
    )
    ((attempt,), _) = read(tmp_path / "r")
    assert attempt.pytest_summary is not None
    assert attempt.snapshot_summary is not None
    assert attempt.pytest_summary.failed == count
    assert (attempt.snapshot_summary.failed, attempt.snapshot_summary.pass_to_fail) == (
        count,
        count,
    )
    assert attempt.pytest_summary.status == attempt.snapshot_summary.status == "failed"


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**30, 1e300, float("inf")])
@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_an_out_of_range_number_does_not_prevent_scoring(
    tmp_path: Path, number: object, profile: str | None
) -> None:
    metrics = {
        **PASSED,
        "test_skipped": number,
        "trajectory_length": number,
        "task_cost_usd": number,
        "per_benchmark_speedups": table(f=(4.0, 2.0), g=(number, 2.0)),
        "agent_advantages_by_agent": {FAST: {"agent_advantage": number}},
    }
    usage = {"prompt_tokens": number, "completion_tokens": 1}
    log = [{"llm_metrics": {"accumulated_token_usage": usage}}]
    counted = {"total_input_tokens": number, "total_cost": number}
    folder = write_run(tmp_path / "r", {FAST: metrics}, results={FAST: counted})
    write_json(folder / "t" / "t.1-of-1.r.agent-1-fixer" / "agent-logs" / "a.json", log)
    result = score(folder, profile=profile)[0][FAST]
    assert result.num_benchmarks == 2
    assert result.per_benchmark_speedups["m.f"]["agent/nop"] == 4.0
    assert result.input_tokens in (None, 0)


def test_a_null_status_is_the_text_none(tmp_path: Path) -> None:
    metrics = {"tests": None, "snapshot_status": None}
    write_json(
        tmp_path / "r" / "t" / "t.1-of-1.r.agent-1-a" / "results.json",
        result(parser_extra_metrics=metrics),
    )
    ((attempt,), _) = read(tmp_path / "r")
    assert attempt.pytest_summary is not None
    assert attempt.pytest_summary.status == "None"


def test_results_in_another_form_are_named(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {**BASE, FAST: PASSED})
    folders = sorted((run / "t").iterdir())
    (folders[0] / "results.json").write_bytes(b"\x1f\x8b\x08 and so on")
    (folders[1] / "results.json").write_text("version https://git-lfs.github.com/spec/v1\noid 1")
    attempts, problems = read(run)
    assert keys(attempts) == [("fixer", "large")]
    assert problems[0].message.startswith("the gzip data is cut off or corrupt: ")
    assert "a Git LFS pointer" in problems[1].message


def test_results_that_cannot_be_read_are_reported_and_the_others_read(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {**BASE, FAST: PASSED})
    folders = sorted((run / "t").iterdir())
    (folders[0] / "results.json").write_text('{"cut')
    (folders[1] / "results.json").unlink()
    (folders[2] / "results.json").write_text("[]")
    write_json(run / "t" / "t.1-of-1.r.agent-4-x" / "results.json", {"other": 1})
    write_run(run, {FAST: PASSED}, task="u", lock=[FAST])
    attempts, problems = read(run)
    assert [attempt.task_id for attempt in attempts] == ["u"]
    assert [problem.file for problem in problems] == [
        str(run / "t" / f"t.1-of-1.r.agent-{number}-{name}" / "results.json")
        for number, name in ((1, "nop"), (2, "oracle"), (3, "fixer"), (4, "x"))
    ]
    assert "No such file" in problems[1].message
    assert problems[2].message == "expected an object, got a list"
    assert problems[3].message.startswith("expected the result of a trial")


def test_a_whole_runs_results(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {FAST: own(FAST, f=(4.0, 2.0))})
    known = result(parser_extra_metrics={"agent_metrics_by_agent": {FAST: {}}})
    other = result(trial_name="u.1-of-1.r", task_id="u", parser_extra_metrics={"last_agent": FAST})
    write_json(run / "results.json", {"id": "x", "results": [known, other, 5]})
    attempts, problems = read(run)
    # The trial of a folder is read there.
    assert [(attempt.task_id, attempt.model) for attempt in attempts] == [
        ("t", "large"),
        ("u", "large"),
    ]
    assert str(problems[0]) == f"{run / 'results.json'}: results[2]: expected the result of a trial"
    (merged, second), _ = read(run / "results.json")
    assert merged.measurements is not None
    assert merged.measurements.payload == {"is_resolved": True}
    assert second.task_id == "u"


def test_null_and_absent_fields_are_distinguished(tmp_path: Path) -> None:
    metrics = {"per_benchmark_speedups": None, "per_benchmark_speedups_by_agent": [1]}
    ((attempt,), _) = read(write_run(tmp_path / "r", {FAST: metrics}))
    assert attempt.measurements is not None
    assert attempt.measurements.ratios is attempt.measurements.ratios_by_agent is None
    assert attempt.measurements.discards == ("ratios", "ratios_by_agent")


def test_numbers_json_does_not_know_are_read(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {FAST: own(FAST, f=(float("nan"), float("inf")))})
    ((attempt,), problems) = read(run)
    assert problems == []
    assert attempt.measurements is not None
    assert "NaN" in json.dumps(attempt.measurements.ratios_by_agent)


def test_a_file_that_only_names_a_trial_is_not_a_result(tmp_path: Path) -> None:
    config = {"trial_name": "t__1", "trials_dir": "/trials", "agent": {"name": "terminus-2"}}
    write_json(tmp_path / "config.json", config)
    attempts, (problem,) = read(tmp_path / "config.json")
    assert attempts == []
    assert "which no format recognises" in problem.message
