"""SWE-bench predictions: the patch of each instance, ``model_patch``, without its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers._recognition.prediction_keys import KEYS_OF_A_RUN
from trajmeter.readers.contextbench.predictions import read_prediction
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["SWE_BENCH_PREDICTIONS"]


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    return Evidence.LIKELY if KEYS_OF_A_RUN.isdisjoint(record) else None


SWE_BENCH_PREDICTIONS = RecordFormat(
    name="swe-bench-predictions",
    description="SWE-bench predictions",
    makes=Trajectory,
    carries=("model", "final_patch", "extra"),
    origin="SWE-bench, and the agents that write its predictions",
    keys=frozenset({"model_patch"}),
    recognises=_recognises,
    read=read_prediction,
)
