"""The metric of DeepEval: what its own runs say of test cases with it."""

from __future__ import annotations

import asyncio
import copy
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

with pytest.MonkeyPatch.context() as environment:
    environment.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    pytest.importorskip("deepeval", reason="DeepEval is not installed")

from deepeval import evaluate
from deepeval.errors import MissingTestCaseParamsError
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase, ToolCall

import trajmeter
from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.hosts.deepeval import TrajmeterMetric
from trajmeter.records import Extent, Task, Trajectory, Turn, View

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLD = [{"path": "a", "first_line": 1, "last_line": 4}]
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
PATCH = "--- a/a\n+++ b/a\n@@ -1,2 +1,1 @@\n-x\n y\n"
MESSAGES = [{"role": "assistant", "tool_calls": [{"function": {"name": "read", "arguments": "{"}}]}]


@pytest.fixture(autouse=True)
def _nothing_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DeepEval keeps its runs below the working directory, and sends them where it has a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    monkeypatch.delenv("CONFIDENT_API_KEY", raising=False)


def _tool(path: str) -> ToolCall:
    return ToolCall(name="read", input_parameters={"path": path}, output={"found": Path("x")})


def _case(name: str, path: str, **fields: Any) -> LLMTestCase:
    return LLMTestCase(
        name=name, input="q", actual_output="done", tools_called=[_tool(path)], **fields
    )


RIGHT = _case("right", "a", expected_tools=[_tool("a")])
WRONG = _case("wrong", "b", expected_tools=[_tool("a")])
UNSCORED = [
    (_case("unknown", "a"), "missing_task"),
    (_case("abstains", "a", metadata={"max_turns": 3}), "abstained"),
    (_case("broken", "a", metadata={"expected_tool_calls": 3}), "invalid_input"),
    (_case("no attempt", "a", metadata={"trajectory": 3}), "invalid_input"),
    (LLMTestCase(name="no calls", input="q", expected_tools=[_tool("a")]), "missing_calls"),
]
"""Test cases that ``tools`` does not score, and why."""


def _run(
    cases: Sequence[LLMTestCase], metrics: Sequence[TrajmeterMetric], *, at_once: bool = False
) -> dict[str, dict[str, Any]]:
    """What DeepEval says of each metric of each test case."""
    found = evaluate(
        [*cases],
        [*metrics],
        async_config=AsyncConfig(run_async=at_once),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(skip_on_missing_params=True),
    )
    return {
        result.name: {each.name: each for each in result.metrics_data or ()}
        for result in found.test_results
    }


@pytest.mark.parametrize("at_once", [False, True])
def test_what_deepeval_reports(at_once: bool) -> None:
    metrics = [TrajmeterMetric("tools.f1", threshold=0.8), TrajmeterMetric("tools.exact")]
    results = _run([RIGHT, WRONG, *(case for case, _ in UNSCORED)], metrics, at_once=at_once)
    right, wrong = results["right"], results["wrong"]
    assert (right["tools.f1"].score, right["tools.f1"].success) == (1.0, True)
    assert (wrong["tools.f1"].score, wrong["tools.f1"].success) == (0.0, False)
    assert "expected 'a', got 'b'" in wrong["tools.f1"].reason
    assert (right["tools.exact"].score, right["tools.exact"].success) == (1.0, None)
    assert [results[case.name] for case, _ in UNSCORED] == [{}] * len(UNSCORED)


def test_a_run_that_does_not_skip_ends() -> None:
    with pytest.raises(MissingTestCaseParamsError, match="missing_task"):
        evaluate(
            [UNSCORED[0][0]],
            [TrajmeterMetric("tools.f1", threshold=0.8)],
            async_config=AsyncConfig(run_async=False),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
        )


