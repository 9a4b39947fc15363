"""ContextBench predictions: what an agent viewed, step by step, and its patch.

Each record becomes a trajectory with one turn per step. The views of a step, and of the final
context, are ordered as in :mod:`trajmeter.readers.contextbench.views`. Lines are kept as recorded:
they may be negative, out of order, or beyond the end of the file. ``model_name_or_path``, which
SWE-bench predictions carry, is the model.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, with_config
from typing_extensions import NotRequired, TypedDict

from trajmeter.errors import ReadError
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers._recognition.prediction_keys import PREDICTION_KEYS
from trajmeter.readers.contextbench.views import Files, NewView, Spans, Symbols, views_of
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["PREDICTIONS", "read_prediction"]


@with_config({"extra": "allow"})
class _Step(TypedDict):
    files: NotRequired[Files]
    spans: NotRequired[Spans]
    symbols: NotRequired[Symbols]


@with_config({"extra": "allow"})
class _TrajectoryData(TypedDict):
    pred_steps: NotRequired[list[_Step] | None]
    pred_files: NotRequired[Files]
    pred_spans: NotRequired[Spans]
    pred_symbols: NotRequired[Symbols]


@with_config({"extra": "allow"})
class _Prediction(TypedDict):
    instance_id: NotRequired[str | None]
    original_inst_id: NotRequired[str | None]
    traj_data: NotRequired[_TrajectoryData | None]
    model_patch: NotRequired[str | None]
    model_name_or_path: NotRequired[str | None]


@cache
def _predictions() -> TypeAdapter[_Prediction]:
    return TypeAdapter(_Prediction)


_DATA_KEYS = frozenset(_TrajectoryData.__annotations__)
_STEP_KEYS = frozenset(_Step.__annotations__)


def read_prediction(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a prediction to a trajectory.

    Most records name neither agent nor model; the source distinguishes attempts. Steps and a final
    context that are not recorded are ``None``; an empty list of steps is ``()``.

    Raises:
        ReadError: It has no id.
        pydantic.ValidationError: A value has the wrong type.
    """
    prediction = _predictions().validate_python(record)
    task_id = prediction.get("instance_id") or prediction.get("original_inst_id")
    if not task_id:
        raise ReadError("no id: expected instance_id or original_inst_id")
    data = prediction.get("traj_data") or {}
    steps = data.get("pred_steps")
    extra = _others(prediction, PREDICTION_KEYS)
    if others := _others(data, _DATA_KEYS):
        extra["traj_data"] = others
    if (original := prediction.get("original_inst_id")) not in (None, task_id):
        extra["original_inst_id"] = original
    # Validating everything at once takes two thirds of the time of validating each view.
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
        "views": views_of(step.get("files"), step.get("spans"), step.get("symbols"))
    }
    if others := _others(step, _STEP_KEYS):
        turn["extra"] = others
    return turn


def _final_views(data: _TrajectoryData) -> list[NewView] | None:
    files, spans, symbols = data.get("pred_files"), data.get("pred_spans"), data.get("pred_symbols")
    if files is None and spans is None and symbols is None:
        return None
    return views_of(files, spans, symbols)


def _others(record: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {key: record[key] for key in record if key not in known}


PREDICTIONS = RecordFormat(
    name="contextbench-predictions",
    description="ContextBench predictions",
    makes=Trajectory,
    carries=("model", "turns.views", "turns.extra", "final_views", "final_patch", "extra"),
    origin="ContextBench's converters",
    keys=frozenset({"traj_data"}),
    recognises=lambda _: Evidence.CERTAIN,
    read=read_prediction,
)
