"""Resampling clusters: the draws, cases worked by hand, laws, and both backends to the last bit."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import outcome
from tests.kernels.strategies import integers
from trajmeter.errors import ArrayError, InputError, ValueDomainError
from trajmeter.kernels._python.draws import draws, picks

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array, Kernels

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15

finite = st.floats(allow_nan=False, allow_infinity=False)
number = (
    st.floats(-10.0, 10.0) | finite | st.sampled_from([0.0, -0.0, 5e-324, 1.7976931348623157e308])
)


def draw(seed: int, replicate: int, index: int) -> int:
    """The definition, word for word."""

    def mix(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    return mix((mix((seed + (replicate + 1) * STEP) & MASK) + (index + 1) * STEP) & MASK)


@given(seed=st.integers(0, 2**63 - 1), replicate=st.integers(0, 10**6), count=st.integers(1, 70))
def test_draws_follow_the_definition(seed: int, replicate: int, count: int) -> None:
    drawn = draws(seed, range(replicate, replicate + 2), count)
    assert drawn.tolist() == [
        [draw(seed, each, index) for index in range(count)] for each in (replicate, replicate + 1)
    ]
    taken = picks(seed, range(replicate, replicate + 1), count).tolist()
    assert taken == [[(draw(seed, replicate, i) >> 32) * count >> 32 for i in range(count)]]


def test_known_draws() -> None:
    assert draws(0, range(1), 1).tolist() == [[0xA706DD2F4D197E6F]]
    assert picks(0, range(2), 5).tolist() == [[3, 3, 1, 3, 3], [1, 1, 4, 0, 2]]


def test_a_mean_is_the_sum_over_the_size_of_the_drawn_clusters(kernels: Kernels) -> None:
    """Of five clusters replicate 0 takes 3 3 1 3 3, and replicate 1 takes 1 1 4 0 2."""
    sums, sizes = np.array([1.0, 2.0, 4.0, 0.5, 0.25]), integers([1, 2, 1, 1, 4])
    means = kernels.cluster_means(sums, sizes, 5, 1, 0, 2)
    # Sums of 4 * 0.5 + 2, and of 2 + 2 + 0.25 + 1 + 4.
    assert means.tolist() == [4 / 6, 9.25 / 10]


def test_a_replicate_without_a_value_has_no_mean(kernels: Kernels) -> None:
    """Replicate 1 takes the cluster that has one, replicate 0 does not."""
    means = kernels.cluster_means(
        np.array([3.0, 0, 0, 0, 0]), integers([1, 0, 0, 0, 0]), 5, 1, 0, 2
    )
    assert np.isnan(means[0])
    assert means[1] == 3.0


@given(
    sums=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    seed=st.integers(0, 2**63 - 1),
    sizes=st.lists(st.integers(1, 9), min_size=30, max_size=30),
)
def test_means_are_those_of_exact_arithmetic(
    kernels: Kernels, sums: list[float], seed: int, sizes: list[int]
) -> None:
    count = len(sums)
    means = kernels.cluster_means(np.array(sums), integers(sizes[:count]), count, 1, seed, 3)
    unit = max(map(abs, sums)) * 2.0**-50 + 5e-324
    for mean, taken in zip(means.tolist(), picks(seed, range(3), count).tolist(), strict=True):
        expected = sum(Fraction(sums[c]) for c in taken) / sum(sizes[c] for c in taken)
        assert abs(mean - expected) <= unit * count


def test_every_sign_pattern_of_few_clusters(kernels: Kernels) -> None:
    """Their share in many draws is near that of all patterns: 24 of 32."""
    sums = np.array([0.1, -0.1, 0.1, -0.1, 0.2])
    patterns = [
        sum(s * d for s, d in zip(signs, sums, strict=True)) for signs in product((1, -1), repeat=5)
    ]
    exact = sum(abs(total) >= abs(sums.sum()) - 1e-12 for total in patterns)
    assert exact == 24
    (hits,) = kernels.sign_flips(sums, np.array([1e-12]), 5, 1, 0, 100_000)
    assert hits / 100_000 == pytest.approx(24 / 32, abs=0.005)


@given(
    sums=st.lists(st.integers(-9, 9), min_size=1, max_size=130),
    seed=st.integers(0, 2**63 - 1),
)
def test_signs_change_where_bits_are_set(kernels: Kernels, sums: list[int], seed: int) -> None:
    expected = 0
    for replicate in range(4):
        bits = [draw(seed, replicate, j // 64) >> (j % 64) & 1 for j in range(len(sums))]
        total = sum(-d if bit else d for d, bit in zip(sums, bits, strict=True))
        expected += abs(total) >= abs(sum(sums))
    floats = np.array(sums, np.float64)
    assert kernels.sign_flips(floats, np.zeros(1), len(sums), 1, seed, 4).tolist() == [expected]
    assert kernels.sign_flips(-floats, np.zeros(1), len(sums), 1, seed, 4).tolist() == [expected]
    padded = np.append(floats, [0.0, 0.0])
    assert kernels.sign_flips(padded, np.zeros(1), len(padded), 1, seed, 4).tolist() == [expected]


@st.composite
def tables(draw_: st.DrawFn) -> tuple[Float64Array, Int64Array, int, int]:
    clusters, figures = draw_(st.integers(0, 12)), draw_(st.integers(0, 11))
    cells = clusters * figures
    usual = st.lists(number, min_size=cells, max_size=cells)
    sums = draw_(usual | st.lists(number | st.floats(), min_size=cells, max_size=cells))
    sizes = draw_(
        st.lists(st.integers(0, 5), min_size=cells, max_size=cells)
        | st.lists(st.integers(-1, 2**60), min_size=cells, max_size=cells)
    )
    return np.array(sums, np.float64), integers(sizes), clusters, figures


@given(table=tables(), seed=st.integers(0, 2**63 - 1), resamples=st.integers(0, 5))
def test_both_backends_give_the_same_bytes(
    rust: Kernels, twin: Kernels, table: Any, seed: int, resamples: int
) -> None:
    def said(kernels: Kernels, kernel: str, *arguments: object) -> object:
        result = outcome(getattr(kernels, kernel), *arguments)
        return result.tobytes() if isinstance(result, np.ndarray) else result

    sums, sizes, clusters, figures = table
    means = (sums, sizes, clusters, figures, seed, resamples)
    assert said(rust, "cluster_means", *means) == said(twin, "cluster_means", *means)
    flips = (sums, np.full(figures, 1e-9), clusters, figures, seed, resamples)
    assert said(rust, "sign_flips", *flips) == said(twin, "sign_flips", *flips)


@pytest.mark.parametrize(("clusters", "figures"), [(3, 2), (70, 20), (5_000, 1), (40_000, 3)])
def test_large_tables_too(rust: Kernels, twin: Kernels, clusters: int, figures: int) -> None:
    random = np.random.default_rng(clusters)
    sums = random.normal(0.0, 1.0, clusters * figures) * 10.0 ** random.integers(-9, 9)
    sizes = random.integers(0, 9, clusters * figures)
    arguments = (clusters, figures, 11, 130)
    ours = rust.cluster_means(sums, sizes, *arguments)
    assert ours.tobytes() == twin.cluster_means(sums, sizes, *arguments).tobytes()
    tolerances = np.full(figures, 1e-12)
    hits = rust.sign_flips(sums, tolerances, *arguments)
    assert hits.tolist() == twin.sign_flips(sums, tolerances, *arguments).tolist()


def test_a_figure_is_the_same_beside_others(kernels: Kernels) -> None:
    random = np.random.default_rng(0)
    sums, sizes = random.normal(0.0, 1.0, (50, 12)), random.integers(0, 4, (50, 12))
    together = kernels.cluster_means(sums.ravel(), sizes.ravel(), 50, 12, 4, 40).reshape(40, 12)
    for figure in range(12):
        own = np.ascontiguousarray(sums[:, figure]), np.ascontiguousarray(sizes[:, figure])
        alone = kernels.cluster_means(*own, 50, 1, 4, 40)
        assert alone.tobytes() == np.ascontiguousarray(together[:, figure]).tobytes()


def test_figures_beyond_the_largest_float_are_infinite(kernels: Kernels) -> None:
    """Replicate 0 takes 3 3 1 3 3, of five values, and replicate 1 takes 1 1 4 0 2, of two."""
    sums, sizes = np.full(5, 1.7e308), integers([0, 1, 0, 1, 0])
    assert kernels.cluster_means(sums, sizes, 5, 1, 0, 2).tolist() == [1.7e308, np.inf]
    hits = kernels.sign_flips(np.full(10, 1e-300), np.array([1.7e308, -1.7e308]), 5, 2, 0, 2)
    assert hits.tolist() == [2, 0]


GOOD: dict[str, dict[str, Any]] = {
    "cluster_means": {"sums": np.ones(6), "sizes": integers([1] * 6)},
    "sign_flips": {"sums": np.ones(6), "tolerances": np.zeros(2)},
}
SHAPE = {"clusters": 3, "figures": 2, "seed": 0, "resamples": 2}


@pytest.mark.parametrize(
    ("kernel", "changed", "error", "message"),
    [
        ("cluster_means", {"sums": [1.0]}, ArrayError, "sums is a list"),
        ("cluster_means", {"sums": np.ones(5)}, ArrayError, "sums has 5 values, expected 6"),
        ("cluster_means", {"sizes": integers([1])}, ArrayError, "sums has 6 values, expected 1"),
        ("cluster_means", {"sizes": np.ones(6)}, ArrayError, "sizes has dtype float64"),
        ("cluster_means", {"seed": -1}, InputError, "seed is -1"),
        ("cluster_means", {"resamples": 1.5}, InputError, "resamples is 1.5"),
        ("cluster_means", {"sums": np.array([1, 1, np.nan, np.inf, 1, 1])}, ValueDomainError,
         "^sum 2 is NaN, expected a finite number$"),
        ("cluster_means", {"sizes": integers([1, 1, -3, 1, 1, 1])}, InputError,
         "^size 2 is -3, expected 0 to 3002399751580330$"),
        ("sign_flips", {"sums": np.ones(7)}, ArrayError, "sums has 7 values, expected 6"),
        ("sign_flips", {"tolerances": np.zeros(3)}, ArrayError, "tolerances has 3 values"),
        ("sign_flips", {"tolerances": np.array([0.0, -np.inf])}, ValueDomainError,
         "^tolerance 1 is -inf, expected a finite number$"),
        ("sign_flips", {"seed": 2**63}, InputError, "seed is 9223372036854775808"),
    ],
)  # fmt: skip
def test_refusals(
    kernels: Kernels, kernel: str, changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        getattr(kernels, kernel)(**GOOD[kernel] | SHAPE | changed)
