"""Calls that failed, or whose arguments could not be read, as lists of messages mark them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readers.messages.test_cases import asks, gives
from trajmeter.readers.messages import message_turns
from trajmeter.records import Failure


@pytest.mark.parametrize(
    ("call", "arguments", "error"),
    [
        ({"function": {"name": "f", "arguments": '{"x": '}}, '{"x": ', None),
        ({"function": {"name": "f", "arguments": ""}}, {}, None),
        ({"name": "f", "args": {"INVALID_JSON": '{"x": '}}, '{"x": ', None),
        ({"function": {"name": "f", "arguments": '{"INVALID_JSON":"{\\"x\\": "}'}}, '{"x": ', None),
        ({"name": "f", "args": '{"x": ', "error": "no JSON"}, '{"x": ', "no JSON"),
        (
            {
                "function": "f",
                "arguments": {},
                "parse_error": 'Error parsing the arguments:\n\n{"x": \n\nError details: cut',
            },
            '{"x": ',
            'Error parsing the arguments:\n\n{"x": \n\nError details: cut',
        ),
        ({"function": "f", "arguments": {}, "parse_error": "cut"}, "", "cut"),
        ({"name": "f", "args": {}, "error": "denied"}, None, "denied"),
    ],
)
def test_malformed_arguments_stay_text(call: dict[str, Any], arguments: Any, error: Any) -> None:
    (turn,) = message_turns([{"role": "assistant", "tool_calls": [call]}]).turns
    (made,) = turn.tool_calls
    assert (made.arguments, made.error) == (arguments, error)
    assert made.success is (None if error is None else False)
    if error is not None and arguments is not None:
        assert turn.error == Failure(reason="parse_error", message=error)


@pytest.mark.parametrize(
    ("error", "told"),
    [("cut", "cut"), (None, "the arguments are not valid JSON"), ("", "the arguments are not")],
)
@pytest.mark.parametrize("arguments", ['{"x": ', None])
def test_invalid_calls_of_langchain_are_malformed_calls_that_failed(
    arguments: str | None, error: str | None, told: str
) -> None:
    """What is left of a stream that broke off has no error, and perhaps no arguments."""
    invalid = {"name": "f", "args": arguments, "id": "c", "error": error}
    message = {"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": [invalid]}
    (turn,) = message_turns([message]).turns
    (call,) = turn.tool_calls
    assert (call.name, call.arguments, call.success) == ("f", arguments or "", False)
    assert str(call.error).startswith(told)
    assert turn.error == Failure(reason="parse_error", message=call.error)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c", "content": "gone", "is_error": True}
                ],
            },
            "gone",
        ),
        ({"type": "tool", "tool_call_id": "c", "content": "gone", "status": "error"}, "gone"),
        (
            gives("", "c", function="f", error={"type": "timeout", "message": "too slow"}),
            "too slow",
        ),
        (
            {
                "kind": "request",
                "parts": [
                    {
                        "part_kind": "retry-prompt",
                        "tool_name": "f",
                        "tool_call_id": "c",
                        "content": "try again",
                    }
                ],
            },
            "try again",
        ),
        (
            {"type": "apply_patch_call_output", "call_id": "c", "status": "failed"},
            "the call failed",
        ),
        (
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c", "is_error": True}],
            },
            "the call failed",
        ),
        (
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "c",
                        "content": {
                            "type": "web_search_tool_result_error",
                            "error_code": "unavailable",
                        },
                    }
                ],
            },
            "unavailable",
        ),
        (
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "bash_code_execution_tool_result",
                        "tool_use_id": "c",
                        "content": {
                            "type": "bash_code_execution_result",
                            "stdout": "",
                            "stderr": "no such file",
                            "return_code": 2,
                        },
                    }
                ],
            },
            "exit code 2",
        ),
        (
            {
                "type": "ai",
                "content": [
                    {
                        "type": "server_tool_result",
                        "tool_call_id": "c",
                        "status": "error",
                        "output": "no such page",
                    }
                ],
            },
            "no such page",
        ),
    ],
)
def test_marks_of_failures(result: dict[str, Any], error: str) -> None:
    turn = message_turns([asks(("c", "f", "{}")), result]).turns[0]
    assert [(call.success, call.error) for call in turn.tool_calls] == [(False, error)]
    assert (turn.success, turn.error) == (False, Failure(reason="tool_error", message=error))


def test_the_exit_code_of_a_shell_says_more_than_that_it_answered() -> None:
    call = asks(("c", "bash", '{"command": "false"}'))
    answered = {
        "type": "tool",
        "tool_call_id": "c",
        "content": "[exit code 1]",
        "status": "success",
    }
    for result, success in ((answered, False), (gives("ok\n[exit code 0]", "c"), True)):
        (turn,) = message_turns([call, result]).turns
        assert turn.tool_calls[0].success is success
    (turn,) = message_turns([asks(("c", "note", "{}")), gives("[exit code 1]", "c")]).turns
    assert turn.tool_calls[0].success is None


@pytest.mark.parametrize(
    "error",
    [
        "denied",
        {"type": "http_error", "code": 403, "message": "denied"},
        {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "denied"}]},
    ],
)
def test_the_error_of_a_call_by_a_server_is_its_message_or_its_text(error: Any) -> None:
    item = {"type": "mcp_call", "id": "m", "name": "read", "arguments": "{}", "error": error}
    (turn,) = message_turns([item]).turns
    (call,) = turn.tool_calls
    assert (call.success, call.error) == (False, "denied")


def test_an_error_of_any_shape_has_a_text() -> None:
    item = {"type": "mcp_call", "id": "m", "name": "read", "arguments": "{}"}
    endless: dict[str, Any] = {}
    endless["cause"] = endless
    for error, text in (({("a", 1): 2}, '{"a,1": 2}'), (endless, "{'cause': {...}}")):
        (turn,) = message_turns([item | {"error": error}]).turns
        assert turn.tool_calls[0].error == text
