"""Converts trajectories of any format, unit by unit, to parts with Trajectory columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from trajmeter.kernels import backend
from trajmeter.metrics.rows import package_version
from trajmeter.remote import adopt_options, known_options
from trajmeter.schemas import trajectory_schema
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.key import input_settings
from trajmeter.scoring.runs.unit import UnitRows
from trajmeter.writers.arrow import stored_schema
from trajmeter.writers.trajectories import TrajectoryParquet, open_trajectories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.work import BatchWriter

__all__ = ["TRAJECTORIES", "Conversion", "Converted"]

TRAJECTORIES = "trajectories"
"""What a run of this work produces."""


class Converted(BaseModel):
    """What was converted."""

    model_config = ConfigDict(frozen=True)

    trajectories: int
    """How many there are."""
    formats: dict[str, int]
    """Number of trajectories of each format."""


@dataclass(frozen=True)
class Conversion:
    """Converts trajectories to Trajmeter's columns; see :mod:`trajmeter.scoring.runs.work`."""

    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """How inputs are read."""
    shared_files: tuple[object, ...] = ()
    """Nothing else is read."""
    needs_one_worker: str | None = None
    """Any number of workers can share it."""
    remote: Mapping[str, Any] = field(default_factory=known_options, repr=False, compare=False)
    """Options of the file systems of URIs, for other processes; may contain secrets."""

    def about(self, folders: Sequence[Path]) -> dict[str, Any]:
        """What a summary of finished units needs, as JSON."""
        return {"folders": list(map(str, folders))}

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedConversion:  # noqa: ARG002 - nothing is read
        """Prepare for conversion."""
        adopt_options(self.remote)
        return OpenedConversion(self.reading)


@dataclass(frozen=True)
class OpenedConversion:
    """A conversion that is ready to process units."""

    reading: ReadingOptions
    """How inputs are read."""
    trial_of: None = None
    """Units are independent of each other."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the rows."""
        return tuple(trajectory_schema().names)

    def settings(self, plan: Plan) -> dict[str, Any]:
        """Everything that the rows depend on, in readable form."""
        return {
            "results": TRAJECTORIES,
            **input_settings(self.reading, plan),
            "trajmeter": package_version(),
            "backend": backend(),
        }

    def unit_work(
        self, unit: Unit, plan: Plan, on_problem: Callable[[ReadProblem], None] | None
    ) -> _UnitConverter:
        """The converter of a unit."""
        return _UnitConverter(unit, self.reading, plan, on_problem)

    def part_schema(self) -> pa.Schema:
        """Schema of the parts."""
        return stored_schema(trajectory_schema())

    def open_part(self, stream: BinaryIO) -> TrajectoryParquet:
        """Open the writer of a part."""
        return TrajectoryParquet(stream)

    def from_part(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Restore the rows of a part to their form before writing."""
        from trajmeter.conforming.casting import conform

        return conform(batch)

    def open_output(
        self,
        file: Path,
        about: Callable[[], Mapping[str, str]] | None,  # noqa: ARG002 - the file does not depend on it
    ) -> AbstractContextManager[BatchWriter]:
        """Open the single file into which parts are merged."""
        return open_trajectories(file)

    def totals(self) -> _Counts:
        """Create an accumulator of unit states."""
        return _Counts()


class _UnitConverter(UnitRows):
    """Passes through the trajectories of a unit."""

    def _rows_of(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return iter(batches)

    def _totals(self) -> dict[str, Any]:
        return {"formats": self.read.formats}


class _Counts:
    """Number of trajectories by format."""

    def __init__(self) -> None:
        self._formats: Counter[str] = Counter()

    def merge(self, state: Mapping[str, Any]) -> None:
        """Add the counts of a unit."""
        self._formats.update(state["formats"])

    def summary(self) -> Converted:
        """Summarize the counts so far."""
        formats = dict(sorted(self._formats.items()))
        return Converted(trajectories=sum(formats.values()), formats=formats)
