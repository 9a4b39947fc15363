"""The contract both backends fulfil: one typed protocol, checked against each by mypy.

Spans travel as two 1-D, C-contiguous ``int64`` arrays, ``start`` and ``end``, half-open. A ragged
batch is its values and ``int64`` offsets of length n + 1, non-decreasing, which may begin above 0.
Arrays are borrowed and never copied; they must not change during a call.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._context import ContextKernel, ContextRules, GoldLines, ResolvedPath

__all__ = [
    "GMEAN_RELATIVE_TOLERANCE",
    "NO_NUMBER",
    "TURN_COUNTS",
    "BoolArray",
    "CompiledKernels",
    "Fault",
    "FaultArrays",
    "Float64Array",
    "Int64Array",
    "JoinArrays",
    "Kernels",
    "LevelArrays",
    "SpanArrays",
    "SpanBatch",
    "TrajectoryArrays",
    "TrajectoryFigureArrays",
    "TurnCountArrays",
]

Int64Array: TypeAlias = npt.NDArray[np.int64]
Float64Array: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

SpanArrays: TypeAlias = tuple[Int64Array, Int64Array]
"""Start and end of each span of one set."""
SpanBatch: TypeAlias = tuple[Int64Array, Int64Array, Int64Array]
"""Start and end of each span of many sets, and the offsets of the sets, which begin at 0."""
FaultArrays: TypeAlias = tuple[Int64Array, Int64Array]
"""Index of each bad element, rising, and its :class:`Fault`."""
TrajectoryArrays: TypeAlias = tuple[Int64Array, Int64Array, Int64Array, Int64Array]
"""Size, added and gold added of each step, and the size of each trajectory's gold."""
TrajectoryFigureArrays: TypeAlias = tuple[Float64Array, Float64Array, Float64Array]
"""Coverage of each step, and AUC-coverage and redundancy of each trajectory."""
JoinArrays: TypeAlias = tuple[Int64Array, Int64Array]
"""Partners of each element, one after the other, and the offsets of the elements, from 0."""

TurnCountArrays: TypeAlias = tuple[Int64Array, Int64Array, Int64Array, Int64Array, Int64Array]
"""The :data:`TURN_COUNTS` of each run, run by run; code, carrying turns and failed turns of each
reason of each run; and the offsets of the runs in the last three, from 0."""

TURN_COUNTS = (
    "turns",
    "first_turn_valid",
    "first_program",
    "parse_failures",
    "no_code_turns",
    "multi_code_block_turns",
    "failed_turns",
    "dominant_error",
    "followed_failures",
    "recovered_failures",
    "repeated_failures",
    "first_recorded_call",
    "first_call",
    "calls",
    "repeated_calls",
    "successful_calls",
    "known_calls",
)
"""What :meth:`Kernels.turn_counts` counts of each run. ``first_turn_valid`` is 1, 0, or -1 where
it abstains; ``dominant_error`` is the code of a reason, or -1. The first turn with a call, and the
first with one that did not fail, are told by number, and by ``NO_NUMBER`` where there is none."""

NO_NUMBER = -(2**63)
"""Stands where a turn has no number of its own, or where there is no such turn."""

LevelArrays: TypeAlias = tuple[
    Int64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array
]
"""Of each agent: entries that count, geometric mean of its ratios, advantage at levels 1 to 4."""

GMEAN_RELATIVE_TOLERANCE = 1e-14
"""How far the geometric means of the two backends may lie apart, as a fraction of their size.

Both multiply the same mantissas, but in another order, and round differently.
"""


class Fault(IntEnum):
    """Why a kernel would refuse an element."""

    NEGATIVE = 1
    """A span that begins before 0, or a value below 0."""
    REVERSED = 2
    """A span that ends before it begins."""
    NOT_A_NUMBER = 3
    """A value that is NaN."""


