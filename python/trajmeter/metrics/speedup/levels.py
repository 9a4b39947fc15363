"""Computes figures of many speedup tables with one kernel call."""

from __future__ import annotations

import string
from dataclasses import dataclass
from itertools import accumulate
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.speedup.table import Ratio, SpeedupTable

__all__ = ["LevelFigures", "alphabet", "level_figures"]

_ASCII_BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f "


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """Figures of one table; the means are NaN if no benchmark counts."""

    valid: int
    """Number of benchmarks that count."""
    speedup: float
    """Geometric mean of the agent's ratios."""
    advantage: tuple[float, float, float, float]
    """Advantage at the levels 1 to 4."""


def level_figures(tables: Sequence[SpeedupTable]) -> list[LevelFigures]:
    """Average each table over all its benchmarks, and over groups of benchmarks."""
    codes: dict[str, int] = {}
    benchmark = [
        codes.setdefault(name, len(codes)) for table in tables for name in table.benchmarks
    ]
    names = [name.encode(errors="surrogatepass") for name in codes]
    text = b"".join(names)
    valid, speedup, *advantages = kernels.active().level_advantages(
        text,
        _offsets(map(len, names)),
        *alphabet(text),
        np.array(benchmark, np.int64),
        _numbers([table.agent for table in tables]),
        _numbers([table.oracle for table in tables]),
        _offsets(map(len, tables)),
    )
    columns = (valid.tolist(), speedup.tolist(), *(level.tolist() for level in advantages))
    return [
        LevelFigures(count, mean, (level1, level2, level3, level4))
        for count, mean, level1, level2, level3, level4 in zip(*columns, strict=True)
    ]


def alphabet(names: bytes) -> tuple[str, str]:
    """Return capital letters and whitespace characters, including all that occur in some names.

    Both backends use this function, so that they agree regardless of their Unicode versions.
    """
    if names.isascii():
        return string.ascii_uppercase, _ASCII_BLANKS
    characters = set(names.decode(errors="surrogatepass"))
    return "".join(filter(str.isupper, characters)), "".join(filter(str.isspace, characters))


def _offsets(lengths: Iterable[int]) -> Int64Array:
    return np.fromiter(accumulate(lengths, initial=0), np.int64)


def _numbers(columns: Sequence[list[Ratio]]) -> kernels.Float64Array:
    return np.concatenate([_usable(ratios) for ratios in columns] or [np.empty(0)])


def _usable(ratios: list[Ratio]) -> kernels.Float64Array:
    if not {*map(type, ratios)} <= {float}:
        ratios = [ratio if isinstance(ratio, float) else nan for ratio in ratios]
    return np.array(ratios, np.float64)
