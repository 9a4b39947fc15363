"""Sorts large inputs of compared attempts by task into files that fit in memory.

A fixed hash of its task determines the file of each attempt, which is stored with its overall
number. The files belong to one process, or to the shard that it scores, and are removed after
scoring. Files left by a killed process are reused if complete, as recorded in its notes, which are
written last.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from trajmeter.arrays import concatenated_batches
from trajmeter.arrays.text import coded
from trajmeter.errors import ReadError
from trajmeter.remote import is_remote
from trajmeter.schemas import trajectory_schema
from trajmeter.scoring.runs.open_files import allow_open_files
from trajmeter.scoring.runs.plan import Unit
from trajmeter.scoring.runs.states import read_state, write_state
from trajmeter.writers.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trajmeter.kernels import Int64Array
    from trajmeter.scoring.runs.folder import RunFolder
    from trajmeter.scoring.runs.plan import Plan
    from trajmeter.scoring.runs.work import UnitWork

__all__ = ["SpilledAttempts", "remove_abandoned_spills", "spilled"]

_SPILL, _SHARD = "spill-", re.compile(r"\d+-of-\d+")
_NOTES = "notes.parquet"
_NOTED = ("problem_count", "problems", "folders", "mtimes", "read_as_records")
_HELD_BYTES = 64 << 20
"""Bytes of attempts to buffer before writing, so that batches are not tiny."""


class SpilledAttempts:
    """The attempts of one file, in the order of the input.

    Args:
        file: The file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._numbers: list[Int64Array] = []

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the attempts.

        Raises:
            ReadError: The file cannot be read.
        """
        try:
            with self._file.open("rb") as content, ipc.open_stream(content) as batches:
                for batch in batches:
                    *columns, numbers = batch.columns
                    self._numbers.append(numbers.to_numpy())
                    yield pa.RecordBatch.from_arrays(columns, schema=trajectory_schema())
        except (OSError, pa.ArrowException) as error:
            raise ReadError(f"{self._file}: {error}") from error

    @property
    def numbers(self) -> Int64Array:
        """Numbers of the yielded attempts, among all attempts of the run."""
        return np.concatenate([np.empty(0, np.int64), *self._numbers])


@contextmanager
def spilled(
    plan: Plan,
    units: Sequence[Unit],
    folder: RunFolder,
    shard: tuple[int, int],
    reader: Callable[[Unit], UnitWork],
) -> Iterator[Plan]:
    """Sort the attempts of some units by task, unless that has been done.

    Args:
        plan: The plan, whose units are task shares.
        units: The unfinished units.
        folder: The folder of the run; not used if remote.
        shard: The shard to score.
        reader: Reads pieces of input like a unit.

    Yields:
        The plan with the location of the files, which are removed at the end unless an error
        occurs.

    Raises:
        ConfigurationError: A file cannot be written, or an input changed.
    """
    number, count = shard
    with ExitStack() as stack:
        if is_remote(folder.folder):
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trajmeter-")))
        else:
            place = folder.folder / f"{_SPILL}{number}-of-{count}"
        about = {"run_key": folder.units.run_key, "identities": plan.to_json()["identities"]}
        wanted = {unit.number for unit in units}
        if not units:
            shutil.rmtree(place, ignore_errors=True)
            yield plan
            return
        notes = _notes(place)
        if notes is None or notes["about"] != about or not wanted <= {*notes["units"]}:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            work = reader(Unit(0, plan.pieces))
            _write(work, place, wanted, len(plan.units))
            state = work.state()
            notes = {name: state[name] for name in _NOTED}
            notes |= {"about": about, "units": sorted(wanted)}
            with replacing(place / _NOTES) as stream:
                write_state(notes, stream)
        yield replace(plan, spill=place, notes={name: notes[name] for name in _NOTED})
        shutil.rmtree(place, ignore_errors=True)


def remove_abandoned_spills(folder: RunFolder) -> None:
    """Remove the files that killed processes sorted for other shards, or for another run.

    Args:
        folder: The folder of a run, which needs them no longer.
    """
    if is_remote(folder.folder):  # never has any
        return
    for place in folder.folder.glob(f"{_SPILL}*"):
        shard = place.name.removeprefix(_SPILL)
        if _SHARD.fullmatch(shard) and not folder.is_in_use(shard):
            shutil.rmtree(place, ignore_errors=True)


def _notes(place: Path) -> dict[str, Any] | None:
    try:
        return read_state(place / _NOTES)
    except ReadError:
        return None


def _write(work: UnitWork, place: Path, wanted: set[int], count: int) -> None:
    """Write the attempts of each wanted unit, among ``count`` units, to a file."""
    schema = trajectory_schema().append(pa.field("number", pa.int64()))
    allow_open_files(2 * len(wanted))  # a file and the copy of it that keeps its lock
    with ExitStack() as stack:
        files = {
            number: stack.enter_context(_opened(place / f"{number:06}.arrow", schema))
            for number in sorted(wanted)
        }
        held: dict[int, list[pa.RecordBatch]] = {number: [] for number in wanted}
        size = 0
        for batch in _numbered(work.attempts(), schema):
            for number, part in _divided(batch, work, count):
                if number in held:
                    held[number].append(part)
            size += batch.nbytes
            if size >= _HELD_BYTES:
                _flush(files, held)
                size = 0
        _flush(files, held)


@contextmanager
def _opened(file: Path, schema: pa.Schema) -> Iterator[ipc.RecordBatchStreamWriter]:
    stream: Any  # pyarrow's stubs know no binary file
    options = ipc.IpcWriteOptions(compression="zstd")
    with replacing(file) as stream, ipc.new_stream(stream, schema, options=options) as writer:
        yield writer


def _numbered(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Append the overall number of each attempt as a column."""
    begin = 0
    for batch in batches:
        end = begin + len(batch)
        numbers = pa.array(np.arange(begin, end), pa.int64())
        yield pa.RecordBatch.from_arrays([*batch.columns, numbers], schema=schema)
        begin = end


def _divided(
    batch: pa.RecordBatch, work: UnitWork, count: int
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each unit, by its number."""
    ids = coded(batch.column("task_id"))
    hashes = [
        crc32(work.trial_of(text).encode("utf-8", "surrogatepass")) % count for text in ids.texts
    ]
    owners = np.array(hashes, np.int64)[ids.codes]
    order = np.argsort(owners, kind="stable")
    rows = batch.take(pa.array(order, pa.int64()))
    starts = np.flatnonzero(np.diff(owners[order], prepend=-1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=True):
        yield int(owners[order[start]]), rows.slice(start, stop - start)


def _flush(
    files: dict[int, ipc.RecordBatchStreamWriter], held: dict[int, list[pa.RecordBatch]]
) -> None:
    for number, parts in held.items():
        if parts:
            files[number].write_batch(concatenated_batches(parts))
            parts.clear()
