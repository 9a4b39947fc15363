"""Quadratic algorithms are told from linear ones by their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.steps import assert_linear

if TYPE_CHECKING:
    from collections.abc import Callable


def pairs(size: int) -> int:
    count = 0
    for _ in range(size):
        for _ in range(size):
            count += 1
    return count


QUADRATIC: dict[str, Callable[[int], object]] = {
    "loop": pairs,
    "list": lambda size: [[n for n in range(size)] for _ in range(size)],  # noqa: C416 - in Python
    "generator": lambda size: [any(n < 0 for n in range(size)) for _ in range(size)],
    "function": lambda size: [[*map(lambda n: n + 1, range(size))] for _ in range(size)],  # noqa: C417
}


@pytest.mark.parametrize("kind", QUADRATIC)
def test_quadratic_work_fails(kind: str) -> None:
    with pytest.raises(AssertionError, match="with 4 times the input"):
        assert_linear(QUADRATIC[kind], 20)


def test_linear_work_passes() -> None:
    assert_linear(lambda size: [n + 1 for n in range(size)])
    assert_linear(lambda size: sorted(range(size), key=lambda n: -n))
