"""Runs of mini-swe-agent 1, as ContextBench records them: one JSON object of messages.

Each assistant message, with the messages up to the next one, is a turn: its program is its only
bash block, its result is in the messages that follow.

Views follow ContextBench's own rules, so that the files score as the predictions made from them do.
In ContextBench's runs the agent claims, in ``<explore_context>`` tags, what it is about to see, and
the harness repeats the claim; each block of claims with a range, in a message of any role, is a
step. Commands count only without such a block (:mod:`trajmeter.readers.mini_swe_agent.views`).
A turn with several blocks is followed by turns that hold only the views of one block each and used
nothing, so that usage can be added up. Claims are not checked against what was printed. The final
context is the last ``<PATCH_CONTEXT>`` block, and is empty if that block has no range.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trajmeter.readers._formats import Evidence, RecordFormat
from trajmeter.readers.contextbench.views import NewView, Span, views_of
from trajmeter.readers.mini_swe_agent.run import (
    Message,
    run_fields,
    seconds_between,
    text_of,
    usage_of,
    validated,
)
from trajmeter.readers.mini_swe_agent.views import (
    path_in_repository,
    repository_of,
    views_shown,
)
from trajmeter.records import Failure, ToolCall, Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["VERSION_1"]

_CLAIM = re.compile(r"<explore_context>(.*?)</explore_context>", re.DOTALL)
_FINAL = re.compile(r"<PATCH_CONTEXT>(.*?)</PATCH_CONTEXT>", re.DOTALL)
_ASKS_FOR_CLAIMS = re.compile(r"<(?:EXPLORE|PATCH)_CONTEXT>")
_LINES = re.compile(r"\s*(\d{1,18})\s*-\s*(\d{1,18})")
_BASH = re.compile(r"```bash\s*\n(.*?)\n?```", re.DOTALL)
_RETURN_CODE = re.compile(r"<returncode>(-?\d{1,18})</returncode>")

_NONE = Usage(input_tokens=0, output_tokens=0, total_tokens=0, cost_usd=0.0)

# How the harness says that the agent, not its command, failed; the first match counts.
_ERRORS = (
    ("format_error", re.compile("Please always provide EXACTLY ONE action")),
    ("command_timeout", re.compile(r"\AThe last command <command>")),
    ("missing_context", re.compile(r"\AERROR: This action appears to print source code content")),
    ("context_format_error", re.compile(r"\AERROR: The context format is incorrect")),
    ("step_timeout", re.compile(r"\AStep response timed out after")),
    ("retry_limit", re.compile(r"\ARepeated read-file actions without valid EXPLORE_CONTEXT")),
)


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    return Evidence.DECLARED if record.get("trajectory_format") == "mini-swe-agent-1" else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Turn a run into a trajectory.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    run = validated(record)
    messages = run["messages"]
    repository = repository_of(run)
    blocks = [
        [_claims(block, repository) for block in _CLAIM.findall(text_of(message))]
        for message in messages
    ]
    has_claims = any(claims for found in blocks for claims in found)
    turns: list[dict[str, Any]] = []
    last = len(messages)
    starts = [n for n, message in enumerate(messages) if message.get("role") == "assistant"]
    turns += _steps(blocks[: starts[0] if starts else last])
    for number, (start, end) in enumerate(pairwise([*starts, last]), start=1):
        before = messages[start - 1] if start else {}
        turn = _turn(before, messages[start], messages[start + 1 : end])
        steps = _steps(blocks[start:end]) if has_claims else _seen(messages[start], repository)
        others = steps[1:] if turn["usage"] is None else [{**s, "usage": _NONE} for s in steps[1:]]
        turns += [{"number": number, **turn, **(steps[0] if steps else {})}, *others]
    return Trajectory.model_validate(
        {
            **run_fields(run, source),
            "turns": turns,
            "final_views": _final_views(messages, repository),
        }
    )


def _turn(before: Message, message: Message, after: list[Message]) -> dict[str, Any]:
    programs = _BASH.findall(text_of(message))
    results = [text_of(other) for other in after]
    code = next(filter(None, map(_RETURN_CODE.search, results)), None)
    error = next((reason for reason, sign in _ERRORS if any(map(sign.search, results))), None)
    succeeded = None if code is None else int(code[1]) == 0
    fault: Failure | None = None
    if error is not None:
        succeeded, fault = False, Failure(reason=error)
    elif succeeded is False and code is not None:
        fault = Failure(reason="exit_code", message=f"exit code {code[1]}")
    program = programs[0] if len(programs) == 1 else None
    call = ToolCall(name="bash", arguments={"command": program}, success=succeeded)
    return {
        "program": program,
        "success": succeeded,
        "error": fault,
        "tool_calls": () if program is None else (call,),
        "usage": usage_of(message.get("extra")),
        "duration_seconds": seconds_between(before, (after or [message])[-1]),
    }


def _steps(blocks: Iterable[Iterable[dict[str, list[Span]]]]) -> list[dict[str, list[NewView]]]:
    """A step, as the views of a turn, for each block with a range."""
    return [{"views": views_of(claims, claims)} for found in blocks for claims in found if claims]


def _seen(message: Message, repository: str | None) -> list[dict[str, list[NewView]]]:
    """The step of a message without claims: what its first bash block shows."""
    views = views_shown(_BASH.findall(text_of(message))[:1], repository)
    return [] if views is None else [{"views": views}]


def _claims(block: str, repository: str | None) -> dict[str, list[Span]]:
    """The files of a block that have a range; reversed ranges are put in order."""
    spans: dict[str, list[Span]] = {}
    path: str | None = None
    for line in block.splitlines():
        key, _, value = line.strip().partition(":")
        if key == "File":
            path = path_in_repository(value, repository)
        elif key == "Lines" and path is not None and (lines := _LINES.match(value)):
            first, last = sorted((int(lines[1]), int(lines[2])))
            spans.setdefault(path, []).append({"start": first, "end": last})
    return spans


def _final_views(messages: list[Message], repository: str | None) -> list[NewView] | None:
    """The declared context; ``None`` if the run was not asked to declare one."""
    texts = [text_of(message) for message in messages]
    declared = [block for text in texts for block in _FINAL.findall(text)]
    if not declared:
        return [] if any(map(_ASKS_FOR_CLAIMS.search, texts)) else None
    claims = _claims(declared[-1], repository)
    return views_of(claims, claims)


VERSION_1 = RecordFormat(
    name="mini-swe-agent-1",
    description="runs of mini-swe-agent 1",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "turns.program",
        "turns.number",
        "turns.success",
        "turns.error",
        "turns.tool_calls.name",
        "turns.tool_calls.arguments",
        "turns.tool_calls.success",
        "turns.views",
        "turns.usage",
        "turns.duration_seconds",
        "final_views",
        "final_patch",
        "usage.cost_usd",
        "duration_seconds",
        "failure",
        "extra",
    ),
    origin="mini-swe-agent 1, as ContextBench runs it",
    keys=frozenset({"trajectory_format"}),
    recognises=_recognises,
    read=_read,
)
