"""Rewards, called as TRL's trainers call them."""

from __future__ import annotations

import json
import pickle
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.errors import UnknownNameError
from trajmeter.hosts import _references
from trajmeter.hosts.trl import Reward
from trajmeter.readers.own_records import TASKS

if TYPE_CHECKING:
    from trajmeter.records import Source


def _completion(*paths: str) -> list[dict[str, Any]]:
    """Calls and results without ids, as TRL has them."""
    found: list[dict[str, Any]] = []
    for path in paths:
        call = {"type": "function", "function": {"name": "read", "arguments": {"path": path}}}
        found.append({"role": "assistant", "tool_calls": [call]})
        found.append({"role": "tool", "name": "read", "content": "x"})
    return found


WANTED = [{"name": "read", "arguments": {"path": "a"}}]


def test_rewards_of_completions() -> None:
    log: dict[str, list[Any]] = {}
    reward = Reward("tools.f1")
    assert reward.__name__ == "tools.f1"
    found = reward(
        prompts=["q"] * 5,
        completions=[_completion("a"), _completion("b"), "text", _completion("a"), 3],
        expected_tool_calls=[WANTED, WANTED, WANTED, None, WANTED],
        trainer_state=object(),
        environments=None,
        log_extra=log.__setitem__,
        log_metric=print,
    )
    assert found == [1.0, 0.0, 0.0, None, None]
    causes = log["trajmeter.tools.f1.cause"]
    assert causes[:4] == [None, None, None, "missing_task"]
    assert causes[4].startswith("invalid_input: got a int")


def test_every_outcome_of_a_reward() -> None:
    """By the rules of Transform Gym, an agent that says nothing gets 0 for handling errors."""
    causes: dict[str, list[Any]] = {}
    said, mute = ([{"role": "assistant", "content": text}] for text in ("said", ""))
    how = {"completions": [said, mute], "max_turns": [3, 3], "log_extra": causes.__setitem__}
    assigned = Reward("rules.error_handling", profiles="transform-gym")(**how)  # type: ignore[arg-type]  # of several types
    assert (assigned[0] or 0) > 0
    assert assigned[1] == 0.0  # a score that a rule sets is a score
    assert causes == {"trajmeter.rules.error_handling.cause": [None, None]}
    found = Reward("rules.error_handling")(**how)  # type: ignore[arg-type]  # of several types
    assert found == [assigned[0], None]
    assert Reward("rules.latency")(**how) == [None, None]  # type: ignore[arg-type]  # of several types
    assert causes == {
        "trajmeter.rules.error_handling.cause": [None, "missing_transcript"],
        "trajmeter.rules.latency.cause": ["abstained", "abstained"],
    }


def test_causes_stay_with_their_completions_in_the_trl_log() -> None:
    """TRL keeps the last completions and, apart from them, as many values of each column."""
    completions: deque[str] = deque(maxlen=3)
    causes: dict[str, deque[Any]] = defaultdict(lambda: deque(maxlen=3))
    reward = Reward("tools.f1")
    for references in ([WANTED, None, WANTED], [WANTED] * 3, [None]):
        texts = [f"{'no' if each is None else 'a'} reference" for each in references]
        reward(
            completions=texts,
            expected_tool_calls=references,
            log_extra=lambda name, values: causes[name].extend(values),
        )
        completions.extend(texts)
        (column,) = causes.values()
        assert [(cause is not None) for cause in column] == [
            text.startswith("no") for text in completions
        ]


def test_a_text_is_a_turn_without_calls() -> None:
    assert Reward("turns.turn_count")(completions=["text"]) == [1.0]
    assert Reward("turns.recorded_calls")(completions=["text", _completion("a", "a")]) == [0, 2]
    assert Reward("turns.repeated_tool_calls")(completions=["text"]) == [None]


def test_a_reward_goes_to_other_processes() -> None:
    again = pickle.loads(pickle.dumps(Reward("tools.exact")))  # noqa: S301 - our own
    assert again.__name__ == "tools.exact"
    assert again(completions=[_completion("a")], expected_tool_calls=[WANTED]) == [1.0]


def test_a_broken_reference_is_not_the_end_of_the_training() -> None:
    reward = Reward("tools.f1")
    found = reward(completions=[_completion("a")] * 2, expected_tool_calls=[3, WANTED])
    assert found == [None, 1.0]


def test_references_may_be_json_as_text() -> None:
    """Columns of structures fill the arguments of each call with those of all others."""
    causes: dict[str, list[Any]] = {}
    found = Reward("tools.f1")(
        completions=[_completion("a")] * 3,
        expected_tool_calls=[json.dumps(WANTED), "[", json.dumps("a")],
        log_extra=causes.__setitem__,
    )
    assert found == [1.0, None, None]
    reasons = causes["trajmeter.tools.f1.cause"]
    assert reasons[1].startswith("invalid_input: trl: 'completion': expected_tool_calls: ")
    assert 'expected a list, got "a"' in reasons[2]


def test_messages_of_which_none_can_be_read_are_not_a_run_without_calls() -> None:
    log: dict[str, list[Any]] = {}
    found = Reward("tools.f1")(
        completions=[[("assistant", "done")], []],
        expected_tool_calls=[WANTED, WANTED],
        log_extra=log.__setitem__,
    )
    assert found == [None, 0.0]
    (cause, _) = log["trajmeter.tools.f1.cause"]
    assert cause == (
        "invalid_input: none of the messages is an answer of a model: messages[0]: expected a "
        "message, got tuple"
    )


def test_a_reference_is_prepared_once_for_any_object(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Columns of the data set are repeated for each generation."""
    read: list[Any] = []
    monkeypatch.setattr(_references, "TASKS", _Reading(read))
    reward = Reward("tools.f1")
    wanted = [json.loads(json.dumps(WANTED)) for _ in range(4)]
    other = [{"name": "stop", "arguments": {}}]
    for _ in range(2):
        found = reward(completions=[_completion("a")] * 5, expected_tool_calls=[*wanted, other])
        assert found == [1.0, 1.0, 1.0, 1.0, 0.0]
    assert [record["expected_tool_calls"] for record in read] == [WANTED, other]


class _Reading:
    """Reads tasks, and keeps what it read."""

    def __init__(self, read: list[Any]) -> None:
        self._read = read

    def read(self, record: Any, source: Source) -> object:
        self._read.append(record)
        return TASKS.read(record, source)


def test_an_unknown_figure_is_reported_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        Reward("tools.f2")
