"""Transform Gym execution results: one attempt at a test case.

A figure of the wrong type is skipped and the rest is kept; the rule that needs the figure reports
why it cannot be scored.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import content_name
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.records import (
    LARGEST_COUNT,
    Source,
    ToolCall,
    Trajectory,
    Usage,
    Verdict,
)
from trajmeter.records.openai_calls import is_openai_call, plain_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["RULE_EXECUTIONS"]

_IDS = ("test_case_id", "test_id", "case_id", "task_id", "id")
_TELLING = ("output", "duration_ms", "token_usage")
_TEXTS = {"transcript": "transcript", "output": "final_output"}
_IDENTITY = ("agent", "model", "attempt")
_KNOWN = {*_IDS, *_TELLING, *_TEXTS, *_IDENTITY, "tool_calls", "turn_count", "verdicts"}
_COUNTS = ("input_tokens", "output_tokens", "total_tokens")
_AMOUNTS = ("cost_usd", "credits")


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    return Evidence.LIKELY if "transcript" in record else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Read the result of one execution; null means absent.

    Raises:
        ReadError: Neither the record nor its file name names the test case, or the verdicts are not
            a list.
        pydantic.ValidationError: A name has the wrong type.
    """
    unusable: dict[str, str] = {}
    fields: dict[str, Any] = {name: record[name] for name in _IDENTITY if name in record}
    attempt = _whole(record, "attempt", "attempt", {})
    if attempt is not None:
        fields["attempt"] = str(attempt)
    for key, name in _TEXTS.items():
        value = record.get(key)
        if isinstance(value, str):
            fields[name] = value
        elif value is not None:
            unusable[name] = f"{key} is {value!r}, expected text"
    milliseconds = _number(record, "duration_ms", "duration_seconds", unusable)
    calls, dropped = _calls(record.get("tool_calls"), unusable)
    return Trajectory(
        task_id=_task_id(record, source),
        source=source,
        tool_calls=calls,
        dropped_calls=dropped,
        duration_seconds=None if milliseconds is None else milliseconds / 1000,
        turn_count=_whole(record, "turn_count", "turn_count", unusable),
        usage=_usage(record.get("token_usage"), unusable),
        verdicts=_verdicts(record.get("verdicts")),
        unusable=unusable,
        extra={key: value for key, value in record.items() if key not in _KNOWN},
        **fields,
    )


def _task_id(record: Mapping[str, JsonValue], source: Source) -> str:
    for key in _IDS:
        value = record.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
    if source.line is None and source.record is None:
        return Path(content_name(Path(source.file))).stem
    raise ReadError(f"no test case: expected one of the keys {', '.join(_IDS)}")


def _number(
    record: Mapping[str, JsonValue], key: str, field: str, unusable: dict[str, str], at: str = ""
) -> int | float | None:
    value = record.get(key)
    if value is None or isinstance(value, float) or _is_count(value):
        return value
    unusable[field] = f"{at}{key} is {value!r}, expected a number"
    return None


def _whole(
    record: Mapping[str, JsonValue], key: str, field: str, unusable: dict[str, str], at: str = ""
) -> int | None:
    value = record.get(key)
    if value is None or _is_count(value):
        return value
    if isinstance(value, float) and abs(value) <= LARGEST_COUNT and value.is_integer():
        return int(value)
    unusable[field] = f"{at}{key} is {value!r}, expected a whole number"
    return None


def _is_count(value: JsonValue) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_COUNT


def _usage(given: JsonValue, unusable: dict[str, str]) -> Usage | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        reason = f"token_usage is {given!r}, expected an object"
        unusable |= {f"usage.{name}": reason for name in (*_COUNTS, *_AMOUNTS)}
        return None
    at = "token_usage."
    figures: dict[str, Any] = {
        **{name: _whole(given, name, f"usage.{name}", unusable, at) for name in _COUNTS},
        **{name: _number(given, name, f"usage.{name}", unusable, at) for name in _AMOUNTS},
    }
    return Usage(**figures)


def _calls(listed: JsonValue, unusable: dict[str, str]) -> tuple[tuple[ToolCall, ...] | None, int]:
    """The named calls, and the number of unnamed ones; no calls if one cannot be read."""
    if listed is None:
        return None, 0
    if not isinstance(listed, list):
        unusable["tool_calls"] = f"tool_calls is {json_input.type_name(listed)}, expected a list"
        return None, 0
    calls = []
    for index, given in enumerate(listed):
        if not isinstance(given, dict):
            got = json_input.type_name(given)
            unusable["tool_calls"] = f"tool_calls[{index}] is {got}, expected an object"
            return None, 0
        place = f"tool_calls[{index}]{'.function' if is_openai_call(given) else ''}.name"
        entry = cast("dict[str, JsonValue]", plain_call(given))
        name = entry.get("name")
        if name is not None and not isinstance(name, str):
            unusable["tool_calls"] = f"{place} is {name!r}, expected text"
            return None, 0
        if name and name.strip():
            calls.append(_call(name, entry))
    return tuple(calls), len(listed) - len(calls)


def _call(name: str, entry: Mapping[str, JsonValue]) -> ToolCall:
    success, error, turn = entry.get("success"), entry.get("error"), entry.get("turn")
    return ToolCall(
        name=name,
        arguments=entry.get("arguments", entry.get("args")),
        success=success if isinstance(success, bool) else None,
        error=error if isinstance(error, str) else None,
        turn=turn if _is_count(turn) else None,
    )


def _verdicts(listed: JsonValue) -> tuple[Verdict, ...] | None:
    if listed is None:
        return None
    if not isinstance(listed, list):
        raise ReadError(f"verdicts is {json_input.type_name(listed)}, expected a list")
    return tuple([Verdict.model_validate(entry) for entry in listed])


RULE_EXECUTIONS = RecordFormat(
    name="rule-executions",
    description="execution results",
    makes=Trajectory,
    carries=(
        *_IDENTITY,
        "transcript",
        "final_output",
        *(f"tool_calls.{name}" for name in ("name", "arguments", "success", "error", "turn")),
        "dropped_calls",
        "turn_count",
        "duration_seconds",
        *(f"usage.{name}" for name in (*_COUNTS, *_AMOUNTS)),
        "verdicts",
        "unusable",
        "extra",
    ),
    origin="Transform Gym",
    keys=frozenset(_TELLING),
    recognises=_recognises,
    read=_read,
)
