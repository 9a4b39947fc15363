"""Options, events and the result of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from trajmeter.scoring.runs.plan import PlanSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.work import BatchWriter

__all__ = ["Engine", "Progress", "RunListener", "RunOptions", "RunResult"]

Engine: TypeAlias = Literal["local", "ray"]
"""Distributes units to workers."""

SummaryT_co = TypeVar("SummaryT_co", covariant=True)


@dataclass(frozen=True)
class RunOptions:
    """How a run is executed; its results do not depend on it."""

    workers: int | Literal["auto"] = 1
    """Number of scoring processes."""
    engine: Engine = "local"
    """Distributes units to them."""
    shard: tuple[int, int] | None = None
    """Number of the shard to score, from 1, and the number of shards."""
    resume: bool = True
    """Whether to resume an earlier run with the same key."""
    overwrite: bool = False
    """Whether to replace the results of another run."""
    sizes: PlanSizes = field(default_factory=PlanSizes)
    """Size limits of units; the plan depends on them."""


@dataclass(frozen=True)
class Progress:
    """Progress of a run."""

    units: int
    """Finished units."""
    of_units: int
    """Units in the run, or in its shard."""
    rows: int
    """Rows that were scored."""
    size: int
    """Size of the finished units in bytes."""
    of_size: int
    """Total size in bytes."""


@dataclass(frozen=True)
class RunListener:
    """Receives the events of a run."""

    on_problem: Callable[[ReadProblem], None] | None = None
    """Called with every file and record that cannot be read, as it is found."""
    on_message: Callable[[str], None] = lambda _: None
    """Called with informative messages."""
    on_progress: Callable[[Progress], None] = lambda _: None
    """Called when a unit is finished."""
    on_opened: Callable[[Any], None] = lambda _: None
    """Called with the opened work, such as metrics, tasks and snapshots, before the first unit."""
    about: Callable[[], Mapping[str, str]] | None = None
    """Provides additional metadata for a single Parquet output."""
    tables: Callable[[], AbstractContextManager[Sequence[BatchWriter]]] | None = None
    """Opens further writers, which receive the rows in order once all are available."""


@dataclass(frozen=True)
class RunResult(Generic[SummaryT_co]):
    """The result of a run."""

    output: Path | None
    """The file, or the folder of parts; ``None`` if no rows were kept."""
    rows: int
    """Rows of the run, or of its shard."""
    parts: tuple[Path, ...]
    """Files of the parts, in the order of the rows; empty if a single file was requested."""
    resumed: int
    """Units that an earlier run finished."""
    problems: int
    """Files and records that could not be read, including those of the earlier run."""
    failed: tuple[str, ...]
    """Units that could not be scored because their workers died, with the reason."""
    is_complete: bool
    """Whether every unit of the plan is done."""
    summary: SummaryT_co
    """Totals of the rows, such as averages."""
