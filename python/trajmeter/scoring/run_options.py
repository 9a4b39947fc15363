"""How to carry out a run, whom it reports to, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from trajmeter.scoring.plan import PlanSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.work import BatchWriter

__all__ = ["Engine", "Progress", "RunListener", "RunOptions", "RunResult"]

Engine: TypeAlias = Literal["local", "ray"]
"""What hands units to those who do them."""

SummaryT_co = TypeVar("SummaryT_co", covariant=True)


@dataclass(frozen=True)
class RunOptions:
    """How a run is carried out; its results do not depend on it."""

    workers: int | Literal["auto"] = 1
    """Processes that score."""
    engine: Engine = "local"
    """What hands them their units."""
    shard: tuple[int, int] | None = None
    """Which part of the units to score, counted from 1, and of how many."""
    resume: bool = True
    """Whether to take up what an earlier run of the same key has done."""
    overwrite: bool = False
    """Whether to replace the results of another run."""
    sizes: PlanSizes = field(default_factory=PlanSizes)
    """How large units are; other sizes make other plans."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    units: int
    """Units that are done."""
    of_units: int
    """Units of the run, or of its shard."""
    rows: int
    """Rows that were scored."""
    size: int
    """Bytes of the units that are done."""
    of_size: int
    """Bytes of all."""


@dataclass(frozen=True)
class RunListener:
    """Receives what happens."""

    on_problem: Callable[[ReadProblem], None] | None = None
    """Called with every file and record that cannot be read, as it is found."""
    on_message: Callable[[str], None] = lambda _: None
    """Called with what is worth saying."""
    on_progress: Callable[[Progress], None] = lambda _: None
    """Called when a unit is done."""
    on_opened: Callable[[Any], None] = lambda _: None
    """Called with the opened work, such as metrics, tasks and snapshots, before units are done."""
    about: Callable[[], Mapping[str, str]] | None = None
    """Gives what the metadata of a single output in Parquet say beside."""
    tables: Callable[[], AbstractContextManager[Sequence[BatchWriter]]] | None = None
    """Opens further writers of the rows, which get them in order once all are there."""


@dataclass(frozen=True)
class RunResult(Generic[SummaryT_co]):
    """What a run gave."""

    output: Path | None
    """The file, or the folder of parts; ``None`` if no rows were kept."""
    rows: int
    """Rows of the run, or of its shard."""
    parts: tuple[Path, ...]
    """Files of the parts, in the order of the rows; none where one file was asked for."""
    resumed: int
    """Units that an earlier run had done."""
    problems: int
    """Files and records that could not be read, those of the earlier run included."""
    failed: tuple[str, ...]
    """Units that could not be scored because their workers died, with the reason."""
    is_complete: bool
    """Whether every unit of the plan is done."""
    summary: SummaryT_co
    """What the rows add up to, such as averages."""
