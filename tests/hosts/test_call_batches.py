"""Rewards from the calls of completions alone, beside those of records."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="batches need pyarrow")

import trajmeter
from trajmeter.hosts import trl
from trajmeter.hosts._call_batches import plain_calls
from trajmeter.metrics.tools import ToolsMetric
from trajmeter.records import Task, ToolCall

WANTED = [{"name": "read", "arguments": {"path": "a"}}, {"name": "stop", "arguments": None}]
FIGURES = (
    "tools.f1",
    "tools.exact",
    "tools.edit_distance",
    "tools.in_order_grades.recall",
    "turns.turn_count",
    "turns.recorded_calls",
    "turns.repeated_tool_calls",
)


def _answer(*calls: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [*calls], **fields}


def _call(arguments: Any, name: Any = "read") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


PLAIN: list[Any] = [
    [],
    [_answer()],
    [{"role": "user", "content": "q"}, _answer(_call({"path": "a"}), content="so")],
    [_answer(_call({"path": "a"})), {"role": "tool", "content": "x"}, _answer(_call(None, "stop"))],
    [_answer(_call('{"path": "a"}'), _call("", "stop"))],
    [_answer(_call("{"), _call("[1]"), _call([1]), _call(3))],
    [_answer(_call({"path": ("a",), 1: {2: None}}), _call({"path": b"a"}))],
    [_answer({"function": {"name": "stop"}}, _call({"path": 10**30}))],
    [{"role": "assistant", "content": None, "tool_calls": None}],
    [_answer(_call({"path": "a"}), _call({"path": "a"}), _call({"path": "b"})), _answer()],
    [{"role": "assistant", "tool_calls": (_call({"path": "a"}),)}],
]
"""Completions of which the calls alone are certain."""

ODD: list[Any] = [
    [_answer(_call({"path": "a"}), _call({"path": "a"}, None))],
    [_answer(_call({"path": "a"}, ""), 3)],
    [_answer(_call({"path": float("nan")}), _call({"path": "\ud800"}))],
    [_answer(_call({"INVALID_JSON": '{"path": "a"}'}))],
    [{"role": "assistant", "content": [{"type": "tool_use", "name": "read", "input": {}}]}],
    [{"role": "assistant", "function_call": {"name": "read", "arguments": '{"path": "a"}'}}],
    [{"type": "function_call", "call_id": "c", "name": "read", "arguments": '{"path": "a"}'}],
    [_answer({"id": "c", "name": "read", "args": {"path": "a"}})],
    [_answer(), {"role": "tool", "type": "function_call_output", "call_id": "c", "output": "x"}],
    [_answer(_call({"path": "a"}), invalid_tool_calls=[{"name": "stop", "args": "{"}])],
    [3, _answer(_call({"path": "a"}))],
]
"""Completions that are read as records."""


def _by_record(figure: str, completion: Any) -> float | None:
    wanted = tuple(ToolCall.model_validate(call) for call in WANTED)
    scorer = trajmeter.Scorer(["tools", "turns"], tasks=[Task(id="t", expected_tool_calls=wanted)])
    attempt = trajmeter.from_messages(completion, task_id="t")
    return scorer.score(attempt).figure(figure).value


@pytest.mark.parametrize("figure", FIGURES)
def test_both_ways_give_one_reward(figure: str) -> None:
    completions = PLAIN + ODD
    found = trl.Reward(figure)(
        completions=completions, expected_tool_calls=[WANTED] * len(completions)
    )
    assert found == [_by_record(figure, completion) for completion in completions]
    assert len({*found}) > 1


@pytest.mark.parametrize("figure", FIGURES)
def test_results_without_an_answer_are_no_attempt(figure: str) -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": "x"}
    completions = [[result], [{"role": "user", "content": "q"}, result]]
    causes: list[str] = []
    found = trl.Reward(figure)(
        completions=completions,
        expected_tool_calls=[[]] * 2,
        log_extra=lambda _, values: causes.extend(values),
    )
    assert found == [None, None]
    assert all(cause.startswith("invalid_input: none of the messages") for cause in causes)


ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
CALLS = st.builds(_call, ARGUMENTS | st.just({"path": "a"}), st.sampled_from(["read", "stop"]))


@given(st.lists(st.lists(CALLS, max_size=3), max_size=3))
def test_calls_of_any_arguments_give_one_reward(turns: list[list[dict[str, Any]]]) -> None:
    completion = [_answer(*calls) for calls in turns]
    for figure in ("tools.f1", "turns.repeated_tool_calls"):
        (found,) = trl.Reward(figure)(completions=[completion], expected_tool_calls=[WANTED])
        assert found == _by_record(figure, completion)


def test_which_completions_need_no_record() -> None:
    assert None not in [plain_calls(completion) for completion in [*PLAIN, "text"]]
    assert [plain_calls(completion) for completion in [*ODD, 3, None]] == [None] * (len(ODD) + 2)


def test_no_record_is_made_of_plain_completions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(trl, "attempt_from")
    causes: dict[str, list[Any]] = {}
    found = trl.Reward("tools.f1")(
        completions=[PLAIN[3], "text", PLAIN[3], PLAIN[3]],
        expected_tool_calls=[WANTED, WANTED, None, None],
        max_turns=[None, None, None, 3],
        log_extra=causes.__setitem__,
    )
    assert found == [1.0, 0.0, None, None]
    assert causes["trajmeter.tools.f1.cause"] == [None, None, "missing_task", "abstained"]
    repeated = trl.Reward("turns.repeated_tool_calls")
    assert repeated(completions=[PLAIN[3], "text", [*PLAIN[3], *PLAIN[3]]]) == [0.0, None, 0.5]


def test_policies_of_a_task_hold() -> None:
    policies = [{"paths": {"read": {"path": "ignore"}}}, None, {"nothing": "such"}]
    reward = trl.Reward("tools.exact")
    with pytest.warns(UserWarning, match="cannot be scored"):
        found = reward(
            completions=[[_answer(_call({"path": "b"}))]] * 3,
            expected_tool_calls=[WANTED[:1]] * 3,
            metadata=[each and {"tool_policies": each} for each in policies],
        )
    assert found == [1.0, 0.0, None]


def test_a_batch_that_fails_is_scored_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(ToolsMetric, "score_batch", fails)
    found = trl.Reward("tools.f1")(completions=[PLAIN[3]], expected_tool_calls=[WANTED])
    assert found == [1.0]
