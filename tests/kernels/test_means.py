"""Geometric means: worked cases, laws, and the naive formula where that one works."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import LEAST_DOUBLE
from tests.kernels.strategies import integers, offsets, values
from trajmeter.errors import TrajmeterError, ValueDomainError
from trajmeter.kernels import GMEAN_RELATIVE_TOLERANCE

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Kernels

CASES = json.loads((Path(__file__).parents[1] / "cases" / "means.json").read_text())

positive = st.floats(LEAST_DOUBLE, 1.7976931348623157e308)


def doubles(listed: list[float | str]) -> Float64Array:
    return np.array([float(value) for value in listed], np.float64)


def close(value: float, expected: float) -> bool:
    if math.isnan(expected):
        return math.isnan(value)
    return math.isclose(value, expected, rel_tol=GMEAN_RELATIVE_TOLERANCE, abs_tol=LEAST_DOUBLE)


def by_name(case: dict[str, Any]) -> str:
    name: str = case["name"]
    return name


@pytest.mark.parametrize("case", CASES["cases"], ids=by_name)
def test_worked_case(kernels: Kernels, case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(TrajmeterError) as caught:
            kernels.gmean(doubles(case["values"]))
        assert (caught.value.code, str(caught.value)) == tuple(case["error"].values())
        return
    mean = kernels.gmean(doubles(case["values"]))
    assert close(mean, float(case["expected"]))
    assert math.copysign(1.0, mean) == 1.0


@pytest.mark.parametrize("case", CASES["grouped"], ids=by_name)
def test_worked_groups(kernels: Kernels, case: dict[str, Any]) -> None:
    arguments = (doubles(case["values"]), integers(case["offsets"]))
    if "error" in case:
        with pytest.raises(TrajmeterError) as caught:
            kernels.gmean_grouped(*arguments)
        assert (caught.value.code, str(caught.value)) == tuple(case["error"].values())
        return
    means = kernels.gmean_grouped(*arguments).tolist()
    assert all(map(close, means, doubles(case["expected"]).tolist()))
    assert len(means) == len(case["expected"])


@given(numbers=st.lists(positive, min_size=1, max_size=6))
def test_the_power_of_the_mean_is_the_product(kernels: Kernels, numbers: list[float]) -> None:
    """In exact arithmetic; the n-th power makes n times the relative error."""
    mean = Fraction(kernels.gmean(np.array(numbers)))
    product = math.prod(map(Fraction, numbers))
    error = abs(mean ** len(numbers) / product - 1)
    if mean > Fraction(2.0**-1022):
        assert error <= len(numbers) * GMEAN_RELATIVE_TOLERANCE


@given(numbers=st.lists(positive, min_size=1), seed=st.randoms(use_true_random=False))
def test_a_mean_lies_between_its_values_whatever_their_order(
    kernels: Kernels, numbers: list[float], seed: Any
) -> None:
    mean = kernels.gmean(np.array(numbers))
    assert min(numbers) <= mean <= max(numbers)
    shuffled = np.array(seed.sample(numbers, len(numbers)))
    assert close(kernels.gmean(shuffled), mean), "order does not matter"
    assert close(kernels.gmean(np.array(numbers * 3)), mean), "nor does repetition"


@given(number=positive, count=st.integers(1, 100))
def test_equal_values_come_back_exactly(kernels: Kernels, number: float, count: int) -> None:
    assert kernels.gmean(np.full(count, number)) == number


@pytest.mark.parametrize("spread", [0.1, 1.0, 50.0, 300.0])
@pytest.mark.parametrize("size", [1_000, 8_192, 100_000])
def test_many_values(kernels: Kernels, size: int, spread: float) -> None:
    """Against logarithms summed without rounding, which are exact enough to tell."""
    exponents = np.random.default_rng(size).normal(0.0, spread, size)
    numbers = np.exp2(np.clip(exponents, -1_000.0, 1_000.0))
    exponent = math.fsum(map(math.log2, numbers.tolist())) / size
    assert math.isclose(kernels.gmean(numbers), 2.0**exponent, rel_tol=1e-12)


@given(data=st.data(), numbers=values(good=True))
def test_a_group_is_treated_as_the_plain_mean_does(
    kernels: Kernels, data: st.DataObject, numbers: Float64Array
) -> None:
    bounds = data.draw(offsets(len(numbers)))
    means = kernels.gmean_grouped(numbers, bounds).tolist()
    for mean, (begin, end) in zip(means, pairwise(bounds.tolist()), strict=True):
        group = numbers[begin:end]
        undefined = not len(group) or (0.0 in group and math.inf in group)
        assert close(mean, math.nan if undefined else kernels.gmean(group))


@pytest.mark.parametrize("place", [0, 15, 16, 8_191, 8_192, 300_000])
@pytest.mark.parametrize("bad", [math.nan, -1.0, -math.inf])
def test_a_bad_value_is_found_at_any_position(kernels: Kernels, place: int, bad: float) -> None:
    numbers = np.full(300_001, 1.5)
    numbers[place] = bad
    numbers[place + 1 :] = math.nan
    with pytest.raises(ValueDomainError, match=f"^value {place} is "):
        kernels.gmean(numbers)
