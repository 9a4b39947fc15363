"""Lists of messages of every shape, as their programs write them, turned into turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.steps import assert_linear
from trajmeter.readers.messages import MessageTurns, message_turns

if TYPE_CHECKING:
    from trajmeter.records import ToolCall

ARGUMENTS = {"path": "a.py"}
TEXT = '{"path": "a.py"}'

ANTHROPIC_RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "x = 1"}
ONE_CALL: dict[str, list[Any]] = {
    "openai": [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": TEXT}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
    ],
    "trl": [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"type": "function", "function": {"name": "read", "arguments": ARGUMENTS}}
            ],
        },
        {"role": "tool", "name": "read", "content": "x = 1"},
    ],
    "openai's old single call": [
        {
            "role": "assistant",
            "content": "I look.",
            "function_call": {"name": "read", "arguments": TEXT},
        },
        {"role": "function", "name": "read", "content": "x = 1"},
    ],
    "responses": [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I look."}],
        },
        {"type": "function_call", "id": "f", "call_id": "c1", "name": "read", "arguments": TEXT},
        {"type": "function_call_output", "call_id": "c1", "output": "x = 1"},
    ],
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "read", "input": ARGUMENTS},
            ],
        },
        {"role": "user", "content": [ANTHROPIC_RESULT]},
    ],
    "inspect": [
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "reasoning": "hm"},
                {"type": "text", "text": "I look."},
            ],
            "tool_calls": [{"id": "c1", "function": "read", "arguments": ARGUMENTS}],
        },
        {"role": "tool", "tool_call_id": "c1", "function": "read", "content": "x = 1"},
    ],
    "langchain": [
        {
            "type": "ai",
            "content": "I look.",
            "tool_calls": [{"id": "c1", "name": "read", "args": ARGUMENTS, "type": "tool_call"}],
            "invalid_tool_calls": [],
        },
        {"type": "tool", "tool_call_id": "c1", "content": "x = 1", "status": "success"},
    ],
    "verifiers": [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": "c1", "namespace": None, "name": "read", "arguments": TEXT}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
    ],
    "opentelemetry": [
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "hm"},
                {"type": "text", "content": "I look."},
                {"type": "tool_call", "id": "c1", "name": "read", "arguments": ARGUMENTS},
            ],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": "x = 1"}],
        },
    ],
    "pydantic-ai": [
        {
            "kind": "response",
            "parts": [
                {"part_kind": "thinking", "content": "hm"},
                {"part_kind": "text", "content": "I look."},
                {"part_kind": "tool-call", "tool_name": "read", "args": TEXT, "tool_call_id": "c1"},
            ],
        },
        {
            "kind": "request",
            "parts": [
                {
                    "part_kind": "tool-return",
                    "tool_name": "read",
                    "content": "x = 1",
                    "tool_call_id": "c1",
                    "outcome": "success",
                }
            ],
        },
    ],
}
ONE_CALL["anthropic's object"] = [{"type": "message", **each} for each in ONE_CALL["anthropic"]]
HAS_MARKS = {"anthropic", "anthropic's object", "inspect", "langchain", "pydantic-ai"}
WITHOUT_IDS = {"trl", "openai's old single call"}


def only_call(held: MessageTurns) -> ToolCall:
    (turn,) = held.turns
    (call,) = turn.tool_calls
    return call


@pytest.mark.parametrize("program", ONE_CALL)
def test_a_call_and_its_result_are_one_turn(program: str) -> None:
    held = message_turns([{"role": "user", "content": "Look."}, *ONE_CALL[program]])
    call = only_call(held)
    assert (call.name, call.arguments, call.result) == ("read", ARGUMENTS, "x = 1")
    assert call.id == (None if program in WITHOUT_IDS else "c1")
    assert call.success is (True if program in HAS_MARKS else None)
    (turn,) = held.turns
    assert (turn.text, turn.success) == ("I look.", call.success)
    assert [view.path for view in turn.views or ()] == ["a.py"]
    assert (held.unusable, held.dropped_calls, held.starts) == ({}, 0, (1,))
    assert held.final_output == "I look."
    assert held.transcript == "user: Look.\n\nassistant: I look.\n\ntool: x = 1"


def test_a_namespace_is_part_of_the_name() -> None:
    call = {"id": "c1", "namespace": "files", "name": "read", "arguments": TEXT}
    result = {"role": "tool", "tool_call_id": "c1", "content": "x = 1"}
    held = message_turns([{"role": "assistant", "tool_calls": [call]}, result])
    assert only_call(held).name == "files.read"


def test_shapes_may_be_mixed() -> None:
    messages = [message for both in ONE_CALL.values() for message in both]
    held = message_turns(messages)
    assert [call.result for turn in held.turns for call in turn.tool_calls] == ["x = 1"] * 11
    assert held.unusable == {}


@pytest.mark.parametrize(
    "envelope",
    [
        lambda message: {"type": message["type"], "data": message},
        lambda message: {"lc": 1, "type": "constructor", "id": ["x"], "kwargs": message},
    ],
)
def test_langchain_writes_messages_in_envelopes(envelope: Any) -> None:
    held = message_turns([envelope(message) for message in ONE_CALL["langchain"]])
    assert held == message_turns(ONE_CALL["langchain"])


class Dumped:
    """An object as pydantic's models are, of a package that is not imported."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    def model_dump(self) -> dict[str, Any]:
        return self._message