@pytest.mark.parametrize(("case", "cause"), UNSCORED)
def test_what_is_not_scored_says_why(case: LLMTestCase, cause: str) -> None:
    metric = TrajmeterMetric("tools.f1", threshold=0.8)
    metric.measure(RIGHT)
    with pytest.raises(MissingTestCaseParamsError, match=f"^tools.f1 was not scored, {cause}"):
        metric.measure(case)
    assert metric.score is None
    assert metric.is_successful() is None
    assert str(metric.reason).startswith(cause)


def test_an_attempt_in_the_metadata_goes_before_the_calls() -> None:
    views = (View(path="a", extent=Extent.LINES, start=1, end=2),)
    record = Trajectory(task_id="case", turns=(Turn(views=views),))
    case = _case("viewed", "a", metadata={"trajectory": record, "gold_ranges": GOLD})
    assert TrajmeterMetric("context.line.coverage").measure(case) == 0.5
    malformed = _case("sent", "a", expected_tools=[_tool("a")], metadata={"trajectory": MESSAGES})
    metric = TrajmeterMetric("tools.exact", threshold=1)
    assert asyncio.run(metric.a_measure(malformed)) == 0.0
    assert metric.success is False
    assert "malformed" in str(metric.reason)


def test_an_assigned_score_is_a_score() -> None:
    record = Trajectory(task_id="case", turns=(Turn(),), final_patch="no diff")
    case = _case("assigned", "a", metadata={"trajectory": record, "gold_patch": PATCH})
    results = _run([case], [TrajmeterMetric("context.edit_location.coverage", threshold=0.5)])
    found = results["assigned"]["context.edit_location.coverage"]
    assert (found.score, found.success) == (0.0, False)


def test_tasks_are_found_by_the_names_of_test_cases() -> None:
    wanted = (trajmeter.records.ToolCall(name="read", arguments={"path": "a"}),)
    metric = TrajmeterMetric("tools.f1", tasks=[Task(id="t", expected_tool_calls=wanted)])
    assert metric.measure(_case("t", "a")) == 1.0


@pytest.mark.parametrize("output", [b"\xff", {("a", 1): {1, 2}}, ENDLESS, object()])
def test_tools_may_give_back_anything(output: Any) -> None:
    case = LLMTestCase(
        input="q",
        tools_called=[ToolCall(name="read", input_parameters={"path": "a"}, output=output)],
        expected_tools=[_tool("a")],
        metadata={"of the user": output},
    )
    assert TrajmeterMetric("tools.exact").measure(case) == 1.0


def test_tools_may_be_given_anything() -> None:
    called, wanted, other = (
        ToolCall(name="read", input_parameters={"path": Path(path), "lines": {1}})
        for path in ("a", "a", "b")
    )
    metric = TrajmeterMetric("tools.exact")
    found = [
        metric.measure(LLMTestCase(input="q", tools_called=[called], expected_tools=[each]))
        for each in (wanted, other)
    ]
    assert found == [1.0, 0.0]


def test_less_is_better_of_some_figures() -> None:
    metric = TrajmeterMetric("tools.edit_distance", threshold=0)
    assert (metric.measure(RIGHT), metric.success) == (0.0, True)
    assert (metric.measure(WRONG) > 0, metric.success) == (True, False)


def test_metrics_share_a_scorer() -> None:
    scorer = trajmeter.Scorer("tools")
    metrics = [TrajmeterMetric(name, 0.5, scorer=scorer) for name in ("tools.f1", "tools.recall")]
    assert [metric.measure(RIGHT) for metric in metrics] == [1.0, 1.0]
    with pytest.raises(ConfigurationError, match="got a scorer and tasks"):
        TrajmeterMetric("tools.f1", scorer=scorer, tasks=[])


def test_an_unknown_figure_is_reported_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        TrajmeterMetric("tools.f2")


def test_copies_score_the_same() -> None:
    metric = TrajmeterMetric("tools.f1", threshold=0.8)
    assert metric.measure(RIGHT) == 1.0
    for again in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):  # noqa: S301 - of its own
        assert (again.figure, again.threshold, again.score) == ("tools.f1", 0.8, 1.0)
        assert again.measure(WRONG) == 0.0
        assert again.success is False
