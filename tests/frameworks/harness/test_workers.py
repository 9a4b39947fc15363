"""Agents in worker processes: limits that hold against any agent, and set-up that is paid once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.frameworks.harness.toys import EXCEEDING
from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness import (
    AgentWorkers,
    AskingOptions,
    EvaluationOptions,
    Framework,
    RunOptions,
    evaluate,
    load_agent,
)
from trajmeter.frameworks.harness.worker import Worker
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation
from trajmeter.frameworks.scenario import Scenario
from trajmeter.records import Question

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from trajmeter.frameworks.harness.responses import Response

TOYS = "tests.frameworks.harness.toys"
LIMIT_SECONDS = 0.5
"""Limit of the questions that exceed it; on a busy machine, others take their time."""


def run(
    folder: Path,
    *questions: str,
    agent: str = "Hostile",
    concurrency: int = 1,
    runs: int = 1,
    timeout_seconds: float = 60.0,
) -> FrameworkEvaluation:
    scenario = Scenario(
        name="harbour",
        folder=str(folder),
        documents_dir=None,
        questions=tuple(Question(id=f"{n} {text}", text=text) for n, text in enumerate(questions)),
    )
    run_options = RunOptions(AskingOptions(timeout_seconds=timeout_seconds), concurrency)
    options = EvaluationOptions(run_options, runs=runs, code_quality=False)
    framework = load_agent(f"{TOYS}:{agent}")
    assert isinstance(framework.agent, AgentWorkers)
    respond = framework.agent.respond

    def respond_in_time(question: str, *, timeout_seconds: float) -> Coroutine[Any, Any, Response]:
        seconds = timeout_seconds if question in EXCEEDING else 60.0
        return respond(question, timeout_seconds=seconds)

    vars(framework.agent)["respond"] = respond_in_time
    done = evaluate(scenario, framework, options=options, folder=folder / "results")
    return asyncio.run(done).evaluation


def outcomes(evaluation: FrameworkEvaluation) -> list[str]:
    return [question.outcome.value for question in evaluation.questions if question.outcome]


def processes(evaluation: FrameworkEvaluation) -> list[int]:
    return [
        question.answer_metadata["process"]
        for question in evaluation.questions
        if question.outcome is AnswerOutcome.ANSWERED
    ]


@pytest.mark.parametrize("hostile", ["sleep", "late", "loop", "native", "swallow"])
def test_an_agent_that_cannot_be_cancelled_times_out_at_its_limit(
    tmp_path: Path, hostile: str
) -> None:
    got = run(tmp_path, "where", hostile, "who", timeout_seconds=LIMIT_SECONDS)
    assert outcomes(got) == ["answered", "timed_out", "answered"]
    assert got.questions[1].latency_seconds == LIMIT_SECONDS
    if hostile != "late":
        first, second = processes(got)
        assert first != second


def test_a_plain_function_that_never_returns_is_ended(tmp_path: Path) -> None:
    got = run(tmp_path, "loop", "who", agent="endless_function", timeout_seconds=LIMIT_SECONDS)
    assert outcomes(got) == ["timed_out", "answered"]


def test_a_worker_imports_nothing_from_the_current_folder_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # loading the agent adds the folder for good
    assert outcomes(run(tmp_path, "who")) == ["answered"]


def test_set_up_is_paid_once_unless_a_worker_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.frameworks.harness.workers._MARGIN_SECONDS", 60.0)
    got = run(tmp_path, "patient", "cooperate", "fail", "who", timeout_seconds=LIMIT_SECONDS)
    assert outcomes(got) == ["answered", "timed_out", "failed", "answered"]
    assert len(set(processes(got))) == 1
    assert len((tmp_path / "ingested").read_text().splitlines()) == 1


def test_repeated_runs_share_a_worker_and_each_ingests(tmp_path: Path) -> None:
    run(tmp_path, "where", runs=2)
    first, second = (tmp_path / "ingested").read_text().splitlines()
    assert first == second


def test_questions_that_run_concurrently_do_not_block_each_other(tmp_path: Path) -> None:
    got = run(
        tmp_path, "loop", "where", "who", "when", concurrency=2, timeout_seconds=LIMIT_SECONDS
    )
    assert outcomes(got) == ["timed_out", "answered", "answered", "answered"]


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("leave", "the agent's process ended (exit code 7)"),
        ("crash", "the agent's process ended (killed by SIGKILL)"),
        ("fail", "LookupError: no index"),
        ("read", "EOFError"),
    ],
)
def test_an_agent_that_ends_its_process_has_failed_and_the_others_go_on(
    tmp_path: Path, question: str, error: str
) -> None:
    got = run(tmp_path, question, "who")
    assert outcomes(got) == ["failed", "answered"]
    assert got.questions[0].error == error


def test_what_a_worker_left_is_killed_as_soon_as_its_end_is_seen() -> None:
    # Later, another process might have its id.
    crashed, ended = (Worker(f"{TOYS}:Hostile", str(Path.cwd())) for _ in range(2))
    for worker in (crashed, ended):
        assert worker.read().name == "Hostile"
    response = crashed.request("query", 60.0, "who").response
    assert response is not None
    assert response.answer is not None
    os.kill(int(response.answer.metadata["process"]), signal.SIGKILL)
    while crashed.alive:  # fails by the time limit of a test
        time.sleep(0.01)
    assert not crashed.kill.alive
    ended.end()
    assert not ended.kill.alive


def test_a_copy_of_an_agent_that_forked_replies_to_nothing(tmp_path: Path) -> None:
    got = run(tmp_path, "fork", "who", "fork", "when")
    assert [q.actual_answer for q in got.questions] == ["fork", "who", "fork", "when"]


def test_what_an_agent_prints_is_neither_a_reply_nor_data(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    got = run(tmp_path, "noise")
    assert got.questions[0].actual_answer == "noise"
    assert got.questions[0].answer_metadata["odd"] == [1, 2]
    printed = capfd.readouterr()
    assert printed.out == ""
    for noise in ("noise", '{"name": "noise"}', "cleaned up"):
        assert noise in printed.err


def test_no_worker_outlives_its_evaluation(tmp_path: Path) -> None:
    for pid in processes(run(tmp_path, "where", "swallow", "who", timeout_seconds=LIMIT_SECONDS)):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_cleanup_that_never_ends_does_not_keep_an_interrupted_run_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.frameworks.harness.run._INTERRUPTED_SECONDS", 0.3)
    monkeypatch.chdir(tmp_path)
    scenario = Scenario(
        name="s", folder="", documents_dir=None, questions=(Question(id="q", text="q"),)
    )
    options = EvaluationOptions(RunOptions(AskingOptions()), code_quality=False)
    framework = load_agent(f"{TOYS}:Untidy")

    async def interrupted() -> None:
        running = asyncio.ensure_future(
            evaluate(scenario, framework, options=options, folder=tmp_path)
        )
        while not (tmp_path / "asked").exists():  # noqa: ASYNC110 - another process creates it
            await asyncio.sleep(0.01)
        running.cancel()
        await running

    with (
        pytest.warns(UserWarning, match="cleanup failed: DeadlineExceededError"),
        pytest.raises(asyncio.CancelledError),
    ):
        asyncio.run(interrupted())  # without that deadline, fails by the time limit of a test


def test_an_agent_that_cannot_be_made_again_fails_its_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "once.py").write_text(
        "import pathlib, time\n"
        "class Once:\n"
        "    def __init__(self):\n"
        f"        pathlib.Path({str(tmp_path / 'made')!r}).touch(exist_ok=False)\n"
        "    async def query(self, question): time.sleep(60)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    scenario = Scenario(
        name="s",
        folder=str(tmp_path),
        documents_dir=None,
        questions=tuple(Question(id=i, text=i) for i in "ab"),
    )
    options = EvaluationOptions(RunOptions(AskingOptions(timeout_seconds=LIMIT_SECONDS)))
    framework = load_agent("once:Once")
    got = asyncio.run(evaluate(scenario, framework, options=options, folder=tmp_path)).evaluation
    assert outcomes(got) == ["timed_out", "failed"]
    assert "agent 'once:Once': cannot be created: FileExistsError" in (got.questions[1].error or "")


def test_an_agent_that_ends_while_it_is_loaded_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone.py").write_text(
        "import os\nclass Gone:\n    def __init__(self): os._exit(9)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"agent 'gone:Gone': .*ended \(exit code 9\)"):
        load_agent("gone:Gone")


def test_an_agent_of_the_main_module_stays_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import __main__

    async def blocking(_: str) -> str:
        time.sleep(0.2)  # noqa: ASYNC251 - what cannot be stopped here
        return "late"

    monkeypatch.setattr(__main__, "blocking", blocking, raising=False)
    framework = load_agent("__main__:blocking")
    assert isinstance(framework, Framework)
    assert not isinstance(framework.agent, AgentWorkers)
