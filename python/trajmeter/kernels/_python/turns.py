"""Turn analysis of many runs at once, from columns of codes: no object per turn.

Texts are coded by the caller, because Python reads and compares them: reasons in the order of their
names, errors and calls so that equal ones share a code.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import InputError
from trajmeter.kernels._arrays import TurnCountArrays
from trajmeter.kernels._constants import NO_NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels._arrays import Int64Array

__all__ = ["turn_counts"]


def turn_counts(
    success: Int64Array,
    program: Int64Array,
    reason: Int64Array,
    error: Int64Array,
    number: Int64Array,
    call_success: Int64Array,
    call: Int64Array,
    call_offsets: Int64Array,
    run_offsets: Int64Array,
    unreadable: Int64Array,
    reasons: int,
) -> TurnCountArrays:
    """Count what the figures of turn analysis are computed from, run by run.

    Args:
        success: For each turn, 1 if it succeeded, 0 if it failed, -1 if unknown.
        program: For each turn, 1 if it has a program, else 0.
        reason: Code of each turn's reason, or -1. Codes are in the order of the names, so among
            equally frequent reasons the first by name has the lowest code.
        error: Code of each turn's reason and message together, or -1 if it has neither.
        number: Each turn's own number, or ``NO_NUMBER`` if its position counts.
        call_success: For each call 1, 0 or -1, as for turns.
        call: Code of each call's name and arguments together, or -1 for a malformed call, which
            equals no other.
        call_offsets: Turn i has the calls ``[call_offsets[i], call_offsets[i + 1])``.
        run_offsets: Run i has the turns ``[run_offsets[i], run_offsets[i + 1])``. Turns outside all
            runs, and their calls, are ignored.
        unreadable: Codes of the reasons ``parse_error``, ``no_code_found`` and
            ``multiple_code_blocks``, in this order; -1 for a reason that does not occur.
        reasons: Number of reasons.

    Returns:
        The ``TURN_COUNTS`` of each run, run by run, as flat memory; and for each run the codes of
        its reasons, ascending, the number of turns with each, the number that failed with it, and
        the offsets of the runs in these three, from 0.

    Raises:
        InputError: A value is not one of its choices; the first one is named, column by column
            in the order of the arguments.
    """
    bounds = run_offsets.tolist()
    call_bounds = call_offsets.tolist()
    turns = slice(bounds[0], bounds[-1])
    calls = slice(call_bounds[turns.start], call_bounds[turns.stop])
    for what, column, part, low, high in (
        ("success", success, turns, -1, 1),
        ("program", program, turns, 0, 1),
        ("reason", reason, turns, -1, reasons - 1),
        ("error", error, turns, -1, None),
        ("call_success", call_success, calls, -1, 1),
        ("call", call, calls, -1, None),
        ("unreadable", unreadable, slice(0, 3), -1, reasons - 1),
    ):
        _check(what, column, part, low, high)

    special = unreadable.tolist()
    rows: list[list[int]] = []
    carried: list[Counter[int]] = []
    failed: list[Counter[int]] = []
    for begin, end in pairwise(bounds):
        row, its_carried, its_failed = _count(
            success[begin:end].tolist(),
            program[begin:end].tolist(),
            reason[begin:end].tolist(),
            error[begin:end].tolist(),
            special,
        )
        first, last = call_bounds[begin], call_bounds[end]
        row += _count_calls(
            call_success[first:last].tolist(),
            call[first:last].tolist(),
            [bound - first for bound in call_bounds[begin : end + 1]],
            number[begin:end],
        )
        rows.append(row)
        carried.append(its_carried)
        failed.append(its_failed)

    codes = [sorted(counts) for counts in carried]
    offsets = np.cumsum([0, *map(len, codes)], dtype=np.int64)
    return TurnCountArrays(
        _flat(rows),
        _flat(codes),
        _flat(
            [[counts[code] for code in known] for counts, known in zip(carried, codes, strict=True)]
        ),
        _flat(
            [[counts[code] for code in known] for counts, known in zip(failed, codes, strict=True)]
        ),
        offsets,
    )


def _count(
    successes: list[int],
    programs: list[int],
    reasons: list[int],
    errors: list[int],
    special: list[int],
) -> tuple[list[int], Counter[int], Counter[int]]:
    carried = Counter(reasons)
    failed = Counter([why for why, success in zip(reasons, successes, strict=True) if not success])
    for counts in (carried, failed):
        counts.pop(-1, None)
    unreadable = [code for code in special if code in carried]
    valid = -1
    if unreadable or 1 in programs:
        valid = int(programs[0] and not (successes[0] == 0 and reasons[0] in unreadable))
    following = list(pairwise(successes))
    row = [
        len(successes),
        valid,
        int(programs[:1] == [1]),
        *[carried[code] for code in special],
        successes.count(0),
        min(failed, key=lambda code: (-failed[code], code), default=-1),
        successes[:-1].count(0),
        following.count((0, 1)),
        sum(
            errors[at] == errors[at + 1] >= 0 for at, pair in enumerate(following) if pair == (0, 0)
        ),
    ]
    return row, carried, failed


def _count_calls(
    successes: list[int], calls: list[int], bounds: list[int], numbers: Int64Array
) -> list[int]:
    well_formed = [code for code in calls if code >= 0]
    return [
        _number_of(0, bounds, numbers) if calls else NO_NUMBER,
        next(
            (_number_of(at, bounds, numbers) for at, good in enumerate(successes) if good),
            NO_NUMBER,
        ),
        len(calls),
        len(well_formed) - len(set(well_formed)),
        successes.count(1),
        len(successes) - successes.count(-1),
    ]


def _number_of(call: int, bounds: list[int], numbers: Int64Array) -> int:
    """Number of the turn that made a call."""
    turn = bisect_right(bounds, call) - 1
    number = int(numbers[turn])
    return turn + 1 if number == NO_NUMBER else number


def _check(what: str, column: Int64Array, part: slice, low: int, high: int | None) -> None:
    for index, value in enumerate(column[part].tolist(), start=part.start):
        if value < low or (high is not None and value > high):
            expected = f"{low} or more" if high is None else f"{low} to {high}"
            raise InputError(f"{what} {index} is {value}, expected {expected}")


def _flat(rows: Sequence[Sequence[int]]) -> Int64Array:
    return np.array(list(chain.from_iterable(rows)), np.int64)
