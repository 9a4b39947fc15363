"""Items of OpenAI's Responses that openai 3.57 has beside messages and calls of functions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import read_trajectories
from trajmeter.readers.messages import message_turns

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = [{"type": "function", "name": "bash"}]
ASKED = {"role": "user", "content": "Fix it."}
CALL = {"type": "function_call", "call_id": "f", "name": "bash", "arguments": "{}"}
GIVEN = {"type": "function_call_output", "call_id": "f", "output": "a.py"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "."}]}
PROGRAM = {"type": "program", "id": "p", "call_id": "c", "code": "1;", "fingerprint": "x"}
PRINTED = {
    "type": "program_output",
    "id": "q",
    "call_id": "c",
    "result": "1",
    "status": "completed",
}
SEARCH = {"type": "tool_search_call", "id": "s", "arguments": {"query": "shell"}}
FOUND = {"type": "tool_search_output", "id": "t", "tools": TOOLS}


def _turns(items: list[dict[str, Any]]) -> list[list[tuple[str, Any, Any]]]:
    held = message_turns(items)
    assert (held.unusable, held.dropped_calls) == ({}, 0)
    return [
        [(call.name, call.arguments, call.result) for call in turn.tool_calls]
        for turn in held.turns
    ]


def test_a_program_is_a_call_with_what_it_returned() -> None:
    program = ("program", {"code": "1;"}, "1")
    assert _turns([ASKED, PROGRAM, PRINTED, SAID]) == [[program]]
    within = {**CALL, "caller": {"type": "program", "caller_id": "c"}}
    assert _turns([ASKED, PROGRAM, within, GIVEN, PRINTED, SAID]) == [
        [program, ("bash", {}, "a.py")],
        [],
    ]


def test_a_search_for_tools_is_a_call_with_what_it_found() -> None:
    search = ("tool_search", {"query": "shell"}, TOOLS)
    server = {"execution": "server", "call_id": None}
    assert _turns([ASKED, SEARCH | server, FOUND | server, CALL, GIVEN]) == [
        [search, ("bash", {}, "a.py")]
    ]
    client = {"execution": "client", "call_id": "d"}
    assert _turns([ASKED, SEARCH | client, FOUND | client, CALL, GIVEN]) == [
        [search],
        [("bash", {}, "a.py")],
    ]


@pytest.mark.parametrize(
    "item",
    [
        *(
            {"type": "additional_tools", "id": "a", "role": role, "tools": TOOLS}
            for role in ("developer", "assistant", "user", "tool")
        ),
        {"type": "configuration_update", "id": "u", "reasoning": {"effort": "low"}},
        {"type": "compaction_trigger"},
    ],
)
def test_changes_of_settings_are_no_part_of_an_answer(item: dict[str, Any]) -> None:
    assert _turns([ASKED, CALL, item, GIVEN]) == [[("bash", {}, "a.py")]]


def test_who_made_a_call_is_none_of_its_arguments() -> None:
    patch = {"type": "delete_file", "path": "a.py"}
    item = {"type": "apply_patch_call", "call_id": "c", "operation": patch, "created_by": "x"}
    caller = {"caller": {"type": "direct"}}
    assert _turns([ASKED, item | caller]) == [[("apply_patch", {"operation": patch}, None)]]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "compaction", "encrypted_content": "x"},
        {"type": "mcp_list_tools", "id": "m", "server_label": "git", "tools": []},
        PROGRAM,
        FOUND,
    ],
)
def test_a_list_may_begin_with_any_of_them(item: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps([item, item, CALL, GIVEN]))
    (attempt,) = read_trajectories(file)
    assert attempt.turns is not None
    assert attempt.turns[-1].tool_calls[-1].result == "a.py"
