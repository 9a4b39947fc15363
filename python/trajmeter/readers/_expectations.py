"""Finds the calls that a task expects, and keys of the task that look misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._logs.values import as_mapping
from trajmeter.records.openai_calls import plain_call
from trajmeter.spelling import Misspelt, displaced, misspelt, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pydantic import JsonValue

__all__ = ["EXPECTED_CALLS", "MESSAGES", "expected_calls", "suspicious_keys"]

EXPECTED_CALLS = "expected_tool_calls"
"""Key of the reference calls, in the task or its metadata."""

MESSAGES = ("user_message", "prompt")
"""Keys of the message to the agent, which only test cases have."""

_IN_METADATA = frozenset(
    {
        "completion_markers",
        "error_markers",
        "expected_tools",
        "forbidden_tools",
        "max_cost_usd",
        "max_credits",
        "max_latency_ms",
        "max_tokens",
        "tool_policies",
    }
)
"""Metadata keys that configure a metric, besides the reference calls."""

_OF_AN_ASSERTION = frozenset({"name", "type", "check", "tool"})
_TYPES = frozenset(
    {
        "llm_judge",
        "output_contains",
        "tool_called",
        "transcript_contains",
        "transcript_not_contains",
    }
)
"""Assertion types: those that a rule checks, and the one for a judge."""


def expected_calls(record: Mapping[str, JsonValue]) -> JsonValue:
    """The reference calls of a task, or else of its metadata; null if absent.

    The keys of OpenAI-style calls are converted; anything but a list is left for the model to
    reject.
    """
    listed = record.get(EXPECTED_CALLS)
    if listed is None:
        listed = as_mapping(record.get("metadata")).get(EXPECTED_CALLS)
    return [plain_call(call) for call in listed] if isinstance(listed, list) else listed


def suspicious_keys(record: Mapping[str, JsonValue], known: Collection[str]) -> Iterator[str]:
    """Describe keys of a task without effect that resemble valid ones, and such types.

    Args:
        record: The task as stored in the file.
        known: Task keys that are read.
    """
    top = {*known, EXPECTED_CALLS, *MESSAGES}
    has_message = any(key in record for key in (*MESSAGES, "question"))
    for key, meant in misspelt(record, top | _IN_METADATA, ""):
        if meant in _IN_METADATA:
            yield str(Misspelt(key, f"metadata.{meant}"))
        elif not (has_message and meant in MESSAGES):
            yield str(Misspelt(key, meant))
    yield from map(str, displaced(record, _IN_METADATA - top, "", "metadata."))
    metadata = as_mapping(record.get("metadata"))
    yield from map(str, misspelt(metadata, _IN_METADATA | {EXPECTED_CALLS}, "metadata."))
    assertions = record.get("assertions")
    for index, entry in enumerate(assertions if isinstance(assertions, list) else ()):
        assertion = as_mapping(entry)
        yield from map(str, misspelt(assertion, _OF_AN_ASSERTION, f"assertions[{index}]."))
        kind = assertion.get("type")
        if isinstance(kind, str) and kind not in _TYPES:
            close = nearest(kind, _TYPES)
            hint = f"; did you mean {close!r}?" if close else ""
            yield f"assertions[{index}].type is {kind!r}, which only a judge can check{hint}"
