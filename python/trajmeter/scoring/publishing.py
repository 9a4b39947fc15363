"""The manifest of a complete run, and its rows read back in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import ArrowException
from pyarrow.parquet import ParquetFile

from trajmeter.arrays import concatenated_batches
from trajmeter.errors import ReadError
from trajmeter.remote import arrow_source
from trajmeter.scoring.open_files import allow_open_files
from trajmeter.scoring.run_key import PARTS_FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.run_folder import RunFolder
    from trajmeter.scoring.work import OpenedWork

__all__ = ["manifest_of", "read_rows"]

_ROWS = 10_000


def manifest_of(
    folder: RunFolder, plan: Plan, settings: Mapping[str, Any], columns: Sequence[str]
) -> dict[str, Any]:
    """The manifest of a run with all its parts."""
    units = []
    for unit, state in zip(plan.units, folder.states(plan.units), strict=True):
        part = folder.part(unit.number)
        units.append(
            {
                "unit": unit.number,
                "input": unit.place,
                "part": f"rows/{part.name}",
                "rows": state["rows"],
                "bytes": part.stat().st_size,
                "sha256": state["sha256"],
                "problems": state["problem_count"],
            }
        )
    return {
        "format": PARTS_FORMAT,
        "run_key": folder.key,
        "settings": dict(settings),
        "columns": list(columns),
        "rows": sum(unit["rows"] for unit in units),
        "units": units,
    }


def read_rows(
    folder: RunFolder, units: Sequence[Unit], opened: OpenedWork[Any]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of units in input order, in their form before writing.

    Raises:
        ReadError: A part cannot be read.
    """
    if units and units[0].shares is not None:
        yield from _in_input_order(folder, units, opened)
        return
    for unit in units:
        yield from _part_rows(folder, unit, opened, _ROWS)


def _part_rows(
    folder: RunFolder, unit: Unit, opened: OpenedWork[Any], rows: int
) -> Iterator[pa.RecordBatch]:
    file = folder.part(unit.number)
    try:
        with arrow_source(file) as source, ParquetFile(source) as content:
            for batch in content.iter_batches(rows):
                yield opened.from_part(batch)
    except (ArrowException, OSError) as error:
        raise ReadError(f"{file}: {error}") from error


def _in_input_order(
    folder: RunFolder, units: Sequence[Unit], opened: OpenedWork[Any]
) -> Iterator[pa.RecordBatch]:
    """Rows of task shares ordered by number, a few thousand at a time."""
    allow_open_files(len(units))
    at_once = max(_ROWS // len(units), 1)
    numbers = [state["numbers"] for state in folder.states(tuple(units))]
    parts = [_Rows(_part_rows(folder, unit, opened, at_once)) for unit in units]
    done = [0] * len(units)
    for stop in range(_ROWS, sum(map(len, numbers)) + _ROWS, _ROWS):
        batches: list[pa.RecordBatch] = []
        places = []
        for at, own in enumerate(numbers):
            end = int(np.searchsorted(own, stop))
            batches += parts[at].take(end - done[at])
            places.append(own[done[at] : end])
            done[at] = end
        order = np.argsort(np.concatenate(places))
        yield concatenated_batches(batches).take(pa.array(order, pa.int64()))


class _Rows:
    """A reader of batches that returns any number of rows."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._rest: pa.RecordBatch | None = None

    def take(self, count: int) -> Iterator[pa.RecordBatch]:
        """The next rows."""
        while count:
            batch = self._rest if self._rest is not None else next(self._batches)
            taken = batch.slice(0, count)
            self._rest = batch.slice(len(taken)) if len(taken) < len(batch) else None
            count -= len(taken)
            yield taken
