"""Real logs of coding agents, against what is known of the runs that they are about.

What a format does not carry is named here, by file; everything else has to be there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read_one, turns_of
from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.readers._logs.outputs import script_of
from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers.atif import TRAJECTORIES as ATIF
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.records import ToolCall, Turn, Usage

FOLDERS = ("claude-code", "codex", "harbor", "atif-converted", "aider")
USED = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cached_input_tokens",
    "cache_write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
}
ROOTS = ("/workspace/gauge/", "/testbed/")
REMINDER = "</system-reminder>"

Run = tuple[str, dict[str, Any], "Trajectory"]


@pytest.fixture(scope="module")
def runs(reference_data: Path) -> list[Run]:
    """Every log with what is expected of it and what was read."""
    found = []
    for folder in FOLDERS:
        logs = reference_data / "logs" / folder
        for line in (logs / "expected.jsonl").read_text(encoding="utf-8").splitlines():
            expected = json.loads(line)
            name = f"{folder}/{expected['file']}"
            found.append((name, expected, read_one(logs / expected["file"])))
    return found


def is_stream(name: str) -> bool:
    """Streams tell the usage of the whole run alone."""
    return name.startswith(("claude-code/stream", "codex/exec"))


def of_swe_agent(name: str) -> bool:
    """Conversions that lost tokens, the names of tools, and calls of replies with several."""
    return name.startswith("atif-converted/swe")


def lost_reply(name: str, number: int) -> bool:
    """The conversion from mini-swe-agent loses a reply with malformed arguments."""
    return name == "atif-converted/mini-a.trajectory.json" and number == 3


def pairs(runs: list[Run]) -> Iterator[tuple[str, dict[str, Any], Turn]]:
    """Each turn that the log has, with what is expected of it."""
    for name, expected, attempt in runs:
        kept = [t for n, t in enumerate(expected["turns"]) if not lost_reply(name, n)]
        if name == "codex/exec-b.jsonl":
            continue  # without a message between them, two replies are one turn
        turns = turns_of(attempt)
        assert len(turns) == len(kept), name
        yield from ((name, one, other) for one, other in zip(kept, turns, strict=True))


def check_usage(name: str, expected: dict[str, Any], usage: Usage | None) -> None:
    assert usage is not None, name
    for theirs, ours in USED.items():
        value = getattr(usage, ours)
        if value is None:
            continue
        assert value == expected[theirs], (name, ours)
    assert usage.input_tokens is not None, name
    assert usage.output_tokens is not None, name


def test_every_log_is_read_as_the_run_that_it_is_of(runs: list[Run]) -> None:
    assert len(runs) == 20
    for name, expected, attempt in runs:
        if attempt.model is not None:
            assert attempt.model.rpartition("/")[2] == expected["model"], name
        else:
            assert name.startswith(("codex/exec", "atif-converted/swe")), name
        if name.startswith("harbor/"):
            assert attempt.task_id == expected["task_id"]
            assert attempt.passed is (expected["rewards"]["reward"] == 1.0)
            assert attempt.metadata["rewards"] == expected["rewards"]


def test_how_runs_ended(runs: list[Run]) -> None:
    for name, expected, attempt in runs:
        if expected["failure"] is None:
            assert attempt.failure is None, name
            continue
        has_failed = attempt.failure is not None or attempt.passed is False
        assert has_failed is expected["failure"], name
        if expected.get("budget_exhausted"):
            assert attempt.failure is not None
            assert attempt.failure.reason in BUDGET_REASONS, name
        if name.startswith("claude-code/stream"):
            assert attempt.metadata["exit_status"] == expected["exit_status"]


def test_usage_of_runs(runs: list[Run]) -> None:
    for name, expected, attempt in runs:
        # A thread that failed has no usage; aider has no totals of a chat.
        if of_swe_agent(name) or name == "codex/exec-b.jsonl" or name.startswith("aider/"):
            assert attempt.usage is None, name
        else:
            check_usage(name, expected["usage"], attempt.usage)


def test_usage_of_turns(runs: list[Run]) -> None:
    for name, expected, turn in pairs(runs):
        if is_stream(name) or of_swe_agent(name):
            assert turn.usage is None, name
        else:
            check_usage(name, expected["tokens"], turn.usage)


def test_what_was_said(runs: list[Run]) -> None:
    for name, expected, turn in pairs(runs):
        if name.startswith("harbor/"):  # terminus-2 keeps two fields of its replies
            said = turn.text or ""
            assert said.startswith(("Analysis: ", '{"analysis"')), name
            continue
        text = (expected["text"] or "").strip("\n")
        if name == "atif-converted/swe-b.trajectory.json" and turn.number == 10:
            assert turn.text == "Exit due to cost limit"  # SWE-agent's words for the last reply
            continue
        assert (turn.text or "") == text, name


def command_of(arguments: Any) -> Any:
    """What a call ran or asked for, however the log calls its arguments."""
    if not isinstance(arguments, dict):
        return arguments
    for key in ("command", "cmd", "keystrokes", "input"):
        if key in arguments:
            return script_of(arguments[key])
    return {key: value for key, value in arguments.items() if key != "description"}


def calls_of(
    name: str, expected: dict[str, Any], turn: Turn
) -> Iterator[tuple[dict[str, Any], ToolCall]]:
    """Each call that the log has, with what is expected of it."""
    wanted = expected["calls"]
    calls = [call for call in turn.tool_calls if call.name != "mark_task_complete"]
    if of_swe_agent(name) and len(calls) < len(wanted):
        return
    if name == "codex/exec-a.jsonl":  # what was malformed did not become an item
        wanted = [call for call in wanted if "raw_arguments" not in call]
        wanted.sort(key=lambda call: repr(command_of(call.get("arguments"))))
        calls.sort(key=lambda call: repr(command_of(call.arguments)))
    assert len(calls) == len(wanted), name
    yield from zip(wanted, calls, strict=True)


def check_call(name: str, wanted: dict[str, Any], call: ToolCall) -> None:
    if name.startswith("codex/exec"):
        assert call.name in ("command_execution", "file_change")
    else:
        assert call.name == wanted["name"], name
        assert call.id == wanted.get("id", call.id), name
    if call.name != "file_change":  # which names the files alone
        given = wanted.get("arguments")
        if given is None:
            given = wanted.get("raw_arguments", wanted.get("input"))
        asked = command_of(call.arguments)
        if isinstance(asked, dict):
            asked.pop("replace_all", None)  # Claude Code adds it
        assert asked == command_of(given), name
    if wanted["success"] is not None:
        assert call.success is wanted["success"], (name, call)


def test_calls_of_turns(runs: list[Run]) -> None:
    for name, expected, turn in pairs(runs):
        for wanted, call in calls_of(name, expected, turn):
            if of_swe_agent(name):
                assert call.success is None  # only text tells
            else:
                check_call(name, wanted, call)


def test_how_results_end(runs: list[Run]) -> None:
    for name, expected, turn in pairs(runs):
        for wanted, call in calls_of(name, expected, turn):
            ends = wanted.get("error_ends")
            if ends is None or ends.endswith(REMINDER) or of_swe_agent(name):
                continue  # reminders are not kept in the results of logs
            if name.startswith("codex/exec"):  # without the header of what was sent back
                ends = ends.splitlines()[-1]
            assert str(call.result or call.error).strip().endswith(ends), (name, call.name)


def ranges(expected: dict[str, Any]) -> list[tuple[str, int | None, int | None]]:
    """What was shown; the lines of ``tail -n`` are known only with the length of the file."""
    found = []
    for view in expected["views"]:
        command = command_of(expected["calls"][view["call"]]["arguments"])
        is_tail = isinstance(command, str) and command.startswith("tail -n 6")
        lines = (None, None) if is_tail else (view["start"], view["end"])
        found.append((view["path"], *lines))
    return found


def test_what_was_seen(runs: list[Run]) -> None:
    for name, expected, turn in pairs(runs):
        hits = {(hit["path"], hit["line"]) for hit in expected.get("search_hits", ())}
        seen = []
        for view in turn.views or ():
            path = view.path
            for root in ROOTS:
                path = path.removeprefix(root)
            if not view.searched:
                seen.append((path, view.start, view.end))
            else:
                assert (path, view.start) in hits, name
        wanted = ranges(expected)
        if name == "codex/exec-a.jsonl":  # in the order in which the commands ended
            seen, wanted = sorted(seen, key=repr), sorted(wanted, key=repr)
        assert seen == wanted, (name, turn.number)


def test_a_stream_whose_replies_are_not_apart(runs: list[Run]) -> None:
    """Without a message between them, two replies of a stream of Codex are one turn."""
    expected, attempt = next(
        (expected, attempt) for name, expected, attempt in runs if name == "codex/exec-b.jsonl"
    )
    turns, wanted = turns_of(attempt), expected["turns"]
    assert len(turns) == len(wanted) - 1
    assert [(view.path, view.start, view.end) for turn in turns for view in turn.views or ()] == [
        lines for turn in wanted for lines in ranges(turn)
    ]
    calls = [call for turn in turns for call in turn.tool_calls]
    assert [(command_of(call.arguments), call.success) for call in calls] == [
        (command_of(call["arguments"]), call["success"])
        for turn in wanted
        for call in turn["calls"]
    ]


def held(value: Any, place: str = "") -> set[str]:
    """Dotted names of the fields that a record fills."""
    if isinstance(value, (list, tuple)):
        return {name for each in value for name in held(each, place)}
    is_free = place in (
        "turns.extra",
        "metadata",
        "extra",
        "unusable",
        "turns.tool_calls.arguments",
    )
    if isinstance(value, dict) and not is_free:
        return {n for key, each in value.items() for n in held(each, f"{place}.{key}".lstrip("."))}
    return set() if value in (None, {}, (), "", 0, False) else {place}


def test_formats_carry_what_their_records_hold(runs: list[Run], reference_data: Path) -> None:
    choice = Choice(Trajectory)
    for name, _, attempt in runs:
        path = reference_data / "logs" / name
        known = choice.folder_format(path) if path.is_dir() else choice.file_format(path)
        carried = (known or ATIF).carries
        fields = held(attempt.model_dump(exclude={"task_id", "source"}))
        missing = {f for f in fields if not any(f == c or f.startswith(f"{c}.") for c in carried)}
        assert missing == set(), name