class Kernels(Protocol):
    """Every kernel, with the same name, order of arguments and errors in Rust and in Python.

    The definitions stand in the docstrings of the twin, ``trajmeter.kernels._python``.
    """

    def measure(self, start: Int64Array, end: Int64Array) -> int:
        """Number of bytes that the spans cover, overlaps counted once."""

    def measure_batched(
        self, start: Int64Array, end: Int64Array, offsets: Int64Array
    ) -> Int64Array:
        """Number of bytes that each row of spans covers."""

    def union(self, start: Int64Array, end: Int64Array) -> SpanArrays:
        """Canonical set that covers what the spans cover."""

    def union_batched(self, start: Int64Array, end: Int64Array, offsets: Int64Array) -> SpanBatch:
        """Canonical set of each row of spans."""

    def intersection(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> SpanArrays:
        """Canonical set of what both sets cover."""

    def intersection_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> SpanBatch:
        """Canonical set of what each row shares with its partner."""

    def difference(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> SpanArrays:
        """Canonical set of what the first set covers and the other does not."""

    def difference_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> SpanBatch:
        """Canonical set of what each row covers and its partner does not."""

    def intersection_measure(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> int:
        """Number of bytes that both sets cover."""

    def intersection_measure_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> Int64Array:
        """Number of bytes that each row shares with its partner."""

    def check_spans(self, start: Int64Array, end: Int64Array) -> FaultArrays:
        """Every span that the other operations would refuse, and why."""

    def line_starts(self, buffer: bytes) -> Int64Array:
        """Byte at which each line begins, the empty one after a final newline included."""

    def lines_to_bytes(
        self, line_starts: Int64Array, size: int, first: Int64Array, last: Int64Array
    ) -> SpanArrays:
        """Bytes of each 1-based, inclusive range of lines of one file."""

    def lines_to_bytes_batched(
        self,
        line_starts: Int64Array,
        offsets: Int64Array,
        size: Int64Array,
        file: Int64Array,
        first: Int64Array,
        last: Int64Array,
    ) -> SpanArrays:
        """Bytes of each range of lines, each of a file of its own choice."""

    def bytes_to_lines(
        self, line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array
    ) -> SpanArrays:
        """First and last line that each span of one file touches."""

    def gmean(self, values: Float64Array) -> float:
        """Geometric mean of all values."""

    def gmean_grouped(self, values: Float64Array, offsets: Int64Array) -> Float64Array:
        """Geometric mean of each group of values; NaN where it is undefined."""

    def check_values(self, values: Float64Array) -> FaultArrays:
        """Every value that the geometric means would refuse, and why."""

    def level_advantages(
        self,
        names: bytes,
        name_offsets: Int64Array,
        capitals: str,
        blanks: str,
        benchmark: Int64Array,
        agent: Float64Array,
        oracle: Float64Array,
        offsets: Int64Array,
    ) -> LevelArrays:
        """How far each agent gets ahead of the oracle, over all benchmarks and over groups."""

    def trajectory(
        self,
        key: Int64Array,
        start: Int64Array,
        end: Int64Array,
        step_offsets: Int64Array,
        trajectory_offsets: Int64Array,
        gold_key: Int64Array,
        gold_start: Int64Array,
        gold_end: Int64Array,
        gold_offsets: Int64Array,
    ) -> TrajectoryArrays:
        """What each step of many trajectories looked at, what was new in it, and what gold."""

    def trajectory_figures(
        self,
        size: Int64Array,
        added: Int64Array,
        gold_added: Int64Array,
        gold_size: Int64Array,
        trajectory_offsets: Int64Array,
    ) -> TrajectoryFigureArrays:
        """Coverage, AUC-coverage and redundancy of what :meth:`trajectory` measured."""

    def overlap_join(
        self,
        file: Int64Array,
        start: Int64Array,
        end: Int64Array,
        definition_start: Int64Array,
        definition_end: Int64Array,
        definition_offsets: Int64Array,
    ) -> JoinArrays:
        """Definitions of its file that each span overlaps."""

    def turn_counts(
        self,
        success: Int64Array,
        program: Int64Array,
        reason: Int64Array,
        error: Int64Array,
        number: Int64Array,
        call_success: Int64Array,
        call: Int64Array,
        call_offsets: Int64Array,
        run_offsets: Int64Array,
        unreadable: Int64Array,
        reasons: int,
    ) -> TurnCountArrays:
        """What the figures of turn analysis are made of, run by run."""

    def align(self, reference: Int64Array, actual: Int64Array) -> Int64Array:
        """Partner of each reference step in the longest alignment, or -1."""

    def align_matches(self, matches: BoolArray, rows: int, columns: int) -> Int64Array:
        """Partner of each row's step in the longest alignment, or -1."""

    def edit_distance(self, reference: Int64Array, actual: Int64Array) -> int:
        """Fewest steps to insert, to remove or to replace."""

    def edit_distance_matches(self, matches: BoolArray, rows: int, columns: int) -> int:
        """Fewest steps to insert, to remove or to replace, given what matches what."""

    def assign(self, weights: Float64Array, rows: int, columns: int, *, full: bool) -> Int64Array:
        """Column of each row in the pairing that weighs most, or -1."""

    def context(
        self,
        resolve: Callable[[str], ResolvedPath],
        gold: Sequence[GoldLines],
        rules: ContextRules,
    ) -> ContextKernel:
        """A task's gold, compiled, to score what trajectories viewed."""


class CompiledKernels(Kernels, Protocol):
    """The kernels of the Rust extension, and what it offers beside them."""

    def trajectory_fits(
        self,
        key: object,
        start: object,
        end: object,
        step_offsets: object,
        trajectory_offsets: object,
        gold_key: object,
        gold_start: object,
        gold_end: object,
        gold_offsets: object,
    ) -> bool:
        """Whether arguments of :meth:`trajectory` are evidently what the checks let through."""
