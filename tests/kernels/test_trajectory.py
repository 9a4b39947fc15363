"""The trajectory kernel: worked examples, laws, and both backends alike on good and bad input."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.batches import (
    Span,
    Steps,
    Trajectory,
    arguments,
    scattered,
)
from tests.kernels.outcomes import outcome
from trajmeter.errors import ArrayError, OffsetsError, TrajmeterError
from trajmeter.kernels import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Int64Array, Kernels

CASES = json.loads((Path(__file__).parents[1] / "cases" / "trajectory.json").read_text())["cases"]
MAXIMUM = 2**63 - 1


def measured(kernels: Kernels, arrays: Sequence[Int64Array]) -> list[list[int]]:
    """Size, added and gold added of all steps, and each trajectory's gold size."""
    results = kernels.trajectory(*arrays)
    assert {result.dtype for result in results} == {np.dtype(np.int64)}
    return [result.tolist() for result in results]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_worked_examples(kernels: Kernels, case: dict[str, Any]) -> None:
    arrays = arguments([(case["steps"], case["gold"])])
    if "error" in case:
        with pytest.raises(TrajmeterError) as refusal:
            kernels.trajectory(*arrays)
        assert case["error"] == {"code": refusal.value.code, "message": str(refusal.value)}
        return
    results = kernels.trajectory(*arrays)
    coverage, auc, redundancy = kernels.trajectory_figures(*results, arrays[4])
    names = ("size", "added", "gold_added", "coverage")
    answer = dict(zip(names, [*results[:3], coverage], strict=True))
    undefined = {
        name: [None if number != number else number for number in values.tolist()]  # noqa: PLR0124 - NaN
        for name, values in {
            **answer,
            "gold_size": results[3],
            "auc_coverage": auc,
            "redundancy": redundancy,
        }.items()
    }
    single = {name: undefined[name][0] for name in ("gold_size", "auc_coverage", "redundancy")}
    assert {**undefined, **single} == case["expected"]


# What a user would make of the definition, byte by byte.


def by_the_book(steps: Steps, gold: Sequence[Span]) -> list[list[int]]:
    golden = {(key, byte) for key, start, end in gold for byte in range(start, end)}
    seen: set[tuple[int, int]] = set()
    rows = []
    for step in steps:
        own = {(key, byte) for key, start, end in step for byte in range(start, end)}
        rows.append((len(own), len(own - seen), len((own - seen) & golden)))
        seen |= own
    return [*([row[side] for row in rows] for side in range(3)), [len(golden)]]


keys = st.sampled_from([0, 1, 2, 2**40, MAXIMUM])
small_spans = st.tuples(keys, st.integers(0, 200), st.integers(0, 90)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)
far_spans = st.tuples(
    keys, st.integers(0, 90), st.sampled_from([0, 2**20, 2**33, MAXIMUM - 200]), st.integers(0, 90)
).map(lambda drawn: (drawn[0], drawn[1] + drawn[2], drawn[1] + drawn[2] + drawn[3]))
any_spans = st.one_of(small_spans, far_spans)


def trajectories(spans: st.SearchStrategy[Span]) -> st.SearchStrategy[Trajectory]:
    steps = st.lists(st.lists(spans, max_size=12), max_size=8)
    return st.tuples(steps, st.lists(spans, max_size=6))


@given(trajectories(small_spans))
def test_counts_bytes(kernels: Kernels, trajectory: Trajectory) -> None:
    assert measured(kernels, arguments([trajectory])) == by_the_book(*trajectory)


edges = st.sampled_from([-(2**63), -2, -1, 0, 1, 5, 63, 64, MAXIMUM - 1, MAXIMUM])
bad_spans = st.one_of(any_spans, st.tuples(st.one_of(keys, edges), edges, edges))


@given(st.lists(trajectories(any_spans), max_size=5))
def test_backends_agree_on_good_input(rust: Kernels, batch: list[Trajectory]) -> None:
    arrays = arguments(batch)
    assert outcome(measured, rust, arrays) == outcome(measured, load("python"), arrays)


@given(st.lists(trajectories(bad_spans), max_size=5))
def test_backends_agree_on_bad_input(rust: Kernels, batch: list[Trajectory]) -> None:
    arrays = arguments(batch)
    assert outcome(measured, rust, arrays) == outcome(measured, load("python"), arrays)


@given(st.lists(trajectories(any_spans), max_size=5))
def test_batch_is_its_trajectories_one_by_one(kernels: Kernels, batch: list[Trajectory]) -> None:
    singles = [measured(kernels, arguments([trajectory])) for trajectory in batch]
    joined = [[number for single in singles for number in single[side]] for side in range(4)]
    assert measured(kernels, arguments(batch)) == joined


