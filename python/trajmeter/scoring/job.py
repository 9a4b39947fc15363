"""What a run is asked to do, in a form that other processes can take up.

Reading begins before what scores and writes is imported, which takes as long as a small input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.metrics import RowLayout, TaskIndex, TrialMetric, create
from trajmeter.readers import read_tasks
from trajmeter.remote import given_options, take_options
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.sources import tasks_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    import pyarrow as pa

    from trajmeter.metrics import AnyMetric, AssertionJudge
    from trajmeter.records import ReadProblem, Task
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.stream import StreamScorer
    from trajmeter.scoring.unit import UnitScorer
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.writers import ParquetWriter, TableWriter

__all__ = ["Job", "OpenedJob"]


@dataclass(frozen=True)
class Job:
    """Which metrics score, and what they score against."""

    metrics: tuple[str | AnyMetric, ...]
    """Names of metrics, or metrics, in the order of their columns."""
    tasks: tuple[Path | Task, ...] = ()
    """Files of tasks, or tasks."""
    mapped_tasks: tuple[Path, ...] = ()
    """Inputs whose rows are tasks too, by the mapping."""
    snapshots: Path | SnapshotStore | None = None
    """A file or a folder of snapshots, or a store."""
    repos: Path | None = None
    """Git repositories to take snapshots from instead."""
    cache: Path | bool = True
    """Where what was found in them is kept."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """How inputs are read."""
    quantiles: bool = False
    """Whether the summary has quantiles of each agent and model."""
    judge: AssertionJudge | None = None
    """Judge of assertions."""
    judge_settings: Mapping[str, Any] | None = None
    """What its verdicts depend on."""
    remote: Mapping[str, Any] = field(default_factory=given_options, repr=False, compare=False)
    """Options of the file systems that URIs name, for other processes; they may hold secrets."""

    def about(self, folders: Sequence[Path]) -> dict[str, Any]:
        """What a summary of finished units needs, as JSON."""
        return {
            "metrics": [each for each in self.metrics if isinstance(each, str)],
            "profiles": list(self.reading.profiles),
            "tasks": [str(each) for each in self.tasks if isinstance(each, Path)],
            "folders": list(map(str, folders)),
            "quantiles": self.quantiles,
        }

    @property
    def beside(self) -> tuple[object, ...]:
        """What every worker reads beside its units."""
        return (*self.tasks, self.snapshots)

    @property
    def needs_one_worker(self) -> str | None:
        """Why several workers cannot share it, if they cannot."""
        if self.judge is None:
            return None
        return "a judge needs one worker, as its answers are kept in one place"

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedJob:
        """Make the metrics, and read the tasks.

        Args:
            on_problem: Called with whatever of tasks and snapshots cannot be read.

        Raises:
            ConfigurationError: Options contradict each other, or two tasks have one id.
            ReadError: Without ``on_problem``: something cannot be read.
        """
        take_options(self.remote)
        store = self.open_store(on_problem)
        metrics = create(
            self.metrics, snapshots=store, profiles=self.reading.profiles, judge=self.judge
        )
        mapped = [*self.read_mapped_tasks(on_problem)]
        tasks = TaskIndex(chain(self.read_tasks(on_problem), mapped))
        return OpenedJob(self, metrics, tasks, store)

    def read_tasks(self, on_problem: Callable[[ReadProblem], None] | None) -> Iterator[Task]:
        """Read the tasks.

        Raises:
            ReadError: Without ``on_problem``: something cannot be read.
        """
        return tasks_from(self.tasks, on_problem=on_problem)

    def read_mapped_tasks(self, on_problem: Callable[[ReadProblem], None] | None) -> Iterator[Task]:
        """Read the tasks that stand in the inputs, if their columns are mapped.

        Raises:
            ReadError: Without ``on_problem``: something cannot be read.
        """
        if not self.mapped_tasks:
            return iter(())
        mapping = self.reading.mapping
        return read_tasks(self.mapped_tasks, mapping=mapping, on_problem=on_problem)

    def open_store(self, on_problem: Callable[[ReadProblem], None] | None) -> SnapshotStore | None:
        """Open what snapshots come from, if anything.

        Raises:
            ConfigurationError: Both snapshots and repositories are given.
            ReadError: It cannot be opened.
        """
        if self.repos is None:
            if isinstance(self.snapshots, Path):
                from trajmeter.snapshots import open_snapshots  # not every metric needs them

                return open_snapshots(self.snapshots, on_problem=on_problem)
            return self.snapshots
        if self.snapshots is not None:
            raise ConfigurationError("snapshots and repos cannot be used together")
        from trajmeter.snapshots import open_repositories

        naming = "contextbench" if "contextbench" in self.reading.profiles else None
        return open_repositories(self.repos, cache=self.cache, profile=naming)


@dataclass(frozen=True)
class OpenedJob:
    """A job that is ready to score."""

    job: Job
    """What is asked for."""
    metrics: tuple[AnyMetric, ...]
    """The metrics."""
    tasks: TaskIndex
    """The tasks."""
    store: SnapshotStore | None
    """The snapshots."""

    @cached_property
    def layout(self) -> RowLayout:
        """Columns of the rows."""
        return RowLayout(self.metrics)

    @cached_property
    def schema(self) -> pa.Schema:
        """The same as Arrow has them."""
        from trajmeter.writers.arrow import arrow_schema

        return arrow_schema(self.layout)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.layout.names)

    @property
    def trial_of(self) -> Callable[[str], str] | None:
        """Name of a task, given its id in a row, where a metric compares the attempts at it."""
        if not any(isinstance(metric, TrialMetric) for metric in self.metrics):
            return None
        return self.totals().trial_of

    def settings(self, plan: Plan) -> dict[str, Any]:
        """Everything that the rows depend on, in plain words.

        Raises:
            ReadError: A file of tasks or snapshots cannot be read.
        """
        from trajmeter.scoring.run_key import settings_of

        return settings_of(self, plan)

    def unit_work(
        self, unit: Unit, plan: Plan, on_problem: Callable[[ReadProblem], None] | None
    ) -> UnitScorer:
        """What scores a unit."""
        from trajmeter.scoring.unit import UnitScorer

        return UnitScorer(unit, self, plan, on_problem)

    def part_schema(self) -> pa.Schema:
        """Schema of the parts."""
        from trajmeter.writers.arrow import stored_schema

        return stored_schema(self.schema)

    def open_part(self, stream: BinaryIO) -> ParquetWriter:
        """Open what writes a part."""
        from trajmeter.writers import ParquetWriter

        return ParquetWriter(stream, self.layout)

    def from_part(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of a part as they were before they were written."""
        from trajmeter.writers.arrow import loaded

        return loaded(batch, self.schema)

    def open_output(
        self, file: Path, about: Callable[[], Mapping[str, str]] | None
    ) -> AbstractContextManager[TableWriter]:
        """Open the one file that parts become."""
        from trajmeter.writers import open_table

        return open_table(file, self.layout, about)

    def totals(self) -> StreamScorer:
        """Make what scores, and adds up the states of units."""
        from trajmeter.scoring.stream import StreamScorer

        return StreamScorer(self.metrics, tasks=self.tasks, quantiles=self.job.quantiles)
