"""The specification of a scoring run, in a form that other processes can load.

Reading starts before the scoring and writing modules are imported, which takes as long as reading a
small input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.metrics import RowLayout, TaskIndex, TrialMetric, create
from trajmeter.readers import read_tasks
from trajmeter.remote import adopt_options, known_options
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.sources import open_store, tasks_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    import pyarrow as pa

    from trajmeter.metrics import AnyMetric, AssertionJudge
    from trajmeter.records import ReadProblem, Task
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.unit import UnitScorer
    from trajmeter.scoring.stream import StreamScorer
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.writers import ParquetWriter, TableWriter

__all__ = ["Job", "OpenedJob"]


@dataclass(frozen=True)
class Job:
    """The metrics of a run, and their references."""

    metrics: tuple[str | AnyMetric, ...]
    """Names of metrics, or metrics, in the order of their columns."""
    tasks: tuple[Path | Task, ...] = ()
    """Task files or tasks."""
    mapped_tasks: tuple[Path, ...] = ()
    """Inputs whose rows also contain tasks, according to the mapping."""
    snapshots: Path | SnapshotStore | None = None
    """A file or a folder of snapshots, or a store."""
    repos: Path | None = None
    """Git repositories to take snapshots from instead."""
    cache: Path | bool = True
    """Cache folder for what is found in repositories."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """How inputs are read."""
    quantiles: bool = False
    """Whether the summary includes quantiles for each agent and model."""
    judge: AssertionJudge | None = None
    """Judge of assertions."""
    judge_settings: Mapping[str, Any] | None = None
    """Settings on which the judge's verdicts depend."""
    remote: Mapping[str, Any] = field(default_factory=known_options, repr=False, compare=False)
    """Options of the file systems of URIs, for other processes; may contain secrets."""

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
    def shared_files(self) -> tuple[object, ...]:
        """Files that every worker reads in addition to its units."""
        return (*self.tasks, self.snapshots)

    @property
    def needs_one_worker(self) -> str | None:
        """Why several workers cannot share it; ``None`` if they can."""
        if self.judge is None:
            return None
        return "a judge needs one worker, because its answers are kept in one place"

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedJob:
        """Create the metrics and read the tasks.

        Args:
            on_problem: Called with every part of tasks and snapshots that cannot be read.

        Raises:
            ConfigurationError: Options contradict each other, or two tasks have one id.
            ReadError: Without ``on_problem``: something cannot be read.
        """
        adopt_options(self.remote)
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
        """Read tasks from the inputs, if their columns are mapped.

        Raises:
            ReadError: Without ``on_problem``: something cannot be read.
        """
        if not self.mapped_tasks:
            return iter(())
        mapping = self.reading.mapping
        return read_tasks(self.mapped_tasks, mapping=mapping, on_problem=on_problem)

    def open_store(self, on_problem: Callable[[ReadProblem], None] | None) -> SnapshotStore | None:
        """Open the source of snapshots, if there is one.

        Raises:
            ConfigurationError: Both snapshots and repositories are given.
            ReadError: It cannot be opened.
        """
        return open_store(
            self.snapshots,
            self.repos,
            cache=self.cache,
            profiles=self.reading.profiles,
            on_problem=on_problem,
        )


@dataclass(frozen=True)
class OpenedJob:
    """A job that is ready to score."""

    job: Job
    """The specification."""
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
        """The same columns as an Arrow schema."""
        from trajmeter.writers.arrow import arrow_schema

        return arrow_schema(self.layout)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.layout.names)

    @property
    def trial_of(self) -> Callable[[str], str] | None:
        """Task name for an id in a row, if a metric compares the attempts at a task."""
        if not any(isinstance(metric, TrialMetric) for metric in self.metrics):
            return None
        return self.totals().trial_of

    def settings(self, plan: Plan) -> dict[str, Any]:
        """Everything that the rows depend on, in readable form.

        Raises:
            ReadError: A file of tasks or snapshots cannot be read.
        """
        from trajmeter.scoring.runs.key import settings_of

        return settings_of(self, plan)

    def unit_work(
        self, unit: Unit, plan: Plan, on_problem: Callable[[ReadProblem], None] | None
    ) -> UnitScorer:
        """The scorer of a unit."""
        from trajmeter.scoring.runs.unit import UnitScorer

        return UnitScorer(unit, self, plan, on_problem)

    def part_schema(self) -> pa.Schema:
        """Schema of the parts."""
        from trajmeter.writers.arrow import stored_schema

        return stored_schema(self.schema)

    def open_part(self, stream: BinaryIO) -> ParquetWriter:
        """Open the writer of a part."""
        from trajmeter.writers import ParquetWriter

        return ParquetWriter(stream, self.layout)

    def from_part(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Restore the rows of a part to their form before writing."""
        from trajmeter.writers.arrow import loaded

        return loaded(batch, self.schema)

    def open_output(
        self, file: Path, about: Callable[[], Mapping[str, str]] | None
    ) -> AbstractContextManager[TableWriter]:
        """Open the single file into which parts are merged."""
        from trajmeter.writers import open_table

        return open_table(file, self.layout, about)

    def totals(self) -> StreamScorer:
        """Create the scorer that accumulates unit states."""
        from trajmeter.scoring.stream import StreamScorer

        return StreamScorer(self.metrics, tasks=self.tasks, quantiles=self.job.quantiles)
