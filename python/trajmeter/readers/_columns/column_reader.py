"""Sets up the Rust column reader and describes records to it."""

from __future__ import annotations

import json
import types
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import JsonValue

from trajmeter.readers._recognition.prediction_keys import KEYS_OF_A_RUN, PREDICTION_KEYS
from trajmeter.readers._recognition.registry import record_keys
from trajmeter.records import Record, Trajectory
from trajmeter.shapes import Shape, trajectory_shape

if TYPE_CHECKING:
    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._recognition.formats import Format

__all__ = [
    "column_reader",
    "has_column",
    "lists_reader",
    "messages_reader",
    "trajectory_description",
]

_KEYS = frozenset({"model_patch", "traj_data", "backend"}) | KEYS_OF_A_RUN
"""Keys of predictions, keys that predictions must lack, and a key of results."""
_IN_RUST = {
    "trajectory-records": "own",
    "contextbench-predictions": "predictions",
    "swe-bench-predictions": "predictions",
    "message-records": "messages",
    "openhands-rows": "instances",
    "swe-agent-rows": "fenced",
}
"""Formats whose lines the column reader reads, and its names for them."""
_MAY_SHARE = {
    "messages": (
        frozenset({"messages", "model_patch", "task_id"}),
        frozenset({*_IN_RUST, "autogen-results"}),
    ),
    "instances": (
        frozenset({"messages", "model_patch", "test_result", "trajectory"}),
        frozenset({*_IN_RUST, "autogen-results", "openhands", "openhands-sdk", "swe-agent"}),
    ),
    "fenced": (frozenset({"trajectory"}), frozenset({*_IN_RUST, "swe-agent"})),
}
"""Keys of these lines that other formats may have too, as the reader knows them, and the formats
that it can tell apart."""


def column_reader(
    columns: frozenset[str], chosen: Format[Trajectory] | None = None, *, is_mapped: bool = False
) -> JsonReader | None:
    """Make the reader that fills these trajectory columns.

    Args:
        columns: Names of the columns.
        chosen: Format of all lines, instead of detecting it.
        is_mapped: Whether the keys of lines are mapped, which only the record reader supports.

    Returns:
        The reader; ``None`` if it cannot read lines of that format.
    """
    if is_mapped:
        return None
    if chosen is not None:
        return _reader(columns, (_IN_RUST[chosen.name],)) if chosen.name in _IN_RUST else None
    known = record_keys(Trajectory)
    foreign = frozenset[str]().union(
        *(keys for name, keys in known.items() if name not in _IN_RUST)
    )
    # Only keys that a format does not read are checked. If a format, such as a plug-in's, shares a
    # key with Trajmeter's own, any line may be in that format.
    kept = {"own": Trajectory.model_fields, "predictions": PREDICTION_KEYS}
    formats = tuple(name for name, keys in kept.items() if foreign.isdisjoint(keys))
    formats += tuple(
        made
        for made, (shared, others) in _MAY_SHARE.items()
        if all(name in others or shared.isdisjoint(keys) for name, keys in known.items())
    )
    return _reader(columns, formats, foreign | _KEYS)


def messages_reader(columns: frozenset[str]) -> JsonReader:
    """The reader of lines with messages, regardless of other settings."""
    return _reader(columns, ("messages",))


def lists_reader(columns: frozenset[str]) -> JsonReader:
    """The reader of lists of messages."""
    return _reader(columns, ("lists",))


@cache
def _reader(
    columns: frozenset[str], formats: tuple[str, ...], foreign: frozenset[str] = frozenset()
) -> JsonReader:
    from trajmeter.kernels._rust import JsonReader

    return JsonReader(trajectory_description(), sorted(columns), formats, sorted(foreign))


def has_column(path: str) -> bool:
    """Whether trajectories have a column of this name; nested names use dots."""
    shape: Shape | None = trajectory_shape()
    for name in path.split("."):
        while shape is not None and shape.kind == "list":
            shape = shape.item
        shape = next((m.shape for m in shape.members if m.name == name), None) if shape else None
    return shape is not None


def trajectory_description() -> str:
    """Describe the trajectory columns to the Rust reader, as JSON."""
    return json.dumps(_described(trajectory_shape()))


def _described(shape: Shape) -> dict[str, Any]:
    """Convert a shape to the form that the Rust reader takes."""
    described: dict[str, Any] = {"kind": shape.kind}
    if shape.choices:
        described["choices"] = sorted(shape.choices)
    if shape.is_object:
        described["is_object"] = True
    if shape.item is not None:
        described["item"] = _described(shape.item)
    model = shape.model
    if model is None or not issubclass(model, Record):
        return described
    fields = model.model_fields
    described["members"] = [
        {
            "name": member.name,
            "shape": _described(member.shape),
            "required": member.required,
            "nullable": _allows_null(fields[member.name].annotation),
            "default": member.default,
        }
        for member in shape.members
    ]
    checks = model.__pydantic_decorators__
    if checks.model_validators or checks.field_validators:
        described["kind"] = "checked"
    return described


def _allows_null(annotation: object) -> bool:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return annotation is JsonValue or (is_union and types.NoneType in get_args(annotation))