@pytest.mark.parametrize("program", ONE_CALL)
def test_objects_are_read_as_they_dump_themselves(program: str) -> None:
    messages = ONE_CALL[program]
    assert message_turns(map(Dumped, messages)) == message_turns(messages)


def test_a_whole_answer_of_openai_is_a_turn_with_its_usage() -> None:
    chat = {
        "object": "chat.completion",
        "choices": [{"message": ONE_CALL["openai"][0]}],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    }
    usage = {
        "input_tokens": 9,
        "output_tokens": 2,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 1},
    }
    response = {"object": "response", "output": ONE_CALL["responses"][:3], "usage": usage}
    for answer, result in ((chat, ONE_CALL["openai"][1]), (response, ONE_CALL["responses"][3])):
        held = message_turns([answer, result])
        assert only_call(held).result == "x = 1"
        used = held.turns[0].usage
        assert used is not None
        assert (used.input_tokens, used.cached_input_tokens) == (9, 4)


@pytest.mark.parametrize(
    ("outcomes", "success", "error"),
    [
        ([{"type": "exit", "exit_code": 0}] * 2, True, None),
        (
            [{"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": 2}],
            False,
            "exit code 2",
        ),
        ([{"type": "exit", "exit_code": 0}, {"type": "timeout"}], None, None),
    ],
)
def test_what_openais_shell_printed(
    outcomes: list[Any], success: bool | None, error: str | None
) -> None:
    commands = ["sed -n '3,4p' a.py", "cat b.py"]
    call = {"type": "shell_call", "call_id": "c1", "action": {"commands": commands}}
    printed = [("x = 1\ny = 2\n", ""), ("", "cat: b.py: No such file or directory\n")]
    output = [
        {"stdout": out, "stderr": err, "outcome": outcome}
        for (out, err), outcome in zip(printed, outcomes, strict=True)
    ]
    held = message_turns([call, {"type": "shell_call_output", "call_id": "c1", "output": output}])
    made = only_call(held)
    assert made.result == "x = 1\ny = 2\ncat: b.py: No such file or directory\n"
    assert (made.success, made.error) == (success, error)
    assert [(view.path, view.start) for view in held.turns[0].views or ()] == [("a.py", 3)]


def test_items_are_one_turn_up_to_an_output_or_a_user() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": TEXT}
    said = {"type": "message", "role": "assistant", "content": "Done."}
    output = {"type": "function_call_output", "call_id": "c1", "output": "x"}
    turns = message_turns([{"type": "reasoning"}, call, output, call, output, said]).turns
    assert [(len(turn.tool_calls), turn.text) for turn in turns] == [
        (1, None),
        (1, None),
        (0, "Done."),
    ]
    asked = {"type": "message", "role": "user", "content": "And?"}
    assert len(message_turns([said, asked, said]).turns) == 2