@given(st.lists(trajectories(any_spans), min_size=1, max_size=5), st.data())
def test_slice_of_a_batch(kernels: Kernels, batch: list[Trajectory], data: st.DataObject) -> None:
    """Offsets that begin above 0 leave out what lies before them, even if it is bad."""
    first = data.draw(st.integers(0, len(batch)), label="first")
    last = data.draw(st.integers(first, len(batch)), label="last")
    whole = arguments(batch)
    part = arguments(batch[first:last])
    whole[4], whole[8] = whole[4][first : last + 1], whole[8][first : last + 1]
    outside = np.ones(len(whole[1]), bool)
    outside[whole[3][whole[4][0]] : whole[3][whole[4][-1]]] = False
    whole[1] = np.where(outside, -5, whole[1])
    assert measured(kernels, whole) == measured(kernels, part)


@given(trajectories(any_spans), st.randoms(use_true_random=False))
def test_order_within_a_step_says_nothing(
    kernels: Kernels, trajectory: Trajectory, random: Any
) -> None:
    steps, gold = trajectory
    mixed = [random.sample(step, len(step)) for step in steps]
    arrays = arguments([(mixed, random.sample(gold, len(gold)))])
    assert measured(kernels, arrays) == measured(kernels, arguments([trajectory]))


@given(trajectories(any_spans))
def test_names_of_keys_say_nothing(kernels: Kernels, trajectory: Trajectory) -> None:
    steps, gold = trajectory
    renamed = {key: 1000 - 7 * index for index, key in enumerate([0, 1, 2, 2**40, MAXIMUM])}
    arrays = arguments(
        [
            (
                [[(renamed[key], start, end) for key, start, end in step] for step in steps],
                [(renamed[key], start, end) for key, start, end in gold],
            )
        ]
    )
    assert measured(kernels, arrays) == measured(kernels, arguments([trajectory]))


