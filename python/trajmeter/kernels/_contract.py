"""The contract of both backends: every kernel with its signature, check and Python twin.

Each kernel is declared once, here; the checked kernels of both backends are derived from the
declarations in :data:`KERNELS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from trajmeter.kernels import (
    _checks,
    _context_checks,
    _number_checks,
    _resampling_checks,
    _span_checks,
    _trajectory_checks,
    _turn_checks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.kernels._arrays import (
        BoolArray,
        EditedLineArrays,
        Float64Array,
        Int64Array,
        LevelArrays,
        SpanArrays,
        SpanBatch,
        TrajectoryArrays,
        TrajectoryFigureArrays,
        TurnCountArrays,
    )
    from trajmeter.kernels._context import (
        ContextFiles,
        ContextKernel,
        ContextRules,
        GoldLines,
        ResolvedPath,
    )
    from trajmeter.kernels._context_batch import (
        ContextBatchArrays,
        EditGoldKernel,
        FileListing,
        Texts,
        ViewArrays,
    )

__all__ = ["KERNELS", "Declaration", "Kernels"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Declaration(NamedTuple):
    """The declaration of a kernel, in addition to its signature."""

    twin: str
    """Module of ``trajmeter.kernels._python`` that defines the kernel in Python."""
    check: Callable[..., None]
    """Function with the kernel's arguments that raises if their types or shapes are invalid."""


KERNELS: dict[str, Declaration] = {}
"""Every kernel by name."""


def _kernel(
    twin: str, check: Callable[_P, None]
) -> Callable[[Callable[Concatenate[Kernels, _P], _R]], Callable[Concatenate[Kernels, _P], _R]]:
    """Declare a method of :class:`Kernels` as a kernel; mypy checks the check's signature."""

    def declare(
        method: Callable[Concatenate[Kernels, _P], _R],
    ) -> Callable[Concatenate[Kernels, _P], _R]:
        KERNELS[method.__name__] = Declaration(twin, check)
        return method

    return declare


def _buffer(buffer: bytes) -> None:
    _checks.buffer(buffer)


def _patch(patch: str) -> None:
    _checks.characters(patch, "patch")


