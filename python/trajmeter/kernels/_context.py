"""The interface between the context metrics and the kernel that scores them.

The kernel holds a task's gold in compiled form and iterates over the views of a trajectory. The
meaning of paths is cached for all tasks of a repository: each new path is passed to ``resolve``
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from trajmeter.errors import InputError
from trajmeter.kernels import _checks
from trajmeter.kernels._constants import LARGEST_POSITION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._arrays import BoolArray, Int64Array

__all__ = [
    "GRANULARITIES",
    "ContextFile",
    "ContextFiles",
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
    "TablesLike",
    "TurnLike",
    "ViewLike",
]

GRANULARITIES = ("file", "symbol", "span", "line")
"""The units in which a context is measured, in the order of all tuples of this contract."""

ContextRules: TypeAlias = Literal["default", "as_written"]
"""Interpretation of the ranges and names in a log.

- ``default`` clips every range to its file, interprets a missing end or -1 as the end of the file,
  and counts the file of every view.
- ``as_written`` counts lines as written in the log, and only files that the log lists as seen. In
  a step that names definitions, only those count; a definition that ends where a view starts
  counts too, as does a line after the last newline. A whole file is only listed. The final context
  is the only step of a trajectory without steps.
"""


def _refuse(wrong: BoolArray, fault: str, after: int = 0) -> None:
    if np.count_nonzero(wrong):  # four times as fast as any(), and runs for every file
        raise InputError(f"{fault} at index {int(wrong.argmax()) + after}")


@dataclass(frozen=True, slots=True, eq=False)
class FileTables:
    """Lines and definitions of one file in a snapshot."""

    size: int
    """Size in bytes."""
    line_starts: Int64Array
    """First byte of every line, followed by the size if the file ends in a newline."""
    definition_start: Int64Array
    """First byte of every definition, ascending; for equal starts, the longest comes first."""
    definition_end: Int64Array
    """End of every definition, exclusive."""
    named: Callable[[str], Sequence[int]]
    """Indices of the definitions that a name refers to."""

    def __post_init__(self) -> None:
        """Validate the tables once per file, because kernels trust them.

        Raises:
            InputError: A number is out of order or range; the message names its index.
            ArrayError: An array is not flat ``int64`` memory, or its length does not match.
            OffsetsError: The line starts decrease or are out of range.
        """
        _checks.size(self.size)
        if self.size > LARGEST_POSITION:
            raise InputError(f"size is {self.size}, expected at most {LARGEST_POSITION}")
        _checks.offsets(self.line_starts, self.size, "line_starts", "bytes")
        if self.line_starts[0] != 0:
            raise InputError(f"line_starts[0] is {self.line_starts[0]}, expected 0")
        starts, first, last = self.line_starts, self.definition_start, self.definition_end
        _refuse(starts[1:] <= starts[:-1], "line_starts do not rise", after=1)
        _checks.named_spans(first, last, "definition_")
        _refuse(first < 0, "definition_start is negative")
        _refuse(last < first, "definition_end lies before definition_start")
        _refuse(first[1:] < first[:-1], "definition_start falls", after=1)


class TablesLike(Protocol):
    """The attributes of a file's tables that the kernel reads; see :class:`FileTables`."""

    @property
    def size(self) -> int:
        """Size in bytes."""

    @property
    def line_starts(self) -> Int64Array:
        """First byte of every line."""

    @property
    def definition_start(self) -> Int64Array:
        """First byte of every definition."""

    @property
    def definition_end(self) -> Int64Array:
        """End of every definition, exclusive."""

    @property
    def named(self) -> Callable[[str], Sequence[int]]:
        """Indices of the definitions that a name refers to."""


@dataclass(frozen=True, slots=True, eq=False)
class ContextFile:
    """A file of the repository that gold or a view refers to."""

    code: int
    """Number of the file within its task, from 0."""
    tables: TablesLike | None
    """Its content tables; ``None`` if no snapshot contains the file."""


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedPath:
    """The file that a path in a log refers to."""

    file: ContextFile | None
    """The file; ``None`` if the path refers to none."""
    leak: bool
    """Whether the path names a patch of the benchmark, which the agent must not see."""


