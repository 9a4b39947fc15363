"""The kernels as everyone calls them: check the arguments once, then compute with a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ArrayError
from trajmeter.kernels import _checked_context, _checks, _joint_checks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._context import ContextKernel, ContextRules, GoldLines, ResolvedPath
    from trajmeter.kernels._contract import (
        BoolArray,
        FaultArrays,
        Float64Array,
        Int64Array,
        JoinArrays,
        Kernels,
        LevelArrays,
        SpanArrays,
        SpanBatch,
        TrajectoryArrays,
        TrajectoryFigureArrays,
        TurnCountArrays,
    )

__all__ = ["CheckedKernels"]


class CheckedKernels:
    """Fulfils :class:`Kernels` with another implementation of it, behind the shared checks.

    Neither backend checks or prepares arrays of its own, so neither can check less than the other.
    """

    __slots__ = ("_backend", "_trajectory_fits")

    def __init__(
        self, backend: Kernels, trajectory_fits: Callable[..., bool] | None = None
    ) -> None:
        """Put the checks in front of ``backend``.

        Args:
            backend: What computes.
            trajectory_fits: Tells of arguments of ``trajectory`` that they are evidently good, at
                a tenth of what the checks cost, which take longer than a small trajectory. It
                never refuses: where it is not sure the checks decide.
        """
        self._backend = backend
        self._trajectory_fits = trajectory_fits or _unsure

    def measure(self, start: Int64Array, end: Int64Array) -> int:
        """Check the spans, then measure."""
        _checks.spans(start, end)
        return self._backend.measure(start, end)

    def measure_batched(
        self, start: Int64Array, end: Int64Array, offsets: Int64Array
    ) -> Int64Array:
        """Check the rows of spans, then measure each."""
        _joint_checks.rows(start, end, offsets)
        return self._backend.measure_batched(start, end, offsets)

    def union(self, start: Int64Array, end: Int64Array) -> SpanArrays:
        """Check the spans, then merge."""
        _checks.spans(start, end)
        return self._backend.union(start, end)

    def union_batched(self, start: Int64Array, end: Int64Array, offsets: Int64Array) -> SpanBatch:
        """Check the rows of spans, then merge each."""
        _joint_checks.rows(start, end, offsets)
        return self._backend.union_batched(start, end, offsets)

    def intersection(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> SpanArrays:
        """Check both sets, then intersect."""
        _checks.spans(start, end)
        _checks.spans(other_start, other_end, "other_")
        return self._backend.intersection(start, end, other_start, other_end)

    def intersection_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> SpanBatch:
        """Check the rows of both sides, then intersect row by row."""
        _joint_checks.rows(start, end, offsets)
        _joint_checks.rows(other_start, other_end, other_offsets, "other_")
        _checks.same_length(offsets, "offsets", other_offsets, "other_offsets")
        return self._backend.intersection_batched(
            start, end, offsets, other_start, other_end, other_offsets
        )

    def difference(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> SpanArrays:
        """Check both sets, then subtract."""
        _checks.spans(start, end)
        _checks.spans(other_start, other_end, "other_")
        return self._backend.difference(start, end, other_start, other_end)

    def difference_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> SpanBatch:
        """Check the rows of both sides, then subtract row by row."""
        _joint_checks.rows(start, end, offsets)
        _joint_checks.rows(other_start, other_end, other_offsets, "other_")
        _checks.same_length(offsets, "offsets", other_offsets, "other_offsets")
        return self._backend.difference_batched(
            start, end, offsets, other_start, other_end, other_offsets
        )

    def intersection_measure(
        self, start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
    ) -> int:
        """Check both sets, then measure what they share."""
        _checks.spans(start, end)
        _checks.spans(other_start, other_end, "other_")
        return self._backend.intersection_measure(start, end, other_start, other_end)

    def intersection_measure_batched(
        self,
        start: Int64Array,
        end: Int64Array,
        offsets: Int64Array,
        other_start: Int64Array,
        other_end: Int64Array,
        other_offsets: Int64Array,
    ) -> Int64Array:
        """Check the rows of both sides, then measure what they share row by row."""
        _joint_checks.rows(start, end, offsets)
        _joint_checks.rows(other_start, other_end, other_offsets, "other_")
        _checks.same_length(offsets, "offsets", other_offsets, "other_offsets")
        return self._backend.intersection_measure_batched(
            start, end, offsets, other_start, other_end, other_offsets
        )

    def check_spans(self, start: Int64Array, end: Int64Array) -> FaultArrays:
        """Check the arrays, then every span."""
        _checks.spans(start, end)
        return self._backend.check_spans(start, end)

    def line_starts(self, buffer: bytes) -> Int64Array:
        """Check the buffer, then find its lines."""
        _checks.buffer(buffer)
        return self._backend.line_starts(buffer)

    def lines_to_bytes(
        self, line_starts: Int64Array, size: int, first: Int64Array, last: Int64Array
    ) -> SpanArrays:
        """Check the file and the ranges, then convert."""
        _checks.integers(line_starts, "line_starts")
        _checks.size(size)
        _joint_checks.ranges(first, last)
        return self._backend.lines_to_bytes(line_starts, size, first, last)

    def lines_to_bytes_batched(
        self,
        line_starts: Int64Array,
        offsets: Int64Array,
        size: Int64Array,
        file: Int64Array,
        first: Int64Array,
        last: Int64Array,
    ) -> SpanArrays:
        """Check the files and the ranges, then convert."""
        _checks.integers(line_starts, "line_starts")
        _checks.offsets(offsets, len(line_starts), of="line starts")
        _checks.integers(size, "size")
        if len(size) != len(offsets) - 1:
            raise ArrayError(
                f"size has {len(size)} values, expected {len(offsets) - 1}, one less than offsets"
            )
        _checks.integers(file, "file")
        _joint_checks.ranges(first, last)
        _checks.same_length(file, "file", first, "first")
        return self._backend.lines_to_bytes_batched(line_starts, offsets, size, file, first, last)

    def bytes_to_lines(
        self, line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array
    ) -> SpanArrays:
        """Check the file and the spans, then convert."""
        _checks.integers(line_starts, "line_starts")
        _checks.size(size)
        _checks.spans(start, end)
        return self._backend.bytes_to_lines(line_starts, size, start, end)

    def gmean(self, values: Float64Array) -> float:
        """Check the array, then average."""
        _checks.floats(values, "values")
        return self._backend.gmean(values)

    def gmean_grouped(self, values: Float64Array, offsets: Int64Array) -> Float64Array:
        """Check the groups, then average each."""
        _checks.floats(values, "values")
        _checks.offsets(offsets, len(values))
        return self._backend.gmean_grouped(values, offsets)

    def check_values(self, values: Float64Array) -> FaultArrays:
        """Check the array, then every value."""
        _checks.floats(values, "values")
        return self._backend.check_values(values)

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
        """Check names and ratios, then average."""
        _checks.buffer(names, "names")
        _checks.offsets(name_offsets, len(names), "name_offsets", "bytes")
        _checks.characters(capitals, "capitals")
        _checks.characters(blanks, "blanks")
        _checks.integers(benchmark, "benchmark")
        _checks.floats(agent, "agent")
        _checks.floats(oracle, "oracle")
        _checks.same_length(benchmark, "benchmark", agent, "agent")
        _checks.same_length(benchmark, "benchmark", oracle, "oracle")
        _checks.offsets(offsets, len(benchmark), of="entries")
        return self._backend.level_advantages(
            names, name_offsets, capitals, blanks, benchmark, agent, oracle, offsets
        )

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
        """Check spans, steps, trajectories and gold, then measure."""
        if not self._trajectory_fits(
            key,
            start,
            end,
            step_offsets,
            trajectory_offsets,
            gold_key,
            gold_start,
            gold_end,
            gold_offsets,
        ):
            _joint_checks.keyed(key, start, end)
            _checks.offsets(step_offsets, len(start), "step_offsets", "spans")
            steps = len(step_offsets) - 1
            _checks.offsets(trajectory_offsets, steps, "trajectory_offsets", "steps")
            _joint_checks.keyed(gold_key, gold_start, gold_end, "gold_")
            _checks.offsets(gold_offsets, len(gold_start), "gold_offsets", "gold spans")
            _checks.same_length(
                trajectory_offsets, "trajectory_offsets", gold_offsets, "gold_offsets"
            )
        return self._backend.trajectory(
            key,
            start,
            end,
            step_offsets,
            trajectory_offsets,
            gold_key,
            gold_start,
            gold_end,
            gold_offsets,
        )

    def trajectory_figures(
        self,
        size: Int64Array,
        added: Int64Array,
        gold_added: Int64Array,
        gold_size: Int64Array,
        trajectory_offsets: Int64Array,
    ) -> TrajectoryFigureArrays:
        """Check that the arrays are of one batch, then divide."""
        _checks.integers(size, "size")
        _checks.integers(added, "added")
        _checks.same_length(size, "size", added, "added")
        _checks.integers(gold_added, "gold_added")
        _checks.same_length(size, "size", gold_added, "gold_added")
        _checks.integers(gold_size, "gold_size")
        _joint_checks.figure_offsets(trajectory_offsets, len(size), len(gold_size))
        return self._backend.trajectory_figures(
            size, added, gold_added, gold_size, trajectory_offsets
        )

    def overlap_join(
        self,
        file: Int64Array,
        start: Int64Array,
        end: Int64Array,
        definition_start: Int64Array,
        definition_end: Int64Array,
        definition_offsets: Int64Array,
    ) -> JoinArrays:
        """Check the spans and the definitions, then pair them."""
        _checks.integers(file, "file")
        _checks.spans(start, end)
        _checks.same_length(start, "start", file, "file")
        _checks.spans(definition_start, definition_end, "definition_")
        _checks.offsets(
            definition_offsets, len(definition_start), "definition_offsets", "definitions"
        )
        return self._backend.overlap_join(
            file, start, end, definition_start, definition_end, definition_offsets
        )

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
        """Check the columns of turns and of calls, then count."""
        _joint_checks.turn_columns(success, program, reason, error, number, run_offsets)
        _joint_checks.call_columns(call_success, call, call_offsets, len(success))
        _checks.integers(unreadable, "unreadable")
        _checks.matrix(len(unreadable), "unreadable", 1, 3)
        _checks.size(reasons, "reasons")
        return self._backend.turn_counts(
            success,
            program,
            reason,
            error,
            number,
            call_success,
            call,
            call_offsets,
            run_offsets,
            unreadable,
            reasons,
        )

    def align(self, reference: Int64Array, actual: Int64Array) -> Int64Array:
        """Check the codes, then align."""
        _joint_checks.codes(reference, actual)
        return self._backend.align(reference, actual)

    def align_matches(self, matches: BoolArray, rows: int, columns: int) -> Int64Array:
        """Check the matrix, then align."""
        _joint_checks.matches(matches, rows, columns)
        return self._backend.align_matches(matches, rows, columns)

    def edit_distance(self, reference: Int64Array, actual: Int64Array) -> int:
        """Check the codes, then measure."""
        _joint_checks.codes(reference, actual)
        return self._backend.edit_distance(reference, actual)

    def edit_distance_matches(self, matches: BoolArray, rows: int, columns: int) -> int:
        """Check the matrix, then measure."""
        _joint_checks.matches(matches, rows, columns)
        return self._backend.edit_distance_matches(matches, rows, columns)

    def assign(self, weights: Float64Array, rows: int, columns: int, *, full: bool) -> Int64Array:
        """Check the matrix, then assign."""
        _checks.floats(weights, "weights")
        _checks.matrix(len(weights), "weights", rows, columns)
        return self._backend.assign(weights, rows, columns, full=full)

    def context(
        self,
        resolve: Callable[[str], ResolvedPath],
        gold: Sequence[GoldLines],
        rules: ContextRules,
    ) -> ContextKernel:
        """Check the files, then compile the gold."""
        return _checked_context.context(self._backend, resolve, gold, rules)


def _unsure(*_: object) -> bool:
    return False