@given(trajectories(small_spans))
def test_spans_cut_in_two_are_the_same_bytes(kernels: Kernels, trajectory: Trajectory) -> None:
    steps, gold = trajectory
    halves = [
        [
            half
            for key, start, end in step
            for half in ((key, start, (start + end) // 2), (key, (start + end) // 2, end))
        ]
        for step in steps
    ]
    assert measured(kernels, arguments([(halves, gold)])) == measured(
        kernels, arguments([trajectory])
    )


@given(trajectories(small_spans))
def test_coverage_rises_and_each_size_is_within_the_one_before(
    kernels: Kernels, trajectory: Trajectory
) -> None:
    """Coverage rises from 0 to at most 1, and what is gold was new, what was new was seen."""
    arrays = arguments([trajectory])
    results = kernels.trajectory(*arrays)
    size, added, gold_added, gold_size = (result.tolist() for result in results)
    assert all(
        0 <= gold <= new <= own for own, new, gold in zip(size, added, gold_added, strict=True)
    )
    coverage, auc, redundancy = (
        figure.tolist() for figure in kernels.trajectory_figures(*results, arrays[4])
    )
    if gold_size[0]:
        assert coverage == sorted(coverage)
        assert all(0.0 <= share <= 1.0 for share in coverage)
    if size:
        assert 0.0 <= redundancy[0] < 1.0
    if size and gold_size[0]:
        assert auc[0] == pytest.approx(math.fsum(coverage) / len(coverage), abs=1e-12)


def test_everything_in_one_step_is_the_union(kernels: Kernels) -> None:
    steps = [[(0, 10 * start, 10 * start + 25)] for start in range(30)]
    flat = [[span for step in steps for span in step]]
    gold = [(0, 100, 140)]
    several, at_once = (measured(kernels, arguments([(shape, gold)])) for shape in (steps, flat))
    assert [sum(several[1]), sum(several[2])] == [at_once[1][0], at_once[2][0]] == [315, 40]
    assert at_once[0] == at_once[1]


def test_backends_agree_on_a_large_batch(rust: Kernels) -> None:
    arrays = scattered(4_000)
    assert measured(rust, arrays) == measured(load("python"), arrays)


@pytest.mark.parametrize("spans", [4_095, 4_096, 4_097, 20_000])
@pytest.mark.parametrize("file_size", [4_000, 10_000_000], ids=["crowded", "sparse"])
def test_backends_agree_on_long_trajectories(rust: Kernels, spans: int, file_size: int) -> None:
    """Where another method takes over, and spans that reach over many others."""
    random = np.random.default_rng(spans)
    start = random.integers(0, file_size, spans)
    length = random.integers(0, 50, spans)
    length[random.integers(0, spans, 5)] = file_size // 2
    arrays = [
        random.integers(0, 20, spans) ** 7,
        start,
        start + length,
        np.unique(np.append(random.integers(0, spans, spans // 3), [0, spans])),
        np.array([0]),
        random.integers(0, 20, 50) ** 7,
        start[:50].copy(),
        start[:50] + 1_000,
        np.array([0, 50]),
    ]
    arrays[4] = np.array([0, len(arrays[3]) - 1])
    assert measured(rust, arrays) == measured(load("python"), arrays)


_HASHED = """
import hashlib, sys
import numpy as np
sys.path.insert(0, {root!r})
from tests.kernels.batches import scattered
from trajmeter.kernels import load
results = load("rust").trajectory(*scattered(20_000))
print(hashlib.sha256(b"".join(result.tobytes() for result in results)).hexdigest())
"""


@pytest.mark.usefixtures("rust")
def test_results_do_not_depend_on_the_number_of_threads() -> None:
    script = _HASHED.format(root=str(Path(__file__).parents[2]))
    hashes = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"RAYON_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "5")
    }
    assert len(hashes) == 1


WORKED = arguments([([[(0, 0, 60)], [(0, 40, 100), (0, 90, 100)]], [(0, 50, 80)])])


def with_argument(place: int, value: object) -> list[Any]:
    return [*WORKED[:place], value, *WORKED[place + 1 :]]


BAD_ARGUMENTS = {
    "list": (with_argument(0, [0, 0, 0]), ArrayError, "key is a list"),
    "doubles": (with_argument(1, np.zeros(3)), ArrayError, "start has dtype float64"),
    "narrow": (with_argument(5, np.zeros(1, np.int32)), ArrayError, "gold_key has dtype int32"),
    "table": (
        with_argument(6, np.zeros((1, 1), np.int64)),
        ArrayError,
        "gold_start has shape (1, 1)",
    ),
    "strided": (
        with_argument(2, np.array([60, 0, 100, 0, 100])[::2]),
        ArrayError,
        "end has strides (16,)",
    ),
    "masked": (
        with_argument(0, np.ma.array([0, 0, 0])),
        ArrayError,
        "key is a MaskedArray",
    ),
    "foreign byte order": (
        with_argument(0, np.zeros(3, ">i8")),
        ArrayError,
        "key has dtype >i8",
    ),
    "unaligned": (
        with_argument(0, np.frombuffer(bytes(25), np.int64, 3, 1)),
        ArrayError,
        "key is not aligned",
    ),
    "too few keys": (
        with_argument(0, np.zeros(2, np.int64)),
        ArrayError,
        "key has 2 values, expected 3, as many as start",
    ),
    "too few ends": (
        with_argument(7, np.zeros(0, np.int64)),
        ArrayError,
        "gold_end has 0 values, expected 1, as many as gold_start",
    ),
    "no offsets": (
        with_argument(3, np.zeros(0, np.int64)),
        OffsetsError,
        "step_offsets is empty",
    ),
    "negative offset": (
        with_argument(4, np.array([-1, 2])),
        OffsetsError,
        "trajectory_offsets[0] is -1",
    ),
    "falling offsets": (
        with_argument(3, np.array([0, 2, 1])),
        OffsetsError,
        "step_offsets[2] is 1, expected at least 2",
    ),
    "offsets beyond the spans": (
        with_argument(3, np.array([0, 1, 4])),
        OffsetsError,
        "step_offsets[2] is 4, expected at most 3, the number of spans",
    ),
    "offsets beyond the steps": (
        with_argument(4, np.array([0, 3])),
        OffsetsError,
        "trajectory_offsets[1] is 3, expected at most 2, the number of steps",
    ),
    "offsets beyond the gold": (
        with_argument(8, np.array([0, 2])),
        OffsetsError,
        "gold_offsets[1] is 2, expected at most 1, the number of gold spans",
    ),
    "gold of more trajectories": (
        with_argument(8, np.array([0, 1, 1])),
        ArrayError,
        "gold_offsets has 3 values, expected 2, as many as trajectory_offsets",
    ),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments(kernels: Kernels, name: str) -> None:
    arrays, refusal, message = BAD_ARGUMENTS[name]
    with pytest.raises(refusal) as error:
        kernels.trajectory(*arrays)
    assert str(error.value).startswith(message)


def test_arguments_are_left_as_they_are(kernels: Kernels) -> None:
    arrays = [array.copy() for array in WORKED]
    for array in arrays:
        array.flags.writeable = False
    assert measured(kernels, arrays) == [[60, 60], [60, 40], [10, 20], [30]]
    assert all(map(np.array_equal, arrays, WORKED))
