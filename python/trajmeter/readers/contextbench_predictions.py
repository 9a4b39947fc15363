"""Predictions as ContextBench keeps them: what an agent looked at, step by step, and its patch.

Each record becomes a trajectory of one turn a step. The views of a step, and of the declared final
context, stand in this order:

1. a view of ``unknown`` extent for each of its ``files``, in order;
2. a view of ``lines`` for each span of its ``spans``, file by file, in order;
3. a view of ``unknown`` extent that holds names, for each file of its ``symbols`` with any.

A view of the second or third kind whose path is not among the ``files`` is not ``listed``. The
lines are kept as recorded: nothing promises that they are positive, in order, or within the file.
``model_name_or_path``, which the predictions of SWE-bench carry, is the model.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, TypeAdapter, with_config
from typing_extensions import NotRequired, TypedDict

from trajmeter.errors import ReadError
from trajmeter.records import Extent, Trajectory, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["CONTENT", "read", "sniff"]

CONTENT = "ContextBench predictions"

_Line: TypeAlias = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]


class _Span(TypedDict):
    start: _Line
    end: _Line


_Files: TypeAlias = list[str] | None
_Spans: TypeAlias = dict[str, list[_Span] | None] | None
_Symbols: TypeAlias = dict[str, list[str] | None] | None


@with_config({"extra": "allow"})
class _Step(TypedDict):
    files: NotRequired[_Files]
    spans: NotRequired[_Spans]
    symbols: NotRequired[_Symbols]


@with_config({"extra": "allow"})
class _TrajectoryData(TypedDict):
    pred_steps: NotRequired[list[_Step] | None]
    pred_files: NotRequired[_Files]
    pred_spans: NotRequired[_Spans]
    pred_symbols: NotRequired[_Symbols]


@with_config({"extra": "allow"})
class _Prediction(TypedDict):
    instance_id: NotRequired[str | None]
    original_inst_id: NotRequired[str | None]
    traj_data: NotRequired[_TrajectoryData | None]
    model_patch: NotRequired[str | None]
    model_name_or_path: NotRequired[str | None]


_View: TypeAlias = "View | dict[str, Any]"

_PREDICTION = TypeAdapter(_Prediction)
_PREDICTION_KEYS = frozenset(_Prediction.__annotations__)
_DATA_KEYS = frozenset(_TrajectoryData.__annotations__)
_STEP_KEYS = frozenset(_Step.__annotations__)


def sniff(record: Mapping[str, JsonValue]) -> bool:
    """Whether the record is a prediction."""
    return "traj_data" in record or "model_patch" in record


def read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Turn a prediction into a trajectory.

    Most records name neither agent nor model; their source tells attempts apart. A final context
    of which no part is recorded is ``None``, and so are steps; an empty list of steps is ``()``.

    Raises:
        ReadError: It has no id.
        pydantic.ValidationError: A value has the wrong type.
    """
    prediction = _PREDICTION.validate_python(record)
    task_id = prediction.get("instance_id") or prediction.get("original_inst_id")
    if not task_id:
        raise ReadError("no id: expected instance_id or original_inst_id")
    data = prediction.get("traj_data") or {}
    steps = data.get("pred_steps")
    extra = _others(prediction, _PREDICTION_KEYS)
    if others := _others(data, _DATA_KEYS):
        extra["traj_data"] = others
    if (original := prediction.get("original_inst_id")) not in (None, task_id):
        extra["original_inst_id"] = original
    # One validation of everything takes two thirds of the time that one for each view takes.
    return Trajectory.model_validate(
        {
            "task_id": task_id,
            "model": prediction.get("model_name_or_path"),
            "source": source,
            "turns": None if steps is None else [_turn(step) for step in steps],
            "final_views": _final_views(data),
            "final_patch": prediction.get("model_patch"),
            "extra": extra,
        }
    )


def _turn(step: _Step) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "views": _views(step.get("files"), step.get("spans"), step.get("symbols"))
    }
    if others := _others(step, _STEP_KEYS):
        turn["extra"] = others
    return turn


def _final_views(data: _TrajectoryData) -> list[_View] | None:
    files, spans, symbols = data.get("pred_files"), data.get("pred_spans"), data.get("pred_symbols")
    if files is None and spans is None and symbols is None:
        return None
    return _views(files, spans, symbols)


def _views(files: _Files, spans: _Spans, symbols: _Symbols) -> list[_View]:
    listed = frozenset(files or ())
    views: list[_View] = [_named(path) for path in files or ()]
    for path, found in (spans or {}).items():
        is_listed = path in listed
        views += [
            {
                "path": path,
                "extent": Extent.LINES,
                "start": span["start"],
                "end": span["end"],
                "listed": is_listed,
            }
            for span in found or ()
        ]
    for path, names in (symbols or {}).items():
        if names:
            views.append({"path": path, "symbols": names, "listed": path in listed})
    return views


# Agents name the same files again and again, and a view does not change.
@lru_cache(maxsize=4096)
def _named(path: str) -> View:
    return View(path=path)


def _others(record: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {key: record[key] for key in record if key not in known}
