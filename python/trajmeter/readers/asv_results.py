"""Result files of airspeed velocity, version 2: one agent's times of a suite of benchmarks.

Which agent a file is of, its name tells: ``nop.json`` or ``baseline.json`` is the baseline,
``oracle.json`` the reference solution, any other the agent, or ``agent:model``, of that name. The
files of a task lie in a folder of the task's name; a folder of such folders can be read as a whole.
"""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.records import InvalidReason, Measurement, Measurements, Trajectory
from trajmeter.records.agent_keys import split_key
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["BASELINE_FILES", "CONTENT", "read", "sniff"]

CONTENT = "ASV results"

BASELINE_FILES = ("nop.json", "baseline.json")
"""Files of the baseline, which tell a folder of results from others."""

_ROLES = {"nop": "nop", "baseline": "nop", "oracle": "oracle"}


def sniff(record: Mapping[str, JsonValue]) -> bool:
    """Whether the record is a result file of ASV."""
    return "result_columns" in record and "results" in record


def read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Read one agent's times.

    Raises:
        ReadError: The columns or the results are not what version 2 has.
    """
    columns, results = record["result_columns"], record["results"]
    if not isinstance(columns, list) or not isinstance(results, dict):
        raise ReadError("expected a list of result_columns and an object of results")
    seconds: dict[str, Measurement] = {}
    for name, row in results.items():
        if not isinstance(row, list):
            raise ReadError(f"results[{name!r}]: expected a list, one value for each column")
        fields = dict(zip(map(str, columns), row, strict=False))
        seconds.update(_times(name, fields))
    path = Path(source.file)
    name, model = split_key(path.stem)
    return Trajectory(
        task_id=path.resolve().parent.name,
        agent=_ROLES.get(path.stem, name),
        model=model or None,
        source=source,
        measurements=Measurements(seconds=seconds),
    )


def _times(name: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, Measurement]]:
    """Each combination of parameters with its time; the last parameter turns fastest."""
    params = fields.get("params") or []
    if not isinstance(params, list) or not all(isinstance(values, list) for values in params):
        raise ReadError(f"results[{name!r}]: params are no list of lists")
    times, samples = fields.get("result"), fields.get("samples")
    for position, combination in enumerate(product(*params)):
        full = f"{name}({', '.join(map(str, combination))})" if params else name
        yield full, _measurement(_at(times, position), _at(samples, position))


def _at(values: object, position: int) -> object:
    return values[position] if isinstance(values, list) and position < len(values) else None


def _measurement(time: object, samples: object) -> Measurement:
    if time is None:
        numbers = map(finite, samples if isinstance(samples, list) else ())
        taken = [number for number in numbers if number is not None]
        if not taken:
            return Measurement(reason=InvalidReason.FAILED)
        time = median(taken)
    elif isinstance(time, float) and math.isnan(time):
        return Measurement(reason=InvalidReason.SKIPPED)
    return Measurement.model_validate(time)
