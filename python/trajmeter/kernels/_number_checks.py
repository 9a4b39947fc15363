"""Checks of the arguments of kernels on numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["groups", "ratios", "values", "weights"]


def values(values: Float64Array) -> None:
    """Check numbers."""
    _checks.floats(values, "values")


def groups(values: Float64Array, offsets: Int64Array) -> None:
    """Check numbers in groups."""
    _checks.floats(values, "values")
    _checks.offsets(offsets, len(values))


def ratios(
    names: bytes,
    name_offsets: Int64Array,
    capitals: str,
    blanks: str,
    benchmark: Int64Array,
    agent: Float64Array,
    oracle: Float64Array,
    offsets: Int64Array,
) -> None:
    """Check the entries of benchmarks, and their names."""
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


def weights(weights: Float64Array, rows: int, columns: int, *, full: bool) -> None:  # noqa: ARG001 - either value is fine
    """Check a matrix of weights."""
    _checks.floats(weights, "weights")
    _checks.matrix(len(weights), "weights", rows, columns)
