"""Airspeed velocity result files, version 2: one agent's times in a benchmark suite.

The file name gives the agent: ``nop.json`` or ``baseline.json`` is the baseline, ``oracle.json``
the reference solution, and any other name is that of the agent or ``agent:model``. The files of a
task are in a folder named after the task; a folder of such folders can be read as a whole.

A benchmark that cannot be read counts as invalid and is listed among the run's problems; the others
are read.
"""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import content_name
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.records import (
    InvalidReason,
    Measurement,
    Measurements,
    RunLog,
    Trajectory,
)
from trajmeter.records.measurements import finite, split_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["ASV_RESULTS"]

_UNREADABLE = Measurement(reason=InvalidReason.NOT_A_NUMBER)

# A few short parameter lists can have more combinations than fit in memory. A benchmark that did
# not fail has a value for each combination, so this only limits lists without values.
_MOST_COMBINATIONS = 100_000

_ROLES = {"nop": "nop", "baseline": "nop", "oracle": "oracle"}


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    return Evidence.CERTAIN if "results" in record else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Read the times of one agent.

    Raises:
        ReadError: The columns or results do not have the form of version 2.
    """
    columns, results = record["result_columns"], record["results"]
    if not isinstance(columns, list) or not isinstance(results, dict):
        raise ReadError("expected a list of result_columns and an object of results")
    if "result" not in columns:
        raise ReadError("result_columns has no 'result'")
    seconds: dict[str, Measurement] = {}
    problems: list[str] = []
    for name, row in results.items():
        found, faults = _times(name, row, columns)
        repeated = [full for full, time in found if seconds.setdefault(full, time) is not time]
        if repeated:
            more = f" (and {len(repeated) - 1} more)" if len(repeated) > 1 else ""
            faults.append(f"{repeated[0]!r} is repeated; the first one counts{more}")
        problems += [f"{source.file}: results[{name!r}]: {fault}" for fault in faults]
    path = Path(source.file)
    stem = Path(content_name(path)).stem
    name, model = split_key(stem)
    return Trajectory(
        task_id=path.resolve().parent.name,
        agent=_ROLES.get(stem, name),
        model=model or None,
        source=source,
        measurements=Measurements(seconds=seconds),
        run_log=RunLog(problems=tuple(problems)) if problems else None,
    )


def _times(
    name: str, row: JsonValue, columns: Sequence[JsonValue]
) -> tuple[list[tuple[str, Measurement]], list[str]]:
    """The time of each parameter combination, and what could not be read."""
    names = [name]
    try:
        fields = _fields(row, columns)
        names = _names(name, fields)
        times = _values(fields, len(names))
    except ReadError as error:
        return [(full, _UNREADABLE) for full in names or [name]], [str(error)]
    samples = fields.get("samples")
    found = [
        (full, _measurement(_at(times, position), _at(samples, position)))
        for position, full in enumerate(names)
    ]
    return found, []


def _fields(row: JsonValue, columns: Sequence[JsonValue]) -> dict[str, Any]:
    """The values of a row by column; a row may be short."""
    if not isinstance(row, list):
        kind = json_input.type_name(row)
        raise ReadError(f"expected a list, one value for each column, got {kind}")
    if len(row) > len(columns):
        raise ReadError(f"{len(row)} values, expected at most {len(columns)}, one for each column")
    return dict(zip(map(str, columns), row, strict=False))


def _names(name: str, fields: Mapping[str, Any]) -> list[str]:
    """The benchmark name with each parameter combination; the last parameter varies fastest."""
    params = fields.get("params")
    if params is None or params == []:
        return [name]
    expected = "params: expected a list of lists, got"
    if not isinstance(params, list):
        raise ReadError(f"{expected} {json_input.type_name(params)}")
    for position, values in enumerate(params):
        if not isinstance(values, list):
            raise ReadError(f"{expected} {json_input.type_name(values)} at [{position}]")
    times = fields.get("result")
    most = max(_MOST_COMBINATIONS, len(times) if isinstance(times, list) else 0)
    if _are_more_than(most, params):
        raise ReadError(f"params: expected at most {most:,} combinations, got more")
    return [f"{name}({', '.join(map(str, values))})" for values in product(*params)]


def _are_more_than(most: int, params: Sequence[Sequence[object]]) -> bool:
    """Whether there are more than ``most`` combinations, without counting them all."""
    combinations = 1
    for values in sorted(params, key=len):  # an empty list first, as it leaves no combination
        combinations *= len(values)
        if combinations > most:
            return True
    return False


def _values(fields: Mapping[str, Any], expected: int) -> list[object] | None:
    """The values by combination, trailing ones may be absent; ``None`` if all failed."""
    times = fields.get("result")
    if times is None:
        return None
    if not isinstance(times, list):
        raise ReadError(f"result: expected a list or null, got {json_input.type_name(times)}")
    if len(times) > expected:
        raise ReadError(
            f"result: {len(times)} value{'s' * (len(times) > 1)}, expected at most {expected}, "
            "one for each combination of params"
        )
    return times


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


ASV_RESULTS = RecordFormat(
    name="asv-results",
    description="ASV results",
    makes=Trajectory,
    carries=("agent", "model", "measurements.seconds", "run_log.problems"),
    origin="airspeed velocity, result files of version 2",
    keys=frozenset({"result_columns"}),
    recognises=_recognises,
    read=_read,
)
