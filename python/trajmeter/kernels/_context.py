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
"""What a context is measured in, in the order of every tuple of this contract."""

ContextRules: TypeAlias = Literal["default", "as_written"]
"""Interpretation of the ranges and names in a log.

- ``default`` cuts every range to its file, takes an end that is missing or -1 for the end of the
  file, and counts the file of every view.
- ``as_written`` counts lines as the log wrote them, only files that it lists as seen, only the
  named definitions in a step that names any, definitions that end where a view begins, and a line
  after the last newline; a whole file is only listed, and the final context is the one
  step of a trajectory without steps.
"""


# Positions in a file, and just after it, must fit in 64 bits.
_LARGEST_FILE = 2**62


def _refuse(wrong: BoolArray, fault: str, after: int = 0) -> None:
    if np.count_nonzero(wrong):  # four times as fast as any(), and runs for every file
        raise InputError(f"{fault} at index {int(wrong.argmax()) + after}")


@dataclass(frozen=True, slots=True, eq=False)
class FileTables:
    """What a snapshot knows of one file."""

    size: int
    """Size in bytes."""
    line_starts: Int64Array
    """First byte of every line, and the size once more where the file ends in a newline."""
    definition_start: Int64Array
    """First byte of every definition, rising; of those that begin together the longest is first."""
    definition_end: Int64Array
    """Byte after the last of every definition."""
    named: Callable[[str], Sequence[int]]
    """Indices of the definitions that a name refers to."""

    def __post_init__(self) -> None:
        """Validate the tables once per file, as kernels trust them.

        Raises:
            InputError: A number is out of place; its index is named.
            ArrayError: An array is not flat ``int64`` memory, or not as long as its partner.
            OffsetsError: The line starts fall, or lead outside the file.
        """
        _checks.size(self.size)
        if self.size > _LARGEST_FILE:
            raise InputError(f"size is {self.size}, expected at most {_LARGEST_FILE}")
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
    """What the kernel reads of the tables of a file, as :class:`FileTables` holds them."""

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
        """Byte after the last of every definition."""

    @property
    def named(self) -> Callable[[str], Sequence[int]]:
        """Indices of the definitions that a name refers to."""


@dataclass(frozen=True, slots=True, eq=False)
class ContextFile:
    """A file of the repository that gold or a view refers to."""

    code: int
    """Number of the file within its task, from 0."""
    tables: TablesLike | None
    """Its content tables; ``None`` for a file that is in no snapshot."""


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedPath:
    """The file that a path in a log refers to."""

    file: ContextFile | None
    """The file; ``None`` if the path refers to none."""
    leak: bool
    """Whether the path names a patch of the benchmark, which an agent must not see."""


class GoldLines(NamedTuple):
    """Lines that the reference contains."""

    file: ContextFile
    """Their file."""
    first: int
    """First line, 1-based, as written."""
    last: int
    """Last line, included, as written."""
    in_lines: bool
    """Whether they count at line granularity; at the others they always do."""


class ViewLike(Protocol):
    """What the kernel reads of a view."""

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
    """What the kernel reads of a turn."""

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
    """Gold seen after each step, summed over the steps."""
    viewed: int
    """Size of each step, summed over the steps."""
    union: int
    """Size of their union."""


class ContextTally(NamedTuple):
    """Counts of how the views of the steps and of the declared final context were resolved."""

    views: int
    """Views."""
    unresolved_paths: int
    """Number of distinct paths, as written, that refer to no file."""
    empty_ranges: int
    """Views with a range that holds no line of their file: reversed, or outside the file. The rules
    ``as_written`` do not cut lines to the file, and may give such a range bytes."""
    leaked_views: int
    """Views of a patch of the benchmark."""


class ContextSizes(NamedTuple):
    """All sizes of one trajectory."""

    num_steps: int
    """Number of steps."""
    has_final_context: bool
    """Whether the final context holds a file or a span that leads somewhere."""
    tally: ContextTally
    """What became of the views."""
    final: tuple[FinalSizes, ...]
    """The final context at each granularity."""
    steps: tuple[StepSizes, ...]
    """The steps at each granularity."""


class StepCoverage(Protocol):
    """Share of gold that has been seen after a step, at each granularity.

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
        """End the open step; if none is open, add a step that saw nothing."""

    def coverage(self) -> StepCoverage:
        """Share of gold seen so far, including the open step; ``None`` before the first step.

        By the rules ``as_written`` the definitions of a step count when it ends, because the names
        in it decide.
        """

    @property
    def viewed(self) -> tuple[int, ...]:
        """Size of each step that ended, summed over them, at each granularity."""

    @property
    def repeated(self) -> tuple[int, ...]:
        """What a step that ended showed again, summed over them, at each granularity."""

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the steps that ended, as :meth:`ContextKernel.score` gives them."""


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
        """Start a trajectory that is added step by step."""
