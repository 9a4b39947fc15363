"""The reader of columns in Rust, and what it is told of records."""

from __future__ import annotations

import json
import types
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import JsonValue

from trajmeter.readers._recognition.registry import record_keys
from trajmeter.readers.contextbench.predictions import PREDICTION_KEYS
from trajmeter.readers.swe_bench import KEYS_OF_A_RUN
from trajmeter.records import Record, Trajectory
from trajmeter.schemas import Shape, trajectory_shape

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

_KEYS = frozenset({"model_patch", "traj_data"}) | KEYS_OF_A_RUN
"""Keys of predictions, and those that predictions lack."""
_IN_RUST = {
    "trajectory-records": "own",
    "contextbench-predictions": "predictions",
    "swe-bench-predictions": "predictions",
    "message-records": "messages",
}
"""Formats of the lines that are read here, and how the reader calls them."""
_BESIDE_MESSAGES = frozenset({*_IN_RUST, "autogen-results", "openhands-rows"})
"""Formats whose lines the reader tells from those with messages where they share these keys."""
_SHARED = frozenset({"messages", "model_patch", "task_id"})


def column_reader(
    columns: frozenset[str], chosen: Format[Trajectory] | None = None, *, is_mapped: bool = False
) -> JsonReader | None:
    """The reader that fills these columns of trajectories.

    Args:
        columns: Names of the columns.
        chosen: The format of all lines, whatever they look like.
        is_mapped: Whether the keys of lines have other names, which only records take.

    Returns:
        The reader; ``None`` if it reads no lines of that format.
    """
    if is_mapped:
        return None
    if chosen is not None:
        return _reader(columns, (_IN_RUST[chosen.name],)) if chosen.name in _IN_RUST else None
    known = record_keys(Trajectory)
    foreign = frozenset[str]().union(
        *(keys for name, keys in known.items() if name not in _IN_RUST)
    )
    # Only keys that a format does not read are looked at: of a format that shares one with ours,
    # as that of a plug-in may, any line may be.
    kept = {"own": Trajectory.model_fields, "predictions": PREDICTION_KEYS}
    formats = tuple(name for name, keys in kept.items() if foreign.isdisjoint(keys))
    if all(name in _BESIDE_MESSAGES or _SHARED.isdisjoint(keys) for name, keys in known.items()):
        formats += ("messages",)
    return _reader(columns, formats, foreign | _KEYS)


def messages_reader(columns: frozenset[str]) -> JsonReader:
    """The reader of lines with messages, whatever else is known."""
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
    """Whether trajectories have a column of this name, those within records behind a dot."""
    shape: Shape | None = trajectory_shape()
    for name in path.split("."):
        while shape is not None and shape.kind == "list":
            shape = shape.item
        shape = next((m.shape for m in shape.members if m.name == name), None) if shape else None
    return shape is not None


def trajectory_description() -> str:
    """Describe the columns of trajectories to the reader in Rust, as JSON."""
    return json.dumps(_described(trajectory_shape()))


def _described(shape: Shape) -> dict[str, Any]:
    """A shape as the reader in Rust takes it."""
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
