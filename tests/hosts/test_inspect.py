"""Scorers of Inspect: what Inspect itself reports of samples with them."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is not installed")

from inspect_ai.dataset import Sample  # noqa: E402 - only where it is installed
from inspect_ai.log import read_eval_log  # noqa: E402 - likewise
from inspect_ai.model import (  # noqa: E402 - likewise
    ChatMessageAssistant,
    ContentToolUse,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import mean, mean_score, precomputed_scores  # noqa: E402 - likewise
from inspect_ai.solver import fork, generate, solver, use_tools  # noqa: E402 - likewise
from inspect_ai.tool import ToolCall, tool  # noqa: E402 - likewise

import trajmeter  # noqa: E402 - likewise
from trajmeter.cli import main  # noqa: E402 - likewise
from trajmeter.hosts import inspect as hosts_inspect  # noqa: E402 - likewise
from trajmeter.hosts.inspect import context, rules, tools, turns  # noqa: E402 - likewise

pytestmark = pytest.mark.filterwarnings("default")  # Inspect's own are not ours to mend

CALL = [{"name": "read_file", "arguments": {"path": "a.py"}}]
GOLD = [{"path": "a.py", "first_line": 1, "last_line": 6}]
SNAPSHOT = {
    "repo": "o/r",
    "commit": "c1",
    "files": {"a.py": {"size": 12, "line_starts": [0, 2, 4, 6, 8, 10, 12], "definitions": []}},
}
# Without usage, Inspect counts tokens with a table that it downloads.
USAGE = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)


@tool
def read_file() -> Any:
    async def execute(path: str) -> str:
        """Read a file.

        Args:
            path: Its path.
        """
        if path == "gone.py":
            raise FileNotFoundError(path)
        return "     1\tx\n     2\ty\n     3\tz"

    return execute


def _answers(*paths: str) -> list[ModelOutput]:
    made = [ModelOutput.for_tool_call("mockllm/model", "read_file", {"path": p}) for p in paths]
    made.append(ModelOutput.from_content("mockllm/model", "done"))
    for each in made:
        each.usage = USAGE
    return made


def _evaluated(
    folder: Path, samples: list[Any], answers: list[Any], scorers: Any, **how: Any
) -> Any:
    task = inspect_ai.Task(
        dataset=samples, solver=[use_tools(read_file()), generate()], scorer=scorers, **how
    )
    model = get_model("mockllm/model", custom_outputs=answers)
    options: dict[str, Any] = {"display": "none", "max_samples": 1, "log_dir": str(folder)}
    (log,) = inspect_ai.eval(task, model=model, **options)
    assert log.status == "success", log.error
    return log


SAMPLES = [
    Sample(id="right", input="q", metadata={"expected_tool_calls": CALL, "gold_ranges": GOLD}),
    Sample(id="wrong", input="q", metadata={"expected_tool_calls": CALL, "gold_ranges": GOLD}),
    Sample(id="unknown", input="q"),
    Sample(id="abstains", input="q", metadata={"gold_ranges": GOLD}),
    Sample(id="broken", input="q", metadata={"expected_tool_calls": 3}),
]
ANSWERS = [
    *_answers("a.py"),
    *_answers("b.py", "b.py"),
    *_answers("a.py"),
    *_answers("gone.py"),
    *_answers(),
]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Any:
    scorers = [tools(), context(), turns(), rules()]
    return _evaluated(tmp_path_factory.mktemp("logs"), SAMPLES, ANSWERS, scorers)


def _reported(log: Any) -> dict[str, tuple[int, int, float]]:
    return {
        f"{each.scorer}.{each.name}": (
            each.scored_samples,
            each.unscored_samples,
            each.metrics["mean"].value,
        )
        for each in log.results.scores
    }


def test_what_inspect_reports(log: Any) -> None:
    found = _reported(log)
    assert found["tools.f1"] == (2, 3, 0.5)  # 1.0 and 0.0; nothing else is 0
    assert found["tools.exact"] == (2, 3, 0.5)
    # 3 of 6 lines, and none of them; the sample whose read failed saw nothing.
    assert found["context.line.coverage"][2] == pytest.approx((3 / 6 + 0) / 2)
    assert found["context.line.coverage"][:2] == (2, 3)
    assert found["turns.turn_count"] == (5, 0, (2 + 3 + 2 + 2 + 1) / 5)
    assert found["turns.repeated_tool_calls"] == (4, 1, 0.5 / 4)
    scored, unscored, mean = found["rules.latency"]
    assert (scored, unscored) == (0, 5)
    assert math.isnan(mean)


def test_the_cause_is_the_reason(log: Any) -> None:
    reasons = {each.id: each.scores["tools"].reason for each in log.samples}
    assert reasons == {
        "right": None,
        "wrong": None,
        "unknown": "missing_task",
        "abstains": "abstained",
        "broken": "invalid_input",
    }
    by_id = {each.id: each.scores["tools"] for each in log.samples}
    assert "expected 'a.py', got 'b.py'" in by_id["wrong"].explanation
    assert "expected a list, got 3" in by_id["broken"].explanation
    assert by_id["right"].metadata["trajmeter"]["tools.any_order_grades.f1"] == 1.0


def test_scores_of_the_log_are_the_live_ones(log: Any) -> None:
    again = inspect_ai.score(
        log, [tools(), context(), turns(), rules()], action="overwrite", display="none"
    )
    for before, after in zip(log.samples, again.samples, strict=True):
        for name in before.scores:
            assert str(before.scores[name].value) == str(after.scores[name].value)


def test_the_log_read_by_trajmeter_has_the_same_figures(log: Any) -> None:
    rows = {
        row["task_id"]: row
        for row in trajmeter.score(log.location, metrics=["turns", "context"]).rows
    }
    for sample in log.samples:
        live = sample.scores["turns"].metadata["trajmeter"]
        row = rows[sample.id]
        for name in ("turns.run.turn_count", "turns.repeated_calls", "turns.tokens.input_tokens"):
            assert live[name] == row[name]


def test_the_command_of_inspect_finds_the_scorers(
    log: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "site-packages" not in trajmeter.__file__:
        pytest.skip("Trajmeter is not installed, and Inspect finds scorers of packages alone")
    monkeypatch.chdir(tmp_path)
    Path("snapshots.jsonl").write_text(json.dumps(SNAPSHOT))
    shutil.copy(log.location, "run.eval")
    command = [sys.executable, "-m", "inspect_ai", "score", "run.eval", "--action", "append"]
    for scorer in (
        ["trajmeter/tools"],
        ["trajmeter/context", "-S", "snapshots=snapshots.jsonl", "--stream", "100"],
    ):
        done = subprocess.run(
            [*command, "--scorer", *scorer, "--overwrite"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    found = _reported(read_eval_log("run.eval"))
    assert found["tools1.f1"] == found["tools.f1"] == (2, 3, 0.5)
    assert found["context1.line.coverage"] == found["context.line.coverage"]


def test_context_of_a_snapshot(tmp_path: Path) -> None:
    """Only a snapshot says how many bytes lines have."""
    path = tmp_path / "snapshots.jsonl"
    path.write_text(json.dumps(SNAPSHOT))
    about = {"repo": "o/r", "commit": "c1", "gold_ranges": GOLD}
    sample = Sample(id="s", input="q", metadata=about)
    found = []
    for snapshots in (str(path), None):
        scorers = [context(snapshots=snapshots)]
        evaluated = _evaluated(tmp_path, [sample], _answers("a.py"), scorers)
        assert _reported(evaluated)["context.line.coverage"] == (1, 0, 0.5)
        own = evaluated.samples[0].scores["context"].metadata["trajmeter"]
        found.append((own["context.final.span.coverage"], own["context.final.span.cause"]))
    assert found == [(0.5, None), (None, "missing_snapshot")]


def test_epochs_hide_unscored_samples(tmp_path: Path) -> None:
    sample = Sample(id="s", input="q")
    answers = [*_answers("a.py"), *_answers()]
    found = _evaluated(tmp_path, [sample], answers, [turns()], epochs=2)
    # As Inspect reduces epochs first, which the docstring of the module tells.
    assert _reported(found)["turns.repeated_tool_calls"] == (1, 0, 0.0)
    assert [each.epoch for each in found.samples] == [1, 2]


def test_what_json_cannot_represent_is_left_out(tmp_path: Path) -> None:
    """The event of a fork holds the state of the sample."""

    @solver
    def forked() -> Any:
        async def solve(state: Any, again: Any) -> Any:
            return (await fork(state, [generate(), generate()]))[0]

        return solve

    task = inspect_ai.Task(dataset=[Sample(id="s", input="q")], solver=[forked()], scorer=[turns()])
    model = get_model("mockllm/model", custom_outputs=[*_answers(), *_answers()])
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    assert _reported(log)["turns.turn_count"] == (1, 0, 2.0)


def test_a_limit_is_the_failure(tmp_path: Path) -> None:
    answers = _answers(*["a.py"] * 9)
    found = _evaluated(tmp_path, [Sample(id="s", input="q")], answers, [turns()], message_limit=4)
    (sample,) = found.samples
    assert sample.scores["turns"].metadata["trajmeter"]["turns.run.budget_exhausted"] is True


def test_an_assigned_score_counts() -> None:
    """By the rules of Transform Gym, a run without a word gets 0 for handling errors."""
    scorer = trajmeter.Scorer("rules", profiles="transform-gym")
    mute = trajmeter.records.Trajectory(task_id="t", turns=())
    scored = scorer.scored(trajmeter.records.Task(id="t"), mute)
    figures = {name: scored.figure(f"rules.{name}") for name in ("error_handling", "latency")}
    given = hosts_inspect.score_of(figures, scored, "rules")
    reduced = mean_score()([given, given])
    assert reduced.value["error_handling"] == 0.0  # as Inspect reduces epochs
    assert math.isnan(reduced.value["latency"])


def test_what_inspect_reports_of_an_assigned_score(tmp_path: Path) -> None:
    """By the rules of Transform Gym, a rule that fails has the score 0."""
    samples = [
        Sample(
            id="failed",
            input="q",
            metadata={"assertions": [{"type": "transcript_contains", "check": 3}]},
        ),
        Sample(id="free", input="q", metadata={"assertions": []}),
    ]
    scorers = [rules(profiles="transform-gym")]
    found = _evaluated(tmp_path, samples, [*_answers("a.py"), *_answers("a.py")], scorers)
    (by_id,) = [each.scores["rules"].metadata for each in found.samples if each.id == "failed"]
    outcomes = {key: value for key, value in by_id["trajmeter"].items() if value == "assigned"}
    assert [*outcomes] == ["rules.assertion_pass_rate.outcome"]
    assert _reported(found)["rules.assertion_pass_rate"] == (1, 1, 0.0)


def test_scores_from_outside_of_inspect(
    log: Any, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    tasks, scores = tmp_path / "tasks.jsonl", tmp_path / "scores.jsonl"
    known = [
        {"id": "right", "expected_tool_calls": CALL},
        {"id": "wrong", "expected_tool_calls": CALL},
        {"id": "abstains", "max_turns": 9},
    ]
    tasks.write_text("".join(f"{json.dumps(task)}\n" for task in known))
    options = ["--tasks", str(tasks), "--format", "inspect", "--figure", "tools.f1"]
    assert main(["score", log.location, *options]) == 0
    scores.write_bytes(capsysbinary.readouterr().out)
    outside = precomputed_scores(str(scores), metrics=[mean()])
    again = inspect_ai.score(log, outside, action="overwrite", display="none")
    (eval_score,) = again.results.scores
    assert (eval_score.scored_samples, eval_score.unscored_samples) == (2, 3)
    assert eval_score.metrics["mean"].value == 0.5
    by_id = {each.id: each.scores["precomputed_scores"] for each in again.samples}
    assert "expected 'a.py', got 'b.py'" in by_id["wrong"].explanation
    assert by_id["unknown"].explanation.startswith("missing_task")
    assert by_id["abstains"].explanation.startswith("abstained")


def test_tasks_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({"id": "s", "expected_tool_calls": CALL}))
    sample = Sample(id="s", input="q")
    found = _evaluated(tmp_path, [sample], _answers("a.py"), [tools(tasks=str(path))])
    assert _reported(found)["tools.f1"] == (1, 0, 1.0)


def test_what_was_not_parsed_is_malformed_and_what_ran_with_the_model_is_a_call(
    tmp_path: Path,
) -> None:
    broken, searched = (_answers("a.py"), _answers())
    (call,) = broken[0].message.tool_calls
    call.arguments, call.parse_error = {}, "Error parsing the arguments"
    searched[0].message.content = [
        ContentToolUse(
            tool_type="web_search", id="w", name="web_search", arguments='{"q": 1}', result="found"
        )
    ]
    wanted = [
        {"name": "read_file", "arguments": {}},
        {"name": "web_search", "arguments": {"q": 1}},
    ]
    samples = [
        Sample(id=call["name"], input="q", metadata={"expected_tool_calls": [call]})
        for call in wanted
    ]
    found = _evaluated(tmp_path, samples, [*broken, *searched], [tools()])
    assert _reported(found)["tools.exact"] == (2, 0, 0.5)
    by_id = {each.id: each.scores["tools"] for each in found.samples}
    assert by_id["read_file"].explanation.startswith("malformed read_file")
    assert by_id["web_search"].value["exact"] == 1.0


def test_a_value_that_json_cannot_represent_costs_no_other() -> None:
    loop: dict[str, Any] = {"kept": 1}
    loop["self"] = loop
    call = ToolCall(id="1", function="read_file", arguments={"path": "a.py"})
    message = ChatMessageAssistant(content="hi", tool_calls=[call])
    call.arguments |= {"loop": loop, "bytes": b"\xff", "list": [b"\xff", 2]}
    message.metadata = {"deep": _nested(2_000), "object": object()}
    plain = hosts_inspect.plain(message)
    assert plain["content"] == "hi"
    (made,) = plain["tool_calls"]
    assert made["arguments"] == {
        "path": "a.py",
        "loop": {"kept": 1, "self": None},
        "bytes": None,
        "list": [None, 2],
    }
    assert plain["metadata"]["object"] is None


def _nested(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"in": found}
    return found
