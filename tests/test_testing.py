"""Claims about scores in any test runner."""

from __future__ import annotations

from typing import Any

import pytest

import trajmeter
from trajmeter.errors import ConfigurationError, InputError, UnknownNameError
from trajmeter.records import Task, ToolCall, Trajectory, Turn
from trajmeter.testing import assert_scores, judge

TASK = Task(id="t", expected_tool_calls=(ToolCall(name="read"),))
ATTEMPT = Trajectory(task_id="t", turns=(Turn(tool_calls=(ToolCall(name="read"),)),))


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("tools.f1 >= 1", True),
        ("tools.f1>=1.0", True),
        ("tools.f1 > 1", False),
        ("tools.f1 <= 1e0", True),
        ("tools.f1 < 1", False),
        ("tools.f1 == 1", True),
        ("tools.f1 != 1", False),
        (" tools.exact ", True),
        ("turns.turn_count == 2", False),
    ],
)
def test_claims(claim: str, *, holds: bool) -> None:
    assert (judge(ATTEMPT, [claim], task=TASK).failed == []) is holds


def test_all_claims_are_judged_before_one_fails() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_scores(ATTEMPT, "turns.turn_count == 2", "context.line.f1 > 0", task=TASK)
    assert str(caught.value).splitlines() == [
        "attempt at 't':",
        "turns.turn_count == 2: is 1.0",
        "context.line.f1 > 0: not scored, missing_gold",
    ]
    assert_scores(ATTEMPT, "tools.exact", scorer=trajmeter.Scorer(["tools"], tasks=[TASK]))


def test_claims_that_do_not_hold_are_reported_in_their_order() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_scores(ATTEMPT, "context.line.f1 > 0", "turns.turn_count == 2", task=TASK)
    assert str(caught.value).splitlines()[1:] == [
        "context.line.f1 > 0: not scored, missing_gold",
        "turns.turn_count == 2: is 1.0",
    ]


def test_wrong_claims_are_errors_and_not_failures() -> None:
    for claim in ("tools.f1 => 1", "tools.f1 >= x", "", "tools.f1 != nan"):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            assert_scores(ATTEMPT, claim)
    with pytest.raises(InputError, match=r"claim is 1 \(int\), expected text"):
        assert_scores(ATTEMPT, 1)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(UnknownNameError, match="no figure"):
        assert_scores(ATTEMPT, "tools.f2 > 1")
    with pytest.raises(UnknownNameError, match="tolls"):
        assert_scores(ATTEMPT, "tolls.f1 > 1")
    with pytest.raises(ConfigurationError, match="no claim"):
        assert_scores(ATTEMPT)


def test_messages_need_their_task() -> None:
    messages: list[dict[str, Any]] = [{"role": "assistant", "content": "x"}]
    assert_scores(messages, "turns.turn_count == 1", task="t")
    with pytest.raises(InputError, match="name its task"):
        assert_scores(messages, "turns.turn_count == 1")
    with pytest.raises(InputError, match="attempt is a int"):
        assert_scores(3, "turns.turn_count == 1")  # type: ignore[arg-type]  # on purpose


def test_a_task_that_is_not_known_is_not_replaced_by_the_attempts_own() -> None:
    task = Task(id="t", expected_tool_calls=(ToolCall(name="read"),))
    attempt = Trajectory(task_id="t", turns=(Turn(tool_calls=(ToolCall(name="read"),)),))
    scorer = trajmeter.Scorer("tools", tasks=[task])
    assert_scores(attempt, "tools.exact", scorer=scorer)
    with pytest.raises(AssertionError, match="not scored, missing_task"):
        assert_scores(attempt, "tools.exact", task="typo", scorer=scorer)
    assert scorer.summary().overall.attempts == 2
