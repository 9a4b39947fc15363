"""Calls of many lists of messages as a batch, without a record of each.

Only messages as OpenAI's chat and TRL have them are taken; of others a record is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pydantic_core import to_json

from trajmeter.arrays import nulls
from trajmeter.records.openai_calls import parsed_arguments
from trajmeter.schemas import trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["PlainCalls", "call_batch", "plain_calls"]

_ANSWER = frozenset({"role", "content", "tool_calls", "name", "refusal", "reasoning_content"})
"""What an answer may hold beside calls; other keys may be calls in another shape."""
_CALL = frozenset({"id", "type", "function", "index"})
_OTHERS = frozenset({"tool", "user", "system", "developer"})
_NOT_SURE = ("INVALID_JSON", "NaN", "Infinity")
"""What arguments may hold that JSON has not, or that means something else."""


class PlainCalls(NamedTuple):
    """The calls of one list of messages."""

    names: list[str]
    """Name of each tool."""
    arguments: list[str | None]
    """Arguments of each call as JSON, ``None`` where it has none."""


def plain_calls(messages: object) -> PlainCalls | None:
    """The calls of a list of messages; ``None`` where they are not certain.

    Args:
        messages: Messages, or a text that is an answer without calls.
    """
    if type(messages) is str:
        return PlainCalls([], [])
    if type(messages) is not list:
        return None
    try:
        functions = [_function(call) for message in messages for call in _calls_in(message)]
        arguments = [_json(function.get("arguments")) for function in functions]
    except ValueError:  # also of text that is half a character, and of values without a form
        return None
    if any(part in text for text in arguments if text for part in _NOT_SURE):
        return None
    return PlainCalls([function["name"] for function in functions], arguments)


def _calls_in(message: object) -> Sequence[object]:
    """The calls of a message.

    Raises:
        ValueError: It may have calls, or be a turn, in another way.
    """
    if type(message) is dict:
        role = message.get("role")
        if role == "assistant":
            calls = message.get("tool_calls") or ()
            is_plain = _ANSWER.issuperset(message) and type(message.get("content")) is not list
            if is_plain and type(calls) in (list, tuple):
                return calls
        elif type(role) is str and role in _OTHERS and "type" not in message:
            return ()
    raise ValueError(message)


def _function(call: object) -> dict[str, Any]:
    """The name and the arguments of a call.

    Raises:
        ValueError: It has no name, or is written in another way.
    """
    if type(call) is dict and _CALL.issuperset(call):
        function = call.get("function")
        if type(function) is dict and type(name := function.get("name")) is str and name:
            return function
    raise ValueError(call)


def _json(arguments: object) -> str | None:
    if type(arguments) is str:
        arguments = parsed_arguments(arguments)
    if arguments is None:
        return None
    return to_json(arguments, inf_nan_mode="constants").decode()


def call_batch(attempts: Iterable[PlainCalls]) -> pa.RecordBatch:
    """Attempts of which nothing but the calls is known, as a batch of trajectories."""
    names: list[str] = []
    arguments: list[str | None] = []
    offsets = [0]
    for each in attempts:
        names += each.names
        arguments += each.arguments
        offsets.append(len(names))
    rows = len(offsets) - 1
    schema = trajectory_schema()
    calls: Any = schema.field("tool_calls").type
    known = {
        "name": pa.array(names, pa.string()),
        "arguments": pa.array(arguments, pa.string()),
    }
    fields = [calls.value_type.field(at) for at in range(calls.value_type.num_fields)]
    each_call = pa.StructArray.from_arrays(
        [known.get(field.name, nulls(len(names), field.type)) for field in fields], fields=fields
    )
    columns = {
        "task_id": pa.repeat(pa.scalar("", pa.string()), rows),
        "tool_calls": pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), each_call, type=calls
        ),
    }
    return pa.RecordBatch.from_arrays(
        [columns.get(field.name, nulls(rows, field.type)) for field in schema], schema=schema
    )
