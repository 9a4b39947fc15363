"""Results and saved states of AutoGen, as autogen-agentchat 0.7.5 writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.errors import ReadError
from trajmeter.readers import read_trajectories
from trajmeter.records import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory

CALL = {"id": "c1", "arguments": '{"path":"a.py"}', "name": "read_file"}
RESULT = {"content": "print(1)", "name": "read_file", "call_id": "c1", "is_error": False}


def event(kind: str, source: str, content: Any, tokens: tuple[int, int] | None = None) -> Any:
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]} if tokens else None
    return {
        "id": "e",
        "source": source,
        "models_usage": usage,
        "metadata": {},
        "created_at": "2026-01-01T00:00:00Z",
        "content": content,
        "type": kind,
    }


EVENTS = [
    event("TextMessage", "user", "Fix it."),
    event("ToolCallRequestEvent", "coder", [CALL], (10, 3)),
    event("ToolCallExecutionEvent", "coder", [RESULT]),
    event("ToolCallSummaryMessage", "coder", "print(1)"),
    event("ThoughtEvent", "coder", "hm"),
    event("TextMessage", "coder", "Done.", (20, 4)),
]
STATE = {
    "type": "AssistantAgentState",
    "version": "1.0.0",
    "llm_context": {
        "messages": [
            {"content": "Fix it.", "source": "user", "type": "UserMessage"},
            {"content": [CALL], "thought": None, "source": "coder", "type": "AssistantMessage"},
            {"content": [RESULT], "type": "FunctionExecutionResultMessage"},
            {"content": "Done.", "thought": "hm", "source": "coder", "type": "AssistantMessage"},
        ]
    },
}
TEAM = {
    "type": "TeamState",
    "version": "1.0.0",
    "agent_states": {
        "coder": {"type": "ChatAgentContainerState", "version": "1.0.0", "agent_state": STATE},
        "RoundRobinGroupChatManager": {
            "type": "RoundRobinManagerState",
            "version": "1.0.0",
            "message_thread": EVENTS,
        },
    },
}


def read(path: Path, content: Any) -> Trajectory:
    path.write_text(json.dumps(content))
    (attempt,) = read_trajectories(path)
    return attempt


@pytest.mark.parametrize("content", [{"messages": EVENTS, "stop_reason": None}, STATE, TEAM])
def test_an_answer_is_a_turn_with_its_calls(tmp_path: Path, content: Any) -> None:
    attempt = read(tmp_path / "fix-1.json", content)
    assert (attempt.task_id, attempt.agent) == ("fix-1", "coder")
    assert (attempt.final_output, attempt.failure) == ("Done.", None)
    assert attempt.turns is not None
    first, second = attempt.turns
    (call,) = first.tool_calls
    assert (call.name, call.arguments, call.result) == ("read_file", {"path": "a.py"}, "print(1)")
    assert call.success is True
    assert (first.agent, second.text) == ("coder", "Done.")
    used = [
        turn.usage and (turn.usage.input_tokens, turn.usage.output_tokens) for turn in attempt.turns
    ]
    assert used == ([None, None] if content is STATE else [(10, 3), (20, 4)])


def test_a_failed_call_and_several_agents(tmp_path: Path) -> None:
    failed = {**RESULT, "is_error": True, "content": "no such file"}
    events = [
        event("ToolCallRequestEvent", "coder", [CALL]),
        event("ToolCallExecutionEvent", "coder", [failed]),
        event("TextMessage", "critic", "No."),
    ]
    attempt = read(
        tmp_path / "a.json",
        {"messages": events, "stop_reason": "Maximum number of messages 4 reached"},
    )
    assert attempt.turns is not None
    assert attempt.turns[0].tool_calls[0].success is False
    assert [turn.agent for turn in attempt.turns] == ["coder", "critic"]
    assert attempt.agent is None
    assert attempt.failure is not None
    assert attempt.failure.reason == "budget_exhausted"
    assert attempt.metadata == {"stop_reason": "Maximum number of messages 4 reached"}


def test_a_state_without_messages_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"llm_context\.messages: expected a list, got null"):
        read(tmp_path / "a.json", {**STATE, "llm_context": {}})
    with pytest.raises(ReadError, match="agent_states: expected the state of a manager"):
        read(tmp_path / "a.json", {**TEAM, "agent_states": {"coder": STATE}})


@pytest.mark.parametrize(
    "reason",
    [
        "Maximum number of messages 3 reached, current message count: 3",
        "Maximum number of turns 2 reached.",
        "Max rounds reached.",
        "Token usage limit reached, total token count: 9.",
        "Timeout of 5 seconds reached",
    ],
)
def test_limits_are_exhausted_budgets(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "shelf-1.json"
    path.write_text(json.dumps({"messages": EVENTS, "stop_reason": reason}))
    (attempt,) = read_trajectories(path)
    assert attempt.failure == Failure(reason="budget_exhausted", message=reason)


def read_events(tmp_path: Path, *events: Any) -> Trajectory:
    path = tmp_path / "shelf-1.json"
    path.write_text(json.dumps({"messages": [*events], "stop_reason": None}))
    (attempt,) = read_trajectories(path)
    return attempt


def test_what_no_model_wrote_is_not_a_turn(tmp_path: Path) -> None:
    attempt = read_events(
        tmp_path,
        event("TextMessage", "user", "Fix it."),
        event("ToolCallRequestEvent", "a", [{**CALL, "name": "transfer_to_b"}], (10, 3)),
        event("ToolCallExecutionEvent", "a", [{**RESULT, "content": "Over to b."}]),
        event("HandoffMessage", "a", "Over to b."),
        event("TextMessage", "b", "Which file?", (20, 4)),
        event("UserInputRequestedEvent", "clerk", ""),
        event("TextMessage", "clerk", "a.py"),
        event("TextMessage", "b", "Done.", (0, 0)),
    )
    assert attempt.turns is not None
    assert [(turn.agent, turn.text) for turn in attempt.turns] == [
        ("a", None),
        ("b", "Which file?"),
        ("b", "Done."),
    ]
    assert attempt.turns[-1].usage is None


def test_an_answer_may_be_an_object(tmp_path: Path) -> None:
    said = event("StructuredMessage[Verdict]", "judge", {"fixed": True}, (10, 3))
    attempt = read_events(tmp_path, event("TextMessage", "user", "Fixed?"), said)
    assert (attempt.final_output, len(attempt.turns or ())) == ('{"fixed": true}', 1)


def test_an_answer_without_content_has_no_text(tmp_path: Path) -> None:
    attempt = read_events(tmp_path, event("StructuredMessage[Verdict]", "judge", None, (10, 3)))
    assert [turn.text for turn in attempt.turns or ()] == [None]


def wrote(text: str, *codes: str, by: str = "coder") -> Any:
    blocks = [{"code": code, "language": "python"} for code in codes]
    return {**event("CodeGenerationEvent", by, text), "code_blocks": blocks}


def ran(code: int, by: str = "coder") -> Any:
    result = {"exit_code": code, "output": "printed"}
    return {**event("CodeExecutionEvent", by, None), "result": result}


def test_agents_may_run_code_side_by_side(tmp_path: Path) -> None:
    events = [wrote("I try.", "a()", by="a"), wrote("So do I.", "b()", by="b")]
    attempt = read_events(tmp_path, ran(1), *events, ran(1, by="a"), ran(0, by="b"))
    assert [(turn.agent, turn.success) for turn in attempt.turns or ()] == [
        ("a", False),
        ("b", True),
    ]


def test_code_that_an_agent_wrote(tmp_path: Path) -> None:
    attempt = read_events(
        tmp_path,
        wrote("I try.", "a()\n", "b()\n"),
        ran(1),
        wrote("Why?"),
        wrote("So.", "c()"),
        ran(0),
    )
    assert attempt.turns is not None
    assert [(turn.text, turn.program, turn.success) for turn in attempt.turns] == [
        ("I try.", "a()\nb()", False),
        ("Why?", None, None),
        ("So.", "c()", True),
    ]
    assert attempt.turns[0].error == Failure(reason="exit_code", message="exit code 1")


def test_unusable_events_are_named_by_their_position(tmp_path: Path) -> None:
    attempt = read_events(
        tmp_path,
        event("TextMessage", "coder", "Done.", (10, 3)),
        event("ThoughtEvent", "coder", "hm"),
        event("ToolCallExecutionEvent", "coder", [RESULT]),
        5,
    )
    assert [*attempt.unusable] == ["messages[2]", "messages[3]"]
