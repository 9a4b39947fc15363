"""Random draws that are the same on every machine, backend and version.

A draw is a function of seed, replicate and index. Hence the order of rows, the number of threads
and other figures do not change any result based on draws.
"""

from __future__ import annotations

from trajmeter.errors import InputError
from trajmeter.kernels._python.draws import draws, picks

__all__ = ["DEFAULT_RESAMPLES", "check_draws", "draws", "picks"]

DEFAULT_RESAMPLES = 9999
"""Replicates of a bootstrap and sign patterns of a test: one less than a round number, so that a
drawn p-value, to which the data themselves add one, has a round denominator."""

_MOST = 2**63 - 1


def check_draws(seed: int, resamples: int) -> None:
    """Reject a seed or a number of replicates that is invalid for draws.

    Raises:
        InputError: The seed is not from 0 to 2**63 - 1, or there are no replicates.
    """
    if type(seed) is not int or not 0 <= seed <= _MOST:
        raise InputError(f"seed is {seed!r}, expected an integer from 0 to {_MOST}")
    if type(resamples) is not int or not 1 <= resamples <= _MOST:
        raise InputError(f"resamples is {resamples!r}, expected an integer of 1 or more")
