"""Runs of mini-swe-agent 1, as recorded by ContextBench: one JSON object of messages.

Each assistant message, with the messages up to the next one, is a turn: its program is its only
bash block, its result is in the following messages, and its views are the file lines that the
result shows. The final context is the last one that the agent declares in ``<PATCH_CONTEXT>`` tags.
The agent's claims of what it is about to see are ignored; the profile ``contextbench`` relies on
them (:mod:`trajmeter.readers.mini_swe_agent.claims`).
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_mapping
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.mini_swe_agent.claims import (
    bash_blocks,
    between_tags,
    declared_views,
    read_claims,
)
from trajmeter.readers.mini_swe_agent.contextbench import repository_of
from trajmeter.readers.mini_swe_agent.observations import Folder, observed_text, steps_of
from trajmeter.readers.mini_swe_agent.run import (
    CARRIED,
    KEYS,
    Message,
    Run,
    run_fields,
    seconds_between,
    text_of,
    usage_of,
    validated,
)
from trajmeter.records import Failure, ToolCall, Trajectory, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["VERSION_1"]

_FORMAT_ERROR = "format_error"
_FORMAT_SIGN = "Please always provide EXACTLY ONE action"
"""Text anywhere in a message, unless a command printed it; takes precedence over the others."""
# How the harness's messages begin that the agent, not its command, failed, or that the user stopped
# it, by the names of version 2; the first match counts.
_ERRORS = (
    ("command_timeout", "The last command <command>"),
    ("missing_context", "ERROR: This action appears to print source code content"),
    ("context_format_error", "ERROR: The context format is incorrect"),
    ("step_timeout", "Step response timed out after"),
    ("retry_limit", "Repeated read-file actions without valid EXPLORE_CONTEXT"),
    ("UserRejection", "Command not executed. "),
    ("UserInterruption", "Interrupted by user: "),
)


_STATISTICS = frozenset({"api_calls", "instance_cost"})
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
"""Characters with a special meaning in a regular expression."""


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    """Whether it states its format, or is an early run: before about 1.5, files did not."""
    if "trajectory_format" in record:
        is_declared = record["trajectory_format"] == "mini-swe-agent-1"
        return Evidence.DECLARED if is_declared else None
    statistics = as_mapping(as_mapping(record.get("info")).get("model_stats"))
    is_early = isinstance(record.get("messages"), list) and statistics.keys() >= _STATISTICS
    return Evidence.CERTAIN if is_early else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a run to a trajectory.

    Raises:
        pydantic.ValidationError: There is no list of messages.
    """
    run, unusable = validated(record)
    messages = run["messages"]
    folder = Folder(run)
    starts = [n for n, message in enumerate(messages) if message.get("role") == "assistant"]
    turns: list[Turn] = []
    leaks = []
    for number, (start, end) in enumerate(pairwise([*starts, len(messages)]), start=1):
        before = messages[start - 1] if start else {}
        after = messages[start + 1 : end]
        turn = _turn(run, before, messages[start], after)
        observed = next(filter(None, (observed_text(text_of(each)) for each in after)), None)
        views = None
        if turn["program"] is not None and observed is not None:
            views, found = folder.seen(turn["program"], observed)
            leaks += [leak.model_copy(update={"turn": number}) for leak in found]
        turns.append(Turn.model_validate({"number": number, **turn, "views": views or None}))
    return Trajectory.model_validate(
        {
            **run_fields(run, source, unusable),
            "turns": steps_of(run, turns),
            "final_views": declared_views(messages, repository_of(run)),
            "leaks": leaks,
        }
    )


def _turn(run: Run, before: Message, message: Message, after: list[Message]) -> dict[str, Any]:
    programs = _programs(run, text_of(message))
    results = [text_of(other) for other in after]
    text, observed = next(
        ((text, found) for text in results if (found := observed_text(text)) is not None),
        (None, None),
    )
    code = None if observed is None else observed.code
    error = _error(results)
    succeeded = None if code is None else code == 0
    fault: Failure | None = None
    if error is not None:
        succeeded, fault = False, Failure(reason=error)
    elif succeeded is False:
        fault = Failure(reason="exit_code", message=f"exit code {code}")
    program = programs[0] if len(programs) == 1 else None
    call = ToolCall(
        name="bash",
        arguments={"command": program},
        result=None if observed is None else observed.output,
        success=succeeded,
        error=(text or next(iter(results), None)) if succeeded is False else None,
    )
    return {
        "program": program,
        "text": text_of(message),
        "success": succeeded,
        "error": fault,
        "tool_calls": () if program is None else (call,),
        "usage": usage_of(message),
        "duration_seconds": seconds_between(before, (after or [message])[-1]),
    }


def _error(results: list[str]) -> str | None:
    """The error that the harness reports in one of the messages after an answer."""
    if any(_FORMAT_SIGN in text and observed_text(text) is None for text in results):
        return _FORMAT_ERROR
    found = (reason for reason, sign in _ERRORS if any(text.startswith(sign) for text in results))
    return next(found, None)


def _programs(run: Run, text: str) -> list[str]:
    """The commands in an answer: in bash blocks, or in the configured tags.

    The configuration contains a regular expression, which is not executed because it comes from a
    file. An empty tag would match everywhere.
    """
    config = (run.get("info") or {}).get("config") or {}
    pattern = (config.get("agent") or {}).get("action_regex") or ""
    opening, group, closing = pattern.partition("(.*?)")
    if not (group and opening and closing) or _SPECIAL.search(opening + closing):
        return [*bash_blocks(text)]
    return [command.strip() for command in between_tags(text, opening, closing)]


VERSION_1 = RecordFormat(
    name="mini-swe-agent-1",
    description="runs of mini-swe-agent 1",
    makes=Trajectory,
    carries=(*CARRIED, "final_views"),
    origin="mini-swe-agent 1, as ContextBench runs it",
    keys=KEYS | {"info"},
    recognises=_recognises,
    read=_read,
    profile_reads={"contextbench": partial(read_claims, turn_of=_turn)},
)
