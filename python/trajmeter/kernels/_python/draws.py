"""Draws: random numbers that are a function of seed, replicate and index.

So threads, backends, row order and other figures do not change what is drawn; nor do numpy
versions, whose streams are not guaranteed to be stable. All arithmetic is modulo 2**64::

    mix(z):  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9
             z = (z ^ z >> 27) * 0x94D049BB133111EB
             return z ^ z >> 31
    draw(seed, b, j) = mix(mix(seed + (b + 1) * G) + (j + 1) * G)      G = 0x9E3779B97F4A7C15

Source: splitmix64 (Steele, Lea and Flood, 2014), nested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Int64Array

__all__ = ["Draws", "draws", "picks"]

Draws: TypeAlias = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF = np.uint64(32)


def draws(seed: int, replicates: range, count: int) -> Draws:
    """The first ``count`` draws of each of some replicates, a row for each replicate.

    Example:
        >>> hex(draws(0, range(1), 1)[0, 0])
        '0xa706dd2f4d197e6f'
    """
    numbers = np.arange(replicates.start, replicates.stop, dtype=np.uint64)
    streams = _mix(np.uint64(seed) + (numbers + _ONE) * _STEP)
    places = (np.arange(count, dtype=np.uint64) + _ONE) * _STEP
    return _mix(streams[:, None] + places)


def picks(seed: int, replicates: range, count: int) -> Int64Array:
    """Which of ``count`` clusters each of some replicates draws, a row for each replicate.

    Example:
        >>> picks(0, range(2), 5).tolist()
        [[3, 3, 1, 3, 3], [1, 1, 4, 0, 2]]
    """
    high = draws(seed, replicates, count)
    high >>= _HALF
    high *= np.uint64(count)
    high >>= _HALF
    return high.view(np.int64)


def _mix(states: Draws) -> Draws:
    mixed: Draws = states >> _SHIFTS[0]
    mixed ^= states
    mixed *= _FIRST
    shifted = mixed >> _SHIFTS[1]
    mixed ^= shifted
    mixed *= _SECOND
    np.right_shift(mixed, _SHIFTS[2], out=shifted)
    mixed ^= shifted
    return mixed
