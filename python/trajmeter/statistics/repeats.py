"""Repeated attempts: how likely one of k succeeds (pass@k), and how likely all do (pass^k).

Source: Chen et al., Evaluating Large Language Models Trained on Code, 2021, section 2.1.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, prod
from typing import TYPE_CHECKING

from trajmeter.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["ks_of", "mean_pass_at_k", "pass_at_k", "pass_hat_k"]

_ROUND_KS = (5, 10)


def pass_at_k(attempts: int, successes: int, k: int) -> float:
    """Estimate without bias how likely one of k attempts succeeds.

    It is the share of all draws of k attempts that include a success:
    ``1 - C(attempts - successes, k) / C(attempts, k)``.

    Args:
        attempts: Attempts made at the task.
        successes: Number of successes.
        k: Number of attempts to draw.

    Returns:
        A probability, from 0.0 to 1.0.

    Raises:
        InputError: Not ``0 <= successes <= attempts``, or not ``1 <= k <= attempts``.

    Example:
        >>> pass_at_k(5, 2, 2)  # 1 - 3/5 * 2/4
        0.7
    """
    _check(attempts, successes, k)
    failures = attempts - successes
    if failures < k:
        return 1.0
    return 1.0 - prod((failures - drawn) / (attempts - drawn) for drawn in range(k))


def ks_of(attempts: int, *, with_one: bool = True) -> list[int]:
    """Choose the k that this many attempts at a task allow: powers of 2, then 5 and 10.

    Args:
        attempts: Smallest number of attempts at any task.
        with_one: Whether to include k = 1; fc-eval omits it.

    Example:
        >>> ks_of(10)
        [1, 2, 4, 8, 5, 10]
    """
    powers = [1 << exponent for exponent in range(attempts.bit_length())]
    ks = powers if with_one else powers[1:]
    return ks + [k for k in _ROUND_KS if k <= attempts]


def mean_pass_at_k(
    tasks: Iterable[tuple[int, int]] | Mapping[tuple[int, int], int], *, with_one: bool = True
) -> dict[int, float]:
    """Average pass@k over tasks, for every k that all of them allow.

    Args:
        tasks: Attempts and successes at each task, or the number of tasks for each such pair; tasks
            without attempts do not count.
        with_one: Whether k = 1 is among them.

    Returns:
        The mean for each k; empty without attempts.
    """
    counts = {task: number for task, number in Counter(tasks).items() if task[0]}
    least = min((attempts for attempts, _ in counts), default=0)
    total = sum(counts.values())
    means = {}
    for k in ks_of(least, with_one=with_one):
        chances = (Fraction(pass_at_k(*task, k)) * number for task, number in counts.items())
        means[k] = float(sum(chances)) / total
    return means


def pass_hat_k(attempts: int, successes: int, k: int) -> float:
    """Estimate without bias how likely all of k attempts succeed.

    It is the share of all draws of k attempts that include only successes:
    ``C(successes, k) / C(attempts, k)``.

    Args:
        attempts: Attempts made at the task.
        successes: Number of successes.
        k: Number of attempts to draw.

    Returns:
        A probability, from 0.0 to 1.0.

    Raises:
        InputError: As :func:`pass_at_k`.

    Example:
        >>> pass_hat_k(5, 2, 2)  # 1 of the 10 pairs
        0.1
    """
    _check(attempts, successes, k)
    return comb(successes, k) / comb(attempts, k)


def _check(attempts: int, successes: int, k: int) -> None:
    if not 0 <= successes <= attempts:
        raise InputError(f"{successes} of {attempts} attempts succeeded, expected 0 to {attempts}")
    if not 1 <= k <= attempts:
        raise InputError(f"k is {k}, expected 1 to {attempts}, the number of attempts")