class Kernels(Protocol):
    """All kernels, with the same names, argument order and errors in Rust and Python.

    The docstrings of the Python twins in ``trajmeter.kernels._python`` define the results.
    """

    @_kernel("spans", _checks.spans)
    def measure(self, start: Int64Array, end: Int64Array) -> int:
        """Number of bytes covered by the spans; overlaps count once."""

    @_kernel("spans", _span_checks.rows)
    def measure_batched(
        self, start: Int64Array, end: Int64Array, offsets: Int64Array
    ) -> Int64Array:
        """Number of bytes covered by each row of spans."""

    @_kernel("spans", _checks.spans)
    def union(self, start: Int64Array, end: Int64Array) -> SpanArrays:
        """Canonical set of the bytes covered by the spans."""

    @_kernel("spans", _span_checks.rows)
    def union_batched(self, start: Int64Array, end: Int64Array, offsets: Int64Array) -> SpanBatch:
        """Canonical set of each row of spans."""

    @_kernel("spans", _span_checks.two_sets)
    def intersection(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> SpanArrays:
        """Canonical set of the bytes covered by both sets."""

    @_kernel("spans", _span_checks.two_batches)
    def intersection_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> SpanBatch:
        """Canonical set of the bytes covered by each row and by its partner."""

    @_kernel("spans", _span_checks.two_sets)
    def difference(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> SpanArrays:
        """Canonical set of the bytes covered by the first set but not by the other."""

    @_kernel("spans", _span_checks.two_batches)
    def difference_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> SpanBatch:
        """Canonical set of the bytes covered by each row but not by its partner."""

    @_kernel("lines", _buffer)
    def line_starts(self, buffer: bytes) -> Int64Array:
        """First byte of each line, including the empty line after a final newline."""

    @_kernel("lines", _span_checks.of_file)
    def bytes_to_lines(
        self, line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array
    ) -> SpanArrays:
        """First and last line that each span of one file touches."""

    @_kernel("means", _number_checks.values)
    def gmean(self, values: Float64Array) -> float:
        """Geometric mean of all values."""

    @_kernel("means", _number_checks.groups)
    def gmean_grouped(self, values: Float64Array, offsets: Int64Array) -> Float64Array:
        """Geometric mean of each group of values; NaN where it is undefined."""

    @_kernel("resampling", _resampling_checks.clusters)
    def cluster_means(
        self,
        sums: Float64Array,
        sizes: Int64Array,
        clusters: int,
        figures: int,
        seed: int,
        resamples: int,
    ) -> Float64Array:
        """Mean of each figure in each bootstrap replicate of the clusters."""

    @_kernel("resampling", _resampling_checks.signs)
    def sign_flips(
        self,
        sums: Float64Array,
        tolerances: Float64Array,
        clusters: int,
        figures: int,
        seed: int,
        resamples: int,
    ) -> Int64Array:
        """Number of random sign patterns for which each figure's sum is at least as large."""

    @_kernel("levels", _number_checks.ratios)
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
        """Advantage of each agent over the oracle, over all benchmarks and over groups."""

    @_kernel("trajectory", _trajectory_checks.steps)
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
        """Sizes of each step of many trajectories: viewed, newly viewed, and gold among the new."""

    @_kernel("trajectory", _trajectory_checks.step_sizes)
    def trajectory_figures(
        self,
        size: Int64Array,
        added: Int64Array,
        gold_added: Int64Array,
        gold_size: Int64Array,
        trajectory_offsets: Int64Array,
    ) -> TrajectoryFigureArrays:
        """Coverage, AUC-coverage and redundancy, from the sizes of :meth:`trajectory`."""

    @_kernel("turns", _turn_checks.turns)
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
        """Counts behind the figures of turn analysis, run by run."""

    @_kernel("sequences", _checks.codes)
    def align(self, reference: Int64Array, actual: Int64Array) -> Int64Array:
        """Index of each reference step's partner in the longest alignment, or -1."""

    @_kernel("sequences", _checks.matches)
    def align_matches(self, matches: BoolArray, rows: int, columns: int) -> Int64Array:
        """Column of each row's partner in the longest alignment, or -1."""

    @_kernel("sequences", _checks.codes)
    def edit_distance(self, reference: Int64Array, actual: Int64Array) -> int:
        """Minimum number of insertions, deletions and substitutions."""

    @_kernel("sequences", _checks.matches)
    def edit_distance_matches(self, matches: BoolArray, rows: int, columns: int) -> int:
        """Minimum number of insertions, deletions and substitutions, given which steps match."""

    @_kernel("assignment", _number_checks.weights)
    def assign(self, weights: Float64Array, rows: int, columns: int, *, full: bool) -> Int64Array:
        """Column of each row in the pairing of maximum total weight, or -1."""

    @_kernel("patches", _patch)
    def edited_lines(self, patch: str) -> EditedLineArrays:
        """Lines of each file that a patch edits."""

    @_kernel("likeness", _checks.trees)
    def likeness(
        self,
        nodes: Int64Array,
        numbers: Int64Array,
        tolerances: Int64Array,
        reference: Int64Array,
        actual: Int64Array,
    ) -> Float64Array:
        """Likeness of the arguments of each pair of calls, or -1 if numbers leave it undecided."""

    @_kernel("context_files", _context_checks.rules)
    def context_files(
        self,
        resolve: Callable[[str], ResolvedPath],
        rules: ContextRules,
        listing: FileListing | None = None,
    ) -> ContextFiles:
        """Create the files of a repository, which its tasks share."""

    @_kernel("context", _context_checks.gold)
    def context(self, files: ContextFiles, gold: Sequence[GoldLines]) -> ContextKernel:
        """Compile a task's gold, to score the views of trajectories."""

    @_kernel("context_batch", _context_checks.attempts)
    def context_batch(
        self,
        tasks: Sequence[ContextKernel],
        task: Int64Array,
        views: ViewArrays,
        step_offsets: Int64Array,
        row_offsets: Int64Array,
        final_offsets: Int64Array,
        has_final: BoolArray,
        paths: Texts,
        names: Texts,
    ) -> ContextBatchArrays:
        """Compare the views of many attempts with the gold of their tasks."""

    @_kernel("edits", _context_checks.edit_gold)
    def edit_gold(
        self, patch: str, ranges: Mapping[str, Sequence[tuple[int, int]]]
    ) -> EditGoldKernel:
        """Compile a task's gold patch and initial ranges, to compare patches with them."""

    @_kernel("edits", _context_checks.edits)
    def edit_counts(
        self, tasks: Sequence[EditGoldKernel], task: Int64Array, patches: Texts
    ) -> Int64Array:
        """Compare the edited and deleted lines of many patches with the gold of their tasks."""
