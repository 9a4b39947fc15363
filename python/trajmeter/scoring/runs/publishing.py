"""The results of a complete run: one file with its rows in order, or summary and manifest."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from pyarrow import ArrowException
from pyarrow.parquet import ParquetFile

from trajmeter.arrays import concatenated_batches
from trajmeter.errors import ReadError
from trajmeter.remote import arrow_source
from trajmeter.scoring.runs.key import PARTS_FORMAT
from trajmeter.scoring.runs.open_files import allow_open_files
from trajmeter.scoring.runs.spill import remove_abandoned_spills

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from trajmeter.scoring.runs.folder import RunFolder
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.preparing import PreparedRun
    from trajmeter.scoring.runs.request import RunRequest
    from trajmeter.scoring.runs.unit_files import UnitFiles
    from trajmeter.scoring.runs.work import BatchWriter, OpenedWork
    from trajmeter.writers import OutputWatch

__all__ = ["complete_folder", "publish"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")

_ROWS = 10_000


def publish(
    request: RunRequest[SummaryT],
    prepared: PreparedRun[SummaryT],
    summary: SummaryT,
    watch: OutputWatch | None,
) -> None:
    """Write the results of a complete run.

    Args:
        request: The arguments of the run.
        prepared: The run.
        summary: Totals of its rows.
        watch: Notices other writers of the output.

    Raises:
        ReadError: A part cannot be read.
    """
    output, listener = request.output, request.listener
    folder, opened = prepared.folder, prepared.opened
    with ExitStack() as stack:
        tables: list[BatchWriter] = []
        if listener.tables is not None:
            tables += stack.enter_context(listener.tables())
        if output is not None and not request.is_folder:
            tables.append(stack.enter_context(opened.open_output(output, listener.about)))
        if tables:
            for batch in _read_rows(folder.units, prepared.plan.units, opened):
                for table in tables:
                    table.write_batch(batch)
        message = watch and watch.message()
        if message:
            listener.on_message(message)
    if request.is_folder:
        complete_folder(folder, prepared.plan, prepared.settings, opened, summary)
    elif output is not None:
        # Some file systems keep the lock while it is open.
        shutil.rmtree(folder.folder, ignore_errors=True)


def complete_folder(
    folder: RunFolder,
    plan: Plan,
    settings: Mapping[str, Any],
    opened: OpenedWork[SummaryT],
    summary: SummaryT,
) -> None:
    """Write the summary and the manifest of a folder with all its parts."""
    folder.write_summary(summary)
    folder.write_manifest(_manifest(folder.units, plan, settings, opened.columns))
    folder.remove_abandoned()
    remove_abandoned_spills(folder)


def _manifest(
    files: UnitFiles, plan: Plan, settings: Mapping[str, Any], columns: Sequence[str]
) -> dict[str, Any]:
    units = []
    for unit, state in zip(plan.units, files.states(plan.units), strict=True):
        part = files.part(unit.number)
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
        "run_key": files.run_key,
        "settings": dict(settings),
        "columns": list(columns),
        "rows": sum(unit["rows"] for unit in units),
        "units": units,
    }


def _read_rows(
    files: UnitFiles, units: Sequence[Unit], opened: OpenedWork[Any]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of units in input order, in their form before writing.

    Raises:
        ReadError: A part cannot be read.
    """
    if units and units[0].shares is not None:
        yield from _in_input_order(files, units, opened)
        return
    for unit in units:
        yield from _part_rows(files, unit, opened, _ROWS)


def _part_rows(
    files: UnitFiles, unit: Unit, opened: OpenedWork[Any], rows: int
) -> Iterator[pa.RecordBatch]:
    file = files.part(unit.number)
    try:
        with arrow_source(file) as source, ParquetFile(source) as content:
            for batch in content.iter_batches(rows):
                yield opened.from_part(batch)
    except (ArrowException, OSError) as error:
        raise ReadError(f"{file}: {error}") from error


def _in_input_order(
    files: UnitFiles, units: Sequence[Unit], opened: OpenedWork[Any]
) -> Iterator[pa.RecordBatch]:
    """Rows of task shares ordered by number, a few thousand at a time."""
    allow_open_files(len(units))
    at_once = max(_ROWS // len(units), 1)
    numbers = [state["numbers"] for state in files.states(units)]
    parts = [_Rows(_part_rows(files, unit, opened, at_once)) for unit in units]
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
