"""Turn counts: a worked example, laws, and both backends alike on good and bad input."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import alike, outcome
from trajmeter.errors import ArrayError, InputError, OffsetsError
from trajmeter.kernels import NO_NUMBER, TURN_COUNTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels import Int64Array, Kernels, TurnCountArrays

# Codes are in the order of names: eval_error, multiple_code_blocks, no_code_found, parse_error.
EVAL_ERROR, MULTIPLE, NO_CODE, PARSE_ERROR = range(4)
UNREADABLE = (PARSE_ERROR, NO_CODE, MULTIPLE)


class Turn(NamedTuple):
    success: int = 1
    program: int = 1
    reason: int = -1
    error: int = -1
    number: int = NO_NUMBER
    calls: tuple[tuple[int, int], ...] = ()
    """Success and code of each call."""


def array(values: Sequence[int]) -> Int64Array:
    return np.array(values, np.int64)


def counts(
    kernels: Kernels,
    runs: Sequence[Sequence[Turn]],
    unreadable: Sequence[int] = UNREADABLE,
    reasons: int = 4,
) -> TurnCountArrays:
    turns = [turn for run in runs for turn in run]
    calls = [call for turn in turns for call in turn.calls]
    return kernels.turn_counts(
        array([turn.success for turn in turns]),
        array([turn.program for turn in turns]),
        array([turn.reason for turn in turns]),
        array([turn.error for turn in turns]),
        array([turn.number for turn in turns]),
        array([success for success, _ in calls]),
        array([code for _, code in calls]),
        array([0, *accumulate(len(turn.calls) for turn in turns)]),
        array([0, *accumulate(map(len, runs))]),
        array(unreadable),
        reasons,
    )


def rows(result: TurnCountArrays) -> list[dict[str, int]]:
    table = result[0].reshape(-1, len(TURN_COUNTS)).tolist()
    return [dict(zip(TURN_COUNTS, row, strict=True)) for row in table]


def test_worked_example(kernels: Kernels) -> None:
    run = [
        Turn(0, 0, PARSE_ERROR, error=3, calls=((0, 7), (0, 8))),
        Turn(0, 0, PARSE_ERROR, error=3),
        Turn(1, 1, NO_CODE, error=4, number=30, calls=((-1, 7), (1, -1), (1, -1))),
        Turn(0, 1, EVAL_ERROR, error=5, calls=((1, 8), (1, 9))),
    ]

    result = counts(kernels, [run, []])

    assert rows(result) == [
        {
            "turns": 4,
            "first_turn_valid": 0,  # it has no program
            "first_program": 0,
            "parse_failures": 2,
            "no_code_turns": 1,  # carried by a turn that succeeded
            "multi_code_block_turns": 0,
            "failed_turns": 3,
            "dominant_error": PARSE_ERROR,  # 2 of the failed turns
            "followed_failures": 2,  # the last turn has no successor
            "recovered_failures": 1,
            "repeated_failures": 1,
            "first_recorded_call": 1,
            "first_call": 30,  # both calls of turn 1 failed
            "calls": 7,
            "repeated_calls": 2,  # 7 and 8; malformed calls equal none
            "successful_calls": 4,
            "known_calls": 6,
        },
        dict.fromkeys(TURN_COUNTS, 0)
        | {"first_turn_valid": -1, "dominant_error": -1}
        | {"first_recorded_call": NO_NUMBER, "first_call": NO_NUMBER},
    ]
    assert [column.tolist() for column in result[1:]] == [
        [EVAL_ERROR, NO_CODE, PARSE_ERROR],
        [1, 1, 2],
        [1, 0, 2],
        [0, 3, 3],
    ]


@pytest.mark.parametrize(
    ("run", "valid"),
    [
        ([Turn(1, 1)], 1),
        ([Turn(0, 1, EVAL_ERROR)], 1),
        ([Turn(0, 1, PARSE_ERROR)], 0),
        ([Turn(-1, 1, PARSE_ERROR)], 1),
        ([Turn(1, 0), Turn(1, 1)], 0),
        ([Turn(0, 0, EVAL_ERROR)], -1),
        ([Turn(0, 0), Turn(1, 0, MULTIPLE)], 0),
    ],
)
def test_validity_of_the_first_turn(kernels: Kernels, run: list[Turn], valid: int) -> None:
    assert rows(counts(kernels, [run]))[0]["first_turn_valid"] == valid


def test_of_equally_frequent_reasons_the_lowest_code_dominates(kernels: Kernels) -> None:
    run = [Turn(0, 1, NO_CODE), Turn(0, 1, MULTIPLE), Turn(1, 1, EVAL_ERROR)]

    assert rows(counts(kernels, [run]))[0]["dominant_error"] == MULTIPLE


def test_reasons_that_do_not_occur_have_no_code(kernels: Kernels) -> None:
    row = rows(counts(kernels, [[Turn(1, 0)]], unreadable=(-1, -1, -1), reasons=0))[0]

    assert (row["parse_failures"], row["first_turn_valid"]) == (0, -1)


def test_turns_outside_all_runs_are_not_looked_at(kernels: Kernels) -> None:
    column = array([9, 1, 9])
    outer, bounds, runs, none = (
        array([9, 1, -9]),
        array([0, 1, 2, 3]),
        array([1, 2]),
        array([-1] * 3),
    )

    table = kernels.turn_counts(
        column, column, column, column, column, column, outer, bounds, runs, none, 2
    )[0]

    assert table[0] == 1


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (Turn(success=2), "success 1 is 2, expected -1 to 1"),
        (Turn(success=-2, program=7), "success 1 is -2, expected -1 to 1"),
        (Turn(program=-1), "program 1 is -1, expected 0 to 1"),
        (Turn(reason=4), "reason 1 is 4, expected -1 to 3"),
        (Turn(error=-2), "error 1 is -2, expected -1 or more"),
        (Turn(calls=((2, 0),)), "call_success 0 is 2, expected -1 to 1"),
        (Turn(calls=((0, 0), (0, -2))), "call 1 is -2, expected -1 or more"),
    ],
)
def test_values_that_are_not_allowed(kernels: Kernels, turn: Turn, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        counts(kernels, [[Turn()], [turn]])


def test_codes_of_reasons_that_there_are_not(kernels: Kernels) -> None:
    with pytest.raises(InputError, match=r"^unreadable 1 is 4, expected -1 to 3$"):
        counts(kernels, [[Turn()]], unreadable=(3, 4, 5))


def test_wrong_shapes(kernels: Kernels) -> None:
    one, none, bounds, special = array([1]), array([]), array([0, 0]), array([-1, -1, -1])
    good = [one, one, one, one, one, none, none, bounds, array([0, 1]), special, 2]

    def call_with(position: int, value: object) -> None:
        arguments = [*good[:position], value, *good[position + 1 :]]
        kernels.turn_counts(*arguments)  # type: ignore[arg-type] # what is tested

    with pytest.raises(ArrayError, match="program has 0 values, expected 1, as many as success"):
        call_with(1, none)
    with pytest.raises(ArrayError, match="call has 1 values, expected 0"):
        call_with(6, one)
    with pytest.raises(ArrayError, match="call_offsets has 1 values, expected 2, one more"):
        call_with(7, array([0]))
    with pytest.raises(OffsetsError, match=r"run_offsets\[1\] is 2, expected at most 1"):
        call_with(8, array([0, 2]))
    with pytest.raises(ArrayError, match="unreadable has 1 values, expected 3"):
        call_with(9, one)
    with pytest.raises(InputError, match="reasons is -1, expected an int of 0 or more"):
        call_with(10, -1)


turn_values = st.builds(
    Turn,
    success=st.integers(-1, 1),
    program=st.integers(0, 1),
    reason=st.integers(-1, 3),
    error=st.integers(-1, 2),
    number=st.just(NO_NUMBER) | st.integers(-5, 5),
    calls=st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 3)), max_size=3).map(tuple),
)
bad_turns = st.builds(
    Turn,
    success=st.integers(-2, 2),
    program=st.integers(-1, 2),
    reason=st.integers(-2, 5),
    error=st.integers(-2, 2),
    number=st.just(NO_NUMBER) | st.integers(-5, 5),
    calls=st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 3)), max_size=3).map(tuple),
)


@given(st.lists(st.lists(turn_values, max_size=6), max_size=4))
def test_backends_agree(rust: Kernels, twin: Kernels, runs: list[list[Turn]]) -> None:
    assert alike(counts(rust, runs), counts(twin, runs))


@given(
    runs=st.lists(st.lists(turn_values | bad_turns, max_size=4), max_size=4),
    unreadable=st.lists(st.integers(-2, 5), min_size=3, max_size=3),
    reasons=st.integers(0, 5),
)
def test_backends_refuse_the_same_inputs(
    rust: Kernels,
    twin: Kernels,
    runs: list[list[Turn]],
    unreadable: list[int],
    reasons: int,
) -> None:
    def format_exception(kernels: Kernels) -> object:
        return outcome(lambda: counts(kernels, runs, unreadable, reasons))

    assert alike(format_exception(rust), format_exception(twin))


def test_backends_agree_on_many_runs(rust: Kernels, twin: Kernels) -> None:
    # More than one thread's worth, and more runs than are checked at a time.
    random = np.random.default_rng(7)
    pool = [
        Turn(
            int(random.integers(-1, 2)),
            int(random.integers(0, 2)),
            reason=int(random.integers(-1, 4)),
            error=int(random.integers(-1, 3)),
            calls=((int(random.integers(-1, 2)), int(random.integers(-1, 9))),),
        )
        for _ in range(500)
    ]
    runs = [
        [pool[at] for at in random.integers(0, 500, length)]
        for length in random.integers(0, 60, 4_000)
    ]
    good = counts(rust, runs)

    assert alike(good, counts(twin, runs))
    runs[-1] = [Turn(success=5)]
    runs[2_000] = [Turn(program=5)]
    assert alike(outcome(counts, rust, runs), outcome(counts, twin, runs))


# Times the constant that spreads codes over a table these are 1, 2, 3 ...: all in its first place.
_UNSPREAD = pow(0x9E37_79B9_7F4A_7C15, -1, 2**64)
CROWDED = [code for at in range(2_500) if (code := at * _UNSPREAD % 2**64) < 2**63]


@pytest.mark.parametrize("count", [1, 2, 31, 255, 256, 257, 1_000])
@pytest.mark.parametrize(
    "code_of",
    [
        pytest.param(lambda at: at, id="different"),
        pytest.param(lambda at: at // 3, id="in threes"),
        pytest.param(lambda at: at % 7 - 1, id="few, some malformed"),
        pytest.param(lambda at: (at % 40) << 57, id="far apart"),
        pytest.param(lambda at: 2**63 - 1 - at % 5, id="the largest"),
        pytest.param(lambda at: CROWDED[at], id="crowded"),
    ],
)
def test_repeated_calls_of_runs_short_and_long(
    kernels: Kernels, count: int, code_of: Callable[[int], int]
) -> None:
    codes = [code_of(at) for at in range(count)]
    # The middle one of three runs: neither neighbour is looked at, though it made the same calls.
    runs = [[Turn(calls=tuple((1, code) for code in codes))]] * 3

    known = [code for code in codes if code >= 0]
    expected = len(known) - len(set(known))
    assert [row["repeated_calls"] for row in rows(counts(kernels, runs))] == [expected] * 3


@given(st.lists(st.lists(turn_values, max_size=6), max_size=4))
def test_runs_do_not_touch_each_other(twin: Kernels, runs: list[list[Turn]]) -> None:
    assert rows(counts(twin, runs)) == [rows(counts(twin, [run]))[0] for run in runs]
