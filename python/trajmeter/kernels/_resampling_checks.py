"""The checks of the arguments of the kernels that resample clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["clusters", "signs"]


def clusters(
    sums: Float64Array, sizes: Int64Array, clusters: int, figures: int, seed: int, resamples: int
) -> None:
    """Raise ``ArrayError`` unless these are sums and sizes of clusters, and sizes of a draw."""
    _checks.floats(sums, "sums")
    _checks.matrix(len(sums), "sums", clusters, figures)
    _checks.integers(sizes, "sizes")
    _checks.same_length(sizes, "sizes", sums, "sums")
    _checks.size(seed, "seed")
    _checks.size(resamples, "resamples")


def signs(
    sums: Float64Array,
    tolerances: Float64Array,
    clusters: int,
    figures: int,
    seed: int,
    resamples: int,
) -> None:
    """Raise ``ArrayError`` unless these are sums of clusters, and sizes of a draw."""
    _checks.floats(sums, "sums")
    _checks.matrix(len(sums), "sums", figures, clusters)
    _checks.floats(tolerances, "tolerances")
    _checks.matrix(len(tolerances), "tolerances", figures, 1)
    _checks.size(seed, "seed")
    _checks.size(resamples, "resamples")
