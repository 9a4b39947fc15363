"""Converting in units: trajectories of any format to parts in the columns of a Trajectory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from trajmeter.kernels import backend
from trajmeter.metrics.rows import package_version
from trajmeter.remote import given_options, take_options
from trajmeter.schemas import trajectory_schema
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.run_key import input_settings
from trajmeter.scoring.unit import UnitRows
from trajmeter.writers.arrow import stored_schema
from trajmeter.writers.trajectories import TrajectoryParquet, open_trajectories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.work import BatchWriter

__all__ = ["TRAJECTORIES", "Conversion", "Converted"]

TRAJECTORIES = "trajectories"
"""What a run of this work results in."""


class Converted(BaseModel):
    """What was converted."""

    model_config = ConfigDict(frozen=True)

    trajectories: int
    """How many there are."""
    formats: dict[str, int]
    """How many there are of each format."""


@dataclass(frozen=True)
class Conversion:
    """Trajectories as they are, in columns of our own; see :mod:`trajmeter.scoring.work`."""

    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """How inputs are read."""
    beside: tuple[object, ...] = ()
    """Nothing else is read."""
    needs_one_worker: str | None = None
    """Any number of workers can share it."""
    remote: Mapping[str, Any] = field(default_factory=given_options, repr=False, compare=False)
    """Options of the file systems that URIs name, for other processes; they may hold secrets."""

    def about(self, folders: Sequence[Path]) -> dict[str, Any]:
        """What a summary of finished units needs, as JSON."""
        return {"folders": list(map(str, folders))}

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedConversion:  # noqa: ARG002 - nothing is read
        """Get ready."""
        take_options(self.remote)
        return OpenedConversion(self.reading)


@dataclass(frozen=True)
class OpenedConversion:
    """A conversion that is ready to do units."""

    reading: ReadingOptions
    """How inputs are read."""
    trial_of: None = None
    """Units are independent of each other."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the rows."""
        return tuple(trajectory_schema().names)

    def settings(self, plan: Plan) -> dict[str, Any]:
        """Everything that the rows depend on, in plain words."""
        return {
            "results": TRAJECTORIES,
            **input_settings(self.reading, plan),
            "trajmeter": package_version(),
            "backend": backend(),
        }

    def unit_work(
        self, unit: Unit, plan: Plan, on_problem: Callable[[ReadProblem], None] | None
    ) -> _UnitConverter:
        """What converts a unit."""
        return _UnitConverter(unit, self.reading, plan, on_problem)

    def part_schema(self) -> pa.Schema:
        """Schema of the parts."""
        return stored_schema(trajectory_schema())

    def open_part(self, stream: BinaryIO) -> TrajectoryParquet:
        """Open what writes a part."""
        return TrajectoryParquet(stream)

    def from_part(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of a part as they were before they were written."""
        from trajmeter.conforming import conform

        return conform(batch)

    def open_output(
        self,
        file: Path,
        about: Callable[[], Mapping[str, str]] | None,  # noqa: ARG002 - the file says nothing of it
    ) -> AbstractContextManager[BatchWriter]:
        """Open the one file that parts become."""
        return open_trajectories(file)

    def totals(self) -> _Counts:
        """Make what adds up the states of units."""
        return _Counts()


class _UnitConverter(UnitRows):
    """Passes on the trajectories of a unit."""

    def _made(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return iter(batches)

    def _totals(self) -> dict[str, Any]:
        return {"formats": self.read.formats}


class _Counts:
    """Trajectories by their format."""

    def __init__(self) -> None:
        self._formats: Counter[str] = Counter()

    def merge(self, state: Mapping[str, Any]) -> None:
        """Count what a unit has counted."""
        self._formats.update(state["formats"])

    def summary(self) -> Converted:
        """Sum up what was counted so far."""
        formats = dict(sorted(self._formats.items()))
        return Converted(trajectories=sum(formats.values()), formats=formats)
