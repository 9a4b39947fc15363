"""How far agents are ahead of an oracle, with benchmarks grouped by the parts of their names.

A benchmark is called ``module.Class.function(parameters)``. Its ratios are baseline time / time.
Within a group, the agent is ahead by the geometric mean of its ratios minus that of the oracle's;
the advantage at a level is the arithmetic mean over the level's groups.

=====  ===========================================  ==================================
level  benchmarks of one group share                what a name may lack
=====  ===========================================  ==================================
1      the module                                   a lone function has no module
2      the module and the class                     most functions have no class
3      module, class and function: parameters pool  a name of dots only has none
4      everything: there is one group
=====  ===========================================  ==================================

Names that lack a part form a separate group.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import fsum, inf, nan
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trajmeter.errors import InputError
from trajmeter.kernels._arrays import LevelArrays
from trajmeter.kernels._python.means import mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["level_advantages", "split_name"]

_Name: TypeAlias = tuple[str, str, str]
_Entry: TypeAlias = tuple[int, float, float]


def level_advantages(
    names: bytes,
    name_offsets: Int64Array,
    capitals: str,
    blanks: str,
    benchmark: Int64Array,
    agent: Float64Array,
    oracle: Float64Array,
    offsets: Int64Array,
) -> LevelArrays:
    """Average the ratios of many agents, each over all its benchmarks and over groups of them.

    A benchmark is omitted unless both ratios are finite and above 0.

    Args:
        names: Names of all benchmarks, as UTF-8, one after another.
        name_offsets: Name i is ``names[name_offsets[i]:name_offsets[i + 1]]``.
        capitals: Characters with which a class may begin.
        blanks: Characters that are stripped from a name.
        benchmark: Index of each entry's name.
        agent: The agent's ratio of each entry.
        oracle: The oracle's ratio of each entry.
        offsets: Agent i has the entries ``[offsets[i], offsets[i + 1])``.

    Returns:
        For each agent: how many entries count, the geometric mean of the agent's ratios, and the
        advantage at the levels 1 to 4. If none counts, means and advantages are NaN.

    Raises:
        InputError: An entry has a name that does not exist; the first one is named.
    """
    split = [
        split_name(names[begin:end].decode(errors="surrogateescape"), capitals, blanks)
        for begin, end in pairwise(name_offsets.tolist())
    ]
    # One number for each group of each level, so that strings are compared once, not per agent.
    levels = (
        _numbered(name[:1] for name in split),
        _numbered(name[:2] for name in split),
        _numbered(split),
    )
    bounds = offsets.tolist()
    codes = benchmark.tolist()
    _check_codes(codes, bounds[0], bounds[-1], len(split))
    entries = list(zip(codes, agent.tolist(), oracle.tolist(), strict=True))
    figures = [_figures(entries[begin:end], levels) for begin, end in pairwise(bounds)]
    valid, speedup, *advantages = zip(*figures, strict=True) if figures else [()] * 6
    level1, level2, level3, level4 = (np.array(level, np.float64) for level in advantages)
    return LevelArrays(
        np.array(valid, np.int64),
        np.array(speedup, np.float64),
        level1,
        level2,
        level3,
        level4,
    )


def split_name(name: str, capitals: str, blanks: str) -> _Name:
    """Split a benchmark's name.

    Blanks around it and its parameters in brackets are removed, and it is split at the dots. What
    comes before the last part is the module; but if that has at least two parts, and its last part
    begins with a capital, that part is the class.

    Returns:
        Module, class and function; ``""`` for a part that the name lacks.
    """
    name = name.strip(blanks)
    if name.endswith(")"):
        name = name.partition("(")[0].strip(blanks)
    *rest, function = [part for part in name.split(".") if part] or [""]
    if len(rest) > 1 and rest[-1][0] in capitals:
        return ".".join(rest[:-1]), rest[-1], function
    return ".".join(rest), "", function


def _numbered(groups: Iterable[tuple[str, ...]]) -> list[int]:
    numbers: dict[tuple[str, ...], int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in groups]


def _check_codes(codes: list[int], begin: int, end: int, count: int) -> None:
    used = codes[begin:end]
    if used and not 0 <= min(used) <= max(used) < count:
        index = next(index for index in range(begin, end) if not 0 <= codes[index] < count)
        raise InputError(
            f"benchmark {index} is {codes[index]}, expected at least 0 and less than {count}, "
            "the number of benchmarks"
        )


def _figures(
    entries: list[_Entry], levels: Iterable[list[int]]
) -> tuple[int, float, float, float, float, float]:
    usable = [entry for entry in entries if 0.0 < entry[1] < inf and 0.0 < entry[2] < inf]
    speedup = mean([agent for _, agent, _ in usable])
    level1, level2, level3 = (_advantage(usable, groups) for groups in levels)
    level4 = speedup - mean([oracle for _, _, oracle in usable])
    return len(usable), speedup, level1, level2, level3, level4


def _advantage(entries: list[_Entry], groups: list[int]) -> float:
    agents: defaultdict[int, list[float]] = defaultdict(list)
    oracles: defaultdict[int, list[float]] = defaultdict(list)
    for code, agent, oracle in entries:
        group = groups[code]
        agents[group].append(agent)
        oracles[group].append(oracle)
    if not agents:
        return nan
    count = len(agents)
    # Divided before they are summed, the leads cannot exceed the greatest double.
    return fsum((mean(agents[group]) - mean(oracles[group])) / count for group in agents)
