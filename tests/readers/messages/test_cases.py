"""Cases that lists of messages bring up, each by itself."""

from __future__ import annotations

from typing import Any

import pytest

import trajmeter
from trajmeter.errors import InputError
from trajmeter.readers.messages import message_turns
from trajmeter.readers.tool_views import ToolView, tool_views
from trajmeter.records import Extent, ToolCall, View


def asks(*calls: tuple[str | None, str, str], text: str | None = None) -> dict[str, Any]:
    """An answer of OpenAI's shape with calls of (id, name, arguments)."""
    written = [
        {"id": each, "type": "function", "function": {"name": name, "arguments": arguments}}
        for each, name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": written}


def gives(value: Any, identity: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": value, **fields}


def results(messages: list[dict[str, Any]]) -> list[list[tuple[str, Any]]]:
    turns = message_turns(messages).turns
    return [[(call.name, call.result) for call in turn.tool_calls] for turn in turns]


def test_parallel_calls_are_joined_by_id() -> None:
    both = asks(("c1", "f", "{}"), ("c2", "g", "{}"))
    assert results([both, gives("2", "c2"), gives("1", "c1")]) == [[("f", "1"), ("g", "2")]]


def test_results_without_ids_go_to_calls_of_their_name_in_order() -> None:
    three = asks((None, "f", "{}"), (None, "g", "{}"), (None, "f", "{}"))
    given = [gives("f1", name="f"), gives("f2", name="f"), gives("g1", name="g")]
    assert results([three, *given]) == [[("f", "f1"), ("g", "g1"), ("f", "f2")]]


def test_an_empty_id_is_none() -> None:
    both = asks(("", "f", "{}"), ("", "g", "{}"))
    assert results([both, gives("1", "", name="g"), gives("2", "", name="f")]) == [
        [("f", "2"), ("g", "1")]
    ]


def test_ids_may_be_numbers() -> None:
    both = asks((1, "f", "{}"), (2, "f", "{}"))  # type: ignore[arg-type] # as some write them
    held = message_turns([both, gives("2", 2), gives("1", 1)])  # type: ignore[arg-type] # likewise
    (turn,) = held.turns
    assert [(call.id, call.result) for call in turn.tool_calls] == [("1", "1"), ("2", "2")]


def test_calls_that_are_not_a_list_are_read_or_reported() -> None:
    (call,) = asks(("c", "f", "{}"))["tool_calls"]
    assert results([{"role": "assistant", "tool_calls": call}]) == [[("f", None)]]
    held = message_turns([{"role": "assistant", "tool_calls": '[{"id": "c"}]'}])
    assert held.unusable == {"messages[0]": "a call without a name"}
    assert held.dropped_calls == 1


def test_an_id_that_is_used_again_is_a_new_call() -> None:
    first, second = asks(("call_0", "f", "{}")), asks(("call_0", "f", '{"x": 2}'))
    assert results([first, gives("1", "call_0"), second, gives("2", "call_0")]) == [
        [("f", "1")],
        [("f", "2")],
    ]


def test_a_late_result_still_finds_its_call() -> None:
    messages = [
        asks(("c1", "f", "{}")),
        {"role": "assistant", "content": "Wait."},
        gives("1", "c1"),
    ]
    assert results(messages) == [[("f", "1")], []]


def test_messages_that_belong_to_nothing_are_reported_and_counted() -> None:
    nameless = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"arguments": "{}"}}]}
    held = message_turns([gives("lost", "c9"), nameless, 7, {"role": "ghost"}])
    assert held.dropped_calls == 2
    assert held.unusable == {
        "messages[0]": "a result without a call: none has the id 'c9'",
        "messages[1]": "a call without a name",
        "messages[2]": "expected a message, got a number",
        "messages[3]": "role is 'ghost', expected a role of a conversation",
    }
    assert len(held.turns) == 1


def test_a_call_without_a_result_is_unknown() -> None:
    (turn,) = message_turns([asks(("c1", "read_file", '{"path": "a.py"}'))]).turns
    (call,) = turn.tool_calls
    assert (call.result, call.success, turn.success) == (None, None, None)


