"""The calls in many lists of messages as a batch, without a record for each.

Only messages in the shape of OpenAI's chat API and TRL are read; others become records.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pydantic_core import to_json

from trajmeter.arrays import nulls
from trajmeter.records.openai_calls import parsed_arguments
from trajmeter.schemas import trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.arrays import Array

__all__ = ["PlainCalls", "call_batch", "plain_calls"]

_ANSWER = frozenset({"role", "content", "tool_calls", "name", "refusal", "reasoning_content"})
"""What an answer may contain besides calls; other keys may be calls in another shape."""
_CALL = frozenset({"id", "type", "function", "index"})
_OTHERS = frozenset({"tool", "user", "system", "developer"})
_NOT_SURE = ("INVALID_JSON", "NaN", "Infinity")
"""What arguments may contain that JSON lacks or interprets differently."""


class PlainCalls(NamedTuple):
    """The calls of one list of messages."""

    names: list[str]
    """Name of each tool."""
    arguments: list[str | None]
    """Arguments of each call as JSON, ``None`` if it has none."""
    turns: list[int]
    """Number of calls of each turn."""


def plain_calls(messages: object) -> PlainCalls | None:
    """The calls in a list of messages; ``None`` if they are uncertain.

    Args:
        messages: Messages, or a text that is an answer without calls.
    """
    if type(messages) is str:
        return PlainCalls([], [], [0])
    if type(messages) is not list:
        return None
    try:
        answers = [calls for calls in map(_calls_in, messages) if calls is not None]
        if messages and not answers:  # results alone are not an attempt
            return None
        functions = [_function(call) for calls in answers for call in calls]
        arguments = [_json(function.get("arguments")) for function in functions]
    except ValueError:  # also for half a character, and for values that JSON lacks
        return None
    texts = "".join(filter(None, arguments))
    if any(part in texts for part in _NOT_SURE):
        return None
    names = [function["name"] for function in functions]
    return PlainCalls(names, arguments, [*map(len, answers)])


def _calls_in(message: object) -> Sequence[object] | None:
    """The calls of an answer; ``None`` for other messages.

    Raises:
        ValueError: It may have calls, or be a turn, in another shape.
    """
    if type(message) is dict:
        role = message.get("role")
        if role == "assistant":
            calls = message.get("tool_calls") or ()
            is_plain = _ANSWER.issuperset(message) and type(message.get("content")) is not list
            if is_plain and type(calls) in (list, tuple):
                return calls
        elif type(role) is str and role in _OTHERS and "type" not in message:
            return None
    raise ValueError(message)


def _function(call: object) -> dict[str, Any]:
    """The name and the arguments of a call.

    Raises:
        ValueError: It has no name, or has another shape.
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
    """A trajectory batch of attempts with only the calls of each turn."""
    names: list[str] = []
    arguments: list[str | None] = []
    turns: list[int] = []
    sizes: list[int] = []
    for each in attempts:
        names += each.names
        arguments += each.arguments
        turns += each.turns
        sizes.append(len(each.turns))
    schema = trajectory_schema()
    lists: Any = schema.field("turns").type
    of_turn: Any = lists.value_type.field("tool_calls").type
    calls = {"name": pa.array(names, pa.string()), "arguments": pa.array(arguments, pa.string())}
    by_turn = _lists(turns, _structures(calls, of_turn.value_type, len(names)), of_turn)
    each_turn = _structures({"tool_calls": by_turn}, lists.value_type, len(turns))
    columns = {
        "task_id": pa.repeat(pa.scalar("", pa.string()), len(sizes)),
        "turns": _lists(sizes, each_turn, lists),
    }
    return pa.RecordBatch.from_arrays(
        [columns.get(field.name, nulls(len(sizes), field.type)) for field in schema], schema=schema
    )


def _structures(known: Mapping[str, Array], structure: Any, length: int) -> Array:  # noqa: ANN401 - its type is that of the schema
    """Structures with some of their members; the others are null."""
    fields = [structure.field(at) for at in range(structure.num_fields)]
    return pa.StructArray.from_arrays(
        [known.get(field.name, nulls(length, field.type)) for field in fields], fields=fields
    )


def _lists(sizes: Sequence[int], values: Array, of: Any) -> Array:  # noqa: ANN401 - as above
    return pa.ListArray.from_arrays(pa.array([0, *accumulate(sizes)], pa.int32()), values, type=of)
