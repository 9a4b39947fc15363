"""What passes between the context metrics and the kernel that scores them.

The kernel holds a task's gold, compiled once, and walks the views of a trajectory by their
attributes. It never reads paths itself: a path it has not met is handed to ``resolve``, once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._contract import Int64Array

__all__ = [
    "GRANULARITIES",
    "ContextFile",
    "ContextKernel",
    "ContextRules",
    "ContextSizes",
    "ContextTally",
    "ContextTrackerKernel",
    "FileTables",
    "FinalSizes",
    "GoldLines",
    "ResolvedPath",
    "StepCoverage",
    "StepSizes",
    "TurnLike",
    "ViewLike",
]

GRANULARITIES = ("file", "symbol", "span", "line")
"""What a context is measured in, in the order of every tuple of this contract."""

ContextRules: TypeAlias = Literal["default", "contextbench"]
"""What line numbers, touching definitions and empty sides mean: ours, or those of ContextBench."""


@dataclass(frozen=True, slots=True, eq=False)
class FileTables:
    """What a snapshot knows of one file."""

    size: int
    """Length in bytes."""
    line_starts: Int64Array
    """First byte of every line, and the size once more where the file ends in a newline."""
    definition_start: Int64Array
    """First byte of every definition, rising; of those that begin together the longest is first."""
    definition_end: Int64Array
    """Byte after the last of every definition."""
    named: Callable[[str], Sequence[int]]
    """Indices of the definitions that a name asks for."""


@dataclass(frozen=True, slots=True, eq=False)
class ContextFile:
    """A file of the repository that gold or a view leads to."""

    code: int
    """Number of the file within its task, from 0."""
    tables: FileTables | None
    """What is known of its content; ``None`` for a file that is in no snapshot."""


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedPath:
    """Where a path of a log leads."""

    file: ContextFile | None
    """The file; ``None`` for a path that leads nowhere."""
    leak: bool
    """Whether the path names a patch of the benchmark, which an agent should not see."""


class GoldLines(NamedTuple):
    """Lines that the reference names."""

    file: ContextFile
    """Their file."""
    first: int
    """First line, 1-based, as written."""
    last: int
    """Last line, included, as written."""
    in_lines: bool
    """Whether they count at the granularity of lines; elsewhere they always do."""


class ViewLike(Protocol):
    """What the kernel reads of a view."""

    @property
    def path(self) -> str:
        """Path as the log wrote it."""

    @property
    def extent(self) -> str:
        """``lines``, ``bytes``, ``whole`` or ``unknown``."""

    @property
    def start(self) -> int | None:
        """First line or byte."""

    @property
    def end(self) -> int | None:
        """Last line, or the byte after the last."""

    @property
    def symbols(self) -> Sequence[str]:
        """Names of definitions that were asked for."""

    @property
    def listed(self) -> bool:
        """Whether the file was listed as seen."""


class TurnLike(Protocol):
    """What the kernel reads of a turn."""

    @property
    def views(self) -> Sequence[ViewLike] | None:
        """What was looked at; ``None`` for a turn that is no step."""


FinalSizes: TypeAlias = tuple[int, int, int]
"""The final context at one granularity: shared with gold, of gold, of the context itself."""

StepSizes: TypeAlias = tuple[tuple[float, ...] | None, int, int, int]
"""The steps at one granularity.

1. The share of gold seen after each step; ``None`` where there is no gold.
2. The gold seen after each step, summed over the steps.
3. The size of each step, summed over the steps.
4. The size of their union.
"""

ContextTally: TypeAlias = tuple[int, int, int, int]
"""What became of the views of the steps and of the declared final context.

1. Views.
2. Distinct paths, as written, that lead nowhere.
3. Views with a range that holds no line of their file: reversed, or outside the file. ContextBench
   does not cut lines to the file, and may give such a range bytes.
4. Views of a patch of the benchmark.
"""

ContextSizes: TypeAlias = tuple[
    int, bool, ContextTally, tuple[FinalSizes, ...], tuple[StepSizes, ...]
]
"""Everything the kernel says of one trajectory.

1. Number of steps.
2. Whether the final context holds a file or a span that leads somewhere.
3. What became of the views.
4. The final context at each granularity.
5. The steps at each granularity.
"""


class StepCoverage(Protocol):
    """Share of gold that has been seen after a step, at each granularity.

    ``None`` stands where there is no gold, or where the granularity needs a snapshot that is not
    there.
    """

    @property
    def step(self) -> int:
        """Number of the step, from 1."""

    @property
    def file(self) -> float | None:
        """Share of the gold files, 0 to 1."""

    @property
    def symbol(self) -> float | None:
        """Share of the gold definitions, 0 to 1."""

    @property
    def span(self) -> float | None:
        """Share of the gold bytes, 0 to 1."""

    @property
    def line(self) -> float | None:
        """Share of the gold lines, 0 to 1."""


class ContextTrackerKernel(Protocol):
    """The state of a trajectory that is still running."""

    def update(self, views: Sequence[ViewLike]) -> StepCoverage:
        """Add one step; its coverage so far."""

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the steps so far, as :meth:`ContextKernel.score` gives them."""


class ContextKernel(Protocol):
    """A task's gold, compiled, and the files that its paths were found to mean."""

    def score(
        self, turns: Sequence[TurnLike] | None, final_views: Sequence[ViewLike] | None
    ) -> ContextSizes:
        """Score a whole trajectory; without final views the union of its steps stands for them."""

    def tracker(self) -> ContextTrackerKernel:
        """Begin a trajectory that is fed step by step."""