def test_an_empty_result_is_not_an_absent_one() -> None:
    ((call,),) = results([asks(("c1", "f", "{}")), gives("", "c1")])
    assert call == ("f", "")


def test_failed_is_called_if_a_result_is_not_marked() -> None:
    def failed(call: ToolCall) -> bool | None:
        return None if call.result == "?" else str(call.result).startswith("Error")

    messages = [asks(*((each, "f", "{}") for each in "abcd"))]
    messages += [gives("Error: x", "a"), gives("fine", "b"), gives("?", "c")]
    (turn,) = message_turns(messages, failed=failed).turns
    assert [(call.success, call.error) for call in turn.tool_calls] == [
        (False, "Error: x"),
        (True, None),
        (None, None),
        (None, None),
    ]


def test_pictures_and_files_leave_no_bytes() -> None:
    content = [
        {"type": "text", "text": "seen"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
    ]
    ((call,),) = results([asks(("c", "f", "{}")), gives(content, "c")])
    assert call[1] == [
        {"type": "text", "text": "seen"},
        {"type": "image"},
        {"type": "image"},
        {"type": "audio"},
    ]
    ((call,),) = results([asks(("c", "f", "{}")), gives(content[:1] * 2, "c")])
    assert call[1] == "seen\nseen"


@pytest.mark.parametrize(
    ("items", "result"),
    [
        (
            [
                {"type": "computer_call", "call_id": "c", "action": {"type": "screenshot"}},
                {
                    "type": "computer_call_output",
                    "call_id": "c",
                    "output": {"type": "computer_screenshot", "image_url": "data:AAAA"},
                },
            ],
            {"type": "image"},
        ),
        (
            [{"type": "image_generation_call", "id": "c", "status": "completed", "result": "AAAA"}],
            [{"type": "image"}],
        ),
        (
            [
                asks(("c", "f", "{}")),
                gives({"kind": "binary", "data": "AAAA", "media_type": "image/png"}, "c"),
            ],
            {"type": "image"},
        ),
        (
            [
                asks(("c", "f", "{}")),
                gives([{"kind": "binary", "data": "AAAA", "media_type": "text/csv"}], "c"),
            ],
            [{"type": "file"}],
        ),
        (
            [
                asks(("c", "f", "{}")),
                gives([{"kind": "image-url", "url": "data:image/png;base64,AAAA"}], "c"),
            ],
            [{"type": "image"}],
        ),
        (
            [
                asks(("c", "f", "{}")),
                gives({"kind": "document-url", "url": "data:application/pdf;base64,AAAA"}, "c"),
            ],
            {"type": "file"},
        ),
    ],
)
def test_screenshots_leave_no_bytes(items: list[dict[str, Any]], result: Any) -> None:
    (turn,) = message_turns(items).turns
    assert turn.tool_calls[0].result == result
    assert "AAAA" not in turn.model_dump_json()


@pytest.mark.parametrize(
    "found", [{"type": "document", "source": "a.md", "text": "x"}, {"kind": "binary", "data": [1]}]
)
def test_a_result_that_only_looks_like_a_file_is_kept(found: dict[str, Any]) -> None:
    ((call,),) = results([asks(("c", "f", "{}")), gives(found, "c")])
    assert call[1] == found


@pytest.mark.parametrize("kind", ["mcp_list_tools", "mcp_approval_request"])
def test_items_beside_an_answer_are_not_part_of_it(kind: str) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    held = message_turns([{"type": kind, "id": "m", "server_label": "git"}, call])
    assert [len(turn.tool_calls) for turn in held.turns] == [1]
    assert held.unusable == {}


@pytest.mark.parametrize("identity", [None, "", ["c"], {"c": 1}])
def test_calls_without_an_id_do_not_hide_those_that_the_host_runs(identity: Any) -> None:
    parts = [{"type": "server_tool_use", "id": identity, "name": "search", "input": {}}]
    call = {"id": identity, "name": "f", "args": {}}
    message = {"role": "assistant", "content": parts, "tool_calls": [call]}
    assert results([message]) == [[("search", None), ("f", None)]]


def test_the_type_of_a_tool_does_not_say_that_it_ran() -> None:
    call = {"id": "c", "tool_type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    (turn,) = message_turns([message]).turns
    assert turn.tool_calls[0].success is None


def test_langchain_repeats_calls_among_the_parts() -> None:
    part = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    call = {"id": "c", "name": "f", "args": {}}
    message = {"type": "ai", "content": [part], "tool_calls": [call], "invalid_tool_calls": []}
    assert results([message]) == [[("f", None)]]


@pytest.mark.parametrize(
    "parts",
    [
        [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": "found"},
        ],
        [
            {"type": "server_tool_call", "id": "s", "name": "web_search", "args": {}},
            {"type": "server_tool_result", "tool_call_id": "s", "output": "found"},
        ],
        [
            {"type": "tool_use", "tool_type": "web_search", "id": "s", "name": "web_search"}
            | {"arguments": {}, "result": "found"}
        ],
    ],
    ids=["langchain with anthropic", "langchain", "inspect"],
)
def test_calls_answered_by_the_provider_are_not_duplicated(
    parts: list[dict[str, Any]],
) -> None:
    own = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    message = {"type": "ai", "content": [*parts, own], **asks(("c", "f", "{}"))}
    message["content"] = [*parts, own]
    (turn,) = message_turns([message, gives("x", "c")]).turns
    assert [(call.name, call.result, call.success) for call in turn.tool_calls] == [
        ("web_search", "found", True),
        ("f", "x", None),
    ]


def test_langchain_keeps_the_old_single_call_and_refusals_apart() -> None:
    apart = {"function_call": {"name": "f", "arguments": "{}"}}
    called = {"type": "ai", "content": "", "tool_calls": [], "additional_kwargs": apart}
    refused = {"type": "ai", "content": "", "additional_kwargs": {"refusal": "No."}}
    held = message_turns([called, {"type": "function", "name": "f", "content": "x"}, refused])
    assert [(call.name, call.result) for call in held.turns[0].tool_calls] == [("f", "x")]
    assert held.final_output == "No."


def test_null_means_an_absent_key() -> None:
    nothing = {"tool_calls": None, "tool_call_id": None, "name": None, "function": None}
    user = {"role": "user", "content": "Look.", **nothing}
    held = message_turns([user, asks(("c", "f", "{}")), {**nothing, **gives("x", "c")}])
    assert (held.unusable, held.turns[0].tool_calls[0].success) == ({}, None)


def test_values_that_json_does_not_know_become_text() -> None:
    class Odd:
        def __str__(self) -> str:
            return "odd"

    call = {"id": "c", "name": "f", "args": {"x": Odd(), "y": (1, 2)}}
    (turn,) = message_turns([{"type": "ai", "content": "", "tool_calls": [call]}]).turns
    assert turn.tool_calls[0].arguments == {"x": "odd", "y": [1, 2]}


def test_values_that_no_json_can_hold_become_text() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for odd in (endless, {"x": b"\xff"}):
        call = {"id": "c", "name": "f", "args": {}}
        messages = [{"type": "ai", "content": "", "tool_calls": [call]}, gives({"x": odd}, "c")]
        ((_, result),) = results(messages)[0]
        assert result == str({"x": odd})


def test_several_commands_of_a_shell_are_its_program() -> None:
    action = {"commands": ["cd src", "cat a.py"]}
    (turn,) = message_turns([{"type": "shell_call", "call_id": "c", "action": action}]).turns
    assert turn.program == "cd src\ncat a.py"
    assert [view.path for view in turn.views or ()] == ["src/a.py"]


def test_without_a_tool_that_reads_there_are_no_views() -> None:
    messages = [asks(("c", "search_web", "{}")), gives("x", "c")]
    assert [turn.views for turn in message_turns(messages).turns] == [None]
    assert message_turns(messages).leaks is None


def test_tools_that_read_and_showed_nothing_are_steps_that_saw_nothing() -> None:
    reads = asks(("c", "read_file", '{"path": "a.py"}'))
    messages = [reads, gives("Error: no such file", "c"), asks(("d", "f", "{}")), gives("x", "d")]
    assert [turn.views for turn in message_turns(messages).turns] == [(), None]
    shown = [*messages, reads, gives("x = 1", "c")]
    assert [turn.views for turn in message_turns(shown).turns] == [
        None,
        None,
        (View(path="a.py", extent=Extent.WHOLE),),
    ]


def test_calls_without_any_result_are_taken_at_their_word() -> None:
    reads = asks(("c", "read_file", '{"path": "a.py", "start_line": 2, "end_line": 3}'))
    (turn,) = message_turns([reads]).turns
    assert [(view.start, view.end) for view in turn.views or ()] == [(2, 3)]


def test_from_messages_takes_every_field_of_a_trajectory() -> None:
    attempt = trajmeter.from_messages(
        [{"role": "assistant", "content": "Done."}],
        task_id="t",
        model="m",
        final_patch="p",
        unusable={"usage": "cut"},
    )
    assert (attempt.task_id, attempt.model, attempt.final_patch) == ("t", "m", "p")
    assert (attempt.final_output, attempt.transcript) == ("Done.", "assistant: Done.")
    assert attempt.unusable == {"usage": "cut"}
    assert (attempt.usage, attempt.dropped_calls, attempt.turn_count) == (None, 0, None)
    replaced = trajmeter.from_messages([], task_id="t", final_output="x")
    assert (replaced.final_output, replaced.turns, replaced.transcript) == ("x", (), None)


def test_from_messages_refuses_what_the_messages_hold() -> None:
    with pytest.raises(InputError, match="turns cannot be given: the messages hold them"):
        trajmeter.from_messages([], task_id="t", turns=())
    with pytest.raises(ValueError, match="modell"):
        trajmeter.from_messages([], task_id="t", modell="m")


def test_records_equal_those_that_are_validated() -> None:
    messages = [
        asks(("c", "read_file", '{"path": "a.py"}'), text="I look."),
        gives("1\tx\n2\ty\n3\tz", "c"),
    ]
    attempt = trajmeter.from_messages(messages, task_id="t")
    assert type(attempt).model_validate(attempt.model_dump()) == attempt
    assert type(attempt).model_validate_json(attempt.model_dump_json()) == attempt


def test_views_may_be_supplied_by_the_caller() -> None:
    views = tool_views(
        {
            "open_doc": ToolView(path="doc", first="from", last="to"),
            "look": lambda call: [View(path=str(call.result))],
            "bash": lambda _: None,
        }
    )
    calls = asks(("a", "open_doc", '{"doc": "a.md", "from": 3, "to": 9}'), ("b", "look", "{}"))
    calls["tool_calls"] += asks(("c", "bash", '{"command": "cat b"}'))["tool_calls"]
    messages = [calls, gives("x\ny", "a"), gives("b.md", "b"), gives("x", "c")]
    (turn,) = message_turns(messages, views=views).turns
    assert [(view.path, view.start, view.end) for view in turn.views or ()] == [
        ("a.md", 3, 4),
        ("b.md", None, None),
    ]
    assert message_turns(messages, views=None).turns[0].views is None


@pytest.mark.parametrize("odd", [["x"], {"x": 1}, 1, True], ids=repr)
@pytest.mark.parametrize(
    "message_with",
    [
        lambda odd: {"role": odd, "content": "x"},
        lambda odd: {"role": odd, "type": "message", "content": "x"},
        lambda odd: {"role": "assistant", "content": [{"type": odd, "text": "x"}]},
        lambda odd: {"role": "tool", "tool_call_id": "a", "content": [{"type": odd}]},
        lambda odd: {"type": "function_call_output", "call_id": odd, "output": "x"},
        lambda odd: {"kind": "request", "parts": [odd]},
    ],
)
def test_kinds_of_any_type_lose_nothing_else(message_with: Any, odd: Any) -> None:
    messages = [asks(("a", "f", "{}")), message_with(odd), {"role": "assistant", "content": "End."}]
    assert message_turns(messages).final_output == "End."