def test_free_text_of_a_custom_tool_is_not_read_as_json() -> None:
    chat = {"id": "c", "type": "custom", "custom": {"name": "patch", "input": '{"a": 1}'}}
    item = {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": '{"a": 1}'}
    for message in ({"role": "assistant", "tool_calls": [chat]}, item):
        assert only_call(message_turns([message])).arguments == '{"a": 1}'


@pytest.mark.parametrize(
    ("item", "name", "arguments", "result", "success"),
    [
        (
            {"type": "mcp_call", "id": "m", "server_label": "fs", "name": "read", "arguments": TEXT}
            | {"output": "x", "error": None},
            "fs.read",
            ARGUMENTS,
            "x",
            True,
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "read", "arguments": TEXT, "error": "denied"},
            "read",
            ARGUMENTS,
            "",
            False,
        ),
        (
            {"type": "local_shell_call", "call_id": "m", "action": {"command": ["ls"]}},
            "local_shell",
            {"command": ["ls"]},
            None,
            None,
        ),
        (
            {"type": "web_search_call", "id": "m", "status": "completed", "query": "q"},
            "web_search",
            {"query": "q"},
            None,
            None,
        ),
        (
            {"type": "file_search_call", "id": "m", "status": "failed", "queries": ["q"]},
            "file_search",
            {"queries": ["q"]},
            "",
            False,
        ),
        (
            {"type": "code_interpreter_call", "id": "m", "code": "1", "outputs": ["1"]},
            "code_interpreter",
            {"code": "1"},
            "1",
            True,
        ),
    ],
)
def test_tools_that_openai_runs_are_calls(
    item: dict[str, Any], name: str, arguments: Any, result: Any, success: bool | None
) -> None:
    call = only_call(message_turns([item]))
    assert (call.name, call.arguments, call.result, call.success) == (
        name,
        arguments,
        result,
        success,
    )


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
def test_tools_that_anthropic_runs_answer_in_the_same_message(kind: str) -> None:
    content = [
        {"type": kind, "id": "c1", "name": "web_search", "input": {"query": "q"}},
        {"type": f"{kind.removesuffix('_use')}_result", "tool_use_id": "c1", "content": "found"},
    ]
    call = only_call(message_turns([{"role": "assistant", "content": content}]))
    assert (call.arguments, call.result, call.success) == ({"query": "q"}, "found", True)


def test_objects_of_openai_are_read_as_its_json() -> None:
    pytest.importorskip("openai", reason="the objects are of its package")
    from openai.types.chat import ChatCompletion
    from openai.types.responses import ResponseOutputItem
    from pydantic import TypeAdapter

    choice = {"index": 0, "finish_reason": "tool_calls", "message": ONE_CALL["openai"][0]}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    chat = ChatCompletion.model_validate(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
    )
    result = ONE_CALL["openai"][1]
    for given in (chat, chat.choices[0].message):
        call = only_call(message_turns([given, result]))
        assert (call.arguments, call.result) == (ARGUMENTS, "x = 1")
    used = message_turns([chat]).turns[0].usage
    assert used is not None
    assert (used.input_tokens, used.cached_input_tokens) == (9, None)
    item = TypeAdapter(ResponseOutputItem)
    text = {"type": "output_text", "text": "I look.", "annotations": []}
    message = {**ONE_CALL["responses"][1], "id": "m", "status": "completed", "content": [text]}
    items = [ONE_CALL["responses"][0], message, ONE_CALL["responses"][2]]
    objects = [item.validate_python(each) for each in items]
    held = message_turns([*objects, ONE_CALL["responses"][3]])
    assert held == message_turns(ONE_CALL["responses"])


def test_results_without_ids_find_their_calls_in_linear_time() -> None:
    def find(size: int) -> None:
        calls = [{"type": "tool_use", "name": name, "input": {}} for name in "ab" * size]
        results = [{"role": "tool", "name": "b", "content": f"{n}"} for n in range(size)]
        (turn,) = message_turns([{"role": "assistant", "content": calls}, *results]).turns
        given = [call.result for call in turn.tool_calls]
        assert given == [None if n % 2 == 0 else f"{n // 2}" for n in range(2 * size)]

    assert_linear(find)


def test_a_result_that_is_null_leaves_its_call_waiting_and_takes_no_result_back() -> None:
    calls = [
        {"type": "tool_use", "name": "a", "input": {}},
        {"type": "tool_use", "name": "a", "input": {}, "id": "x"},
    ]
    given = [{"role": "tool"}, {"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}]
    again = {"role": "tool", "tool_call_id": "x"}
    (turn,) = message_turns([{"role": "assistant", "content": calls}, *given, again]).turns
    assert [call.result for call in turn.tool_calls] == ["1", "2"]