class GoldLines(NamedTuple):
    """A range of gold lines."""

    file: ContextFile
    """Their file."""
    first: int
    """First line, 1-based, as written."""
    last: int
    """Last line, inclusive, as written."""
    in_lines: bool
    """Whether they count at line granularity; they always count at the others."""


class ViewLike(Protocol):
    """The attributes of a view that the kernel reads."""

    @property
    def path(self) -> str:
        """Path as written in the log."""

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
        """Names of the requested definitions."""

    @property
    def listed(self) -> bool:
        """Whether the log lists the file as seen."""


class TurnLike(Protocol):
    """The attributes of a turn that the kernel reads."""

    @property
    def views(self) -> Sequence[ViewLike] | None:
        """The turn's views; ``None`` for a turn that is not a step."""


class FinalSizes(NamedTuple):
    """The final context at one granularity."""

    intersection: int
    """Size of its intersection with gold."""
    gold: int
    """Size of gold."""
    predicted: int
    """Its own size."""


class StepSizes(NamedTuple):
    """The steps at one granularity."""

    coverage: tuple[float, ...] | None
    """Share of gold seen after each step; ``None`` without gold."""
    covered_sum: int
    """Size of the gold seen after each step, summed over the steps."""
    viewed: int
    """Size of each step, summed over the steps."""
    union: int
    """Size of their union."""


class ContextTally(NamedTuple):
    """Counts of views, in the steps and in the declared final context."""

    views: int
    """Number of views."""
    unresolved_paths: int
    """Number of distinct paths, as written, that refer to no file."""
    empty_ranges: int
    """Number of views whose range contains no line of their file: reversed, or outside the file.
    The rules ``as_written`` do not clip lines to the file, so such a range may cover bytes."""
    leaked_views: int
    """Number of views of a patch of the benchmark."""


class ContextSizes(NamedTuple):
    """All sizes of one trajectory."""

    num_steps: int
    """Number of steps."""
    has_final_context: bool
    """Whether the final context contains a file or a span that was resolved."""
    tally: ContextTally
    """Counts of views."""
    final: tuple[FinalSizes, ...]
    """The final context at each granularity."""
    steps: tuple[StepSizes, ...]
    """The steps at each granularity."""


class StepCoverage(Protocol):
    """Share of gold seen after a step, at each granularity.

    ``None`` without gold, or if the granularity needs a snapshot that is missing.
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
        """Add one step, or end the open one with these views; returns its coverage so far."""

    def view(self, views: Sequence[ViewLike]) -> None:
        """Add views to the open step, or open a step with them."""

    def close_step(self) -> None:
        """End the open step; if none is open, add an empty step."""

    def coverage(self) -> StepCoverage:
        """Share of gold seen so far, including the open step; ``None`` before the first step.

        With the rules ``as_written``, the definitions of a step count only when it ends, because
        they depend on all names in it.
        """

    @property
    def viewed(self) -> tuple[int, ...]:
        """Total size of the finished steps at each granularity."""

    @property
    def repeated(self) -> tuple[int, ...]:
        """Total size that finished steps showed again, at each granularity."""

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the finished steps, as for :meth:`ContextKernel.score`."""


class ContextFiles(Protocol):
    """The files that paths of logs refer to, shared by tasks of one repository."""

    @property
    def bytes(self) -> int:
        """Approximate memory use in bytes."""


class ContextKernel(Protocol):
    """A task's compiled gold, with the files of its repository."""

    def score(
        self, turns: Sequence[TurnLike] | None, final_views: Sequence[ViewLike] | None
    ) -> ContextSizes:
        """Score a whole trajectory; without final views, the union of its steps is used."""

    def tracker(self) -> ContextTrackerKernel:
        """Start to track a trajectory, which is added step by step."""
