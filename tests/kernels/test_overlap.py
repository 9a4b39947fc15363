"""The overlap join: worked examples, laws, and both backends alike on good and bad input."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import ArrayError, OffsetsError, TrajmeterError
from trajmeter.kernels import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Int64Array, Kernels

Files: TypeAlias = "Sequence[Sequence[tuple[int, int]]]"
Spans: TypeAlias = "Sequence[tuple[int, int, int]]"

CASES = json.loads((Path(__file__).parents[1] / "cases" / "overlap.json").read_text())["cases"]
MAXIMUM = 2**63 - 1


def arguments(files: Files, spans: Spans) -> list[Int64Array]:
    definitions = [definition for file in files for definition in file]
    return [
        *(np.array([span[side] for span in spans], np.int64) for side in range(3)),
        *(np.array([definition[side] for definition in definitions], np.int64) for side in (0, 1)),
        np.array([0, *accumulate(map(len, files))], np.int64),
    ]


def joined(kernels: Kernels, arrays: Sequence[Any]) -> list[list[int]]:
    """The definitions of each span."""
    definitions, offsets = kernels.overlap_join(*arrays)
    assert definitions.dtype == offsets.dtype == np.int64
    assert len(offsets) == len(arrays[1]) + 1
    return [definitions[begin:end].tolist() for begin, end in pairwise(offsets.tolist())]


def outcome(kernels: Kernels, arrays: Sequence[Any]) -> object:
    """What a call gives, or how it is refused."""
    try:
        return joined(kernels, arrays)
    except TrajmeterError as error:
        return type(error), error.code, str(error)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_cases(kernels: Kernels, case: dict[str, Any]) -> None:
    arrays = arguments(case["files"], case["spans"])
    if "error" in case:
        with pytest.raises(TrajmeterError) as refusal:
            kernels.overlap_join(*arrays)
        assert case["error"] == {"code": refusal.value.code, "message": str(refusal.value)}
    else:
        assert joined(kernels, arrays) == case["expected"]


def by_the_book(files: Files, spans: Spans) -> list[list[int]]:
    firsts = [0, *accumulate(map(len, files))]
    return [
        [
            firsts[file] + place
            for place, (first, last) in enumerate(files[file])
            if max(start, first) < min(end, last)
        ]
        for file, start, end in spans
    ]


bounds = st.one_of(st.integers(0, 40), st.sampled_from([2**33, 2**62, MAXIMUM - 1, MAXIMUM]))
definitions = st.tuples(bounds, bounds).map(lambda pair: (min(pair), max(pair)))
nested = st.lists(definitions, max_size=8).map(
    lambda file: sorted(
        # Those that cross an earlier one are left out, the rest is put in preorder.
        (one for index, one in enumerate(file) if not any(crosses(one, b) for b in file[:index])),
        key=lambda pair: (pair[0], -pair[1]),
    )
)


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted([one, other])
    return a < c < b < d


files = st.lists(st.one_of(nested, st.lists(definitions, max_size=8)), min_size=1, max_size=4)


@st.composite
def problems(
    draw: st.DrawFn, ends: st.SearchStrategy[int] | None = None
) -> tuple[Files, list[tuple[int, int, int]]]:
    """Files and spans; good ones unless ``ends`` says where they lie."""
    if ends is None:
        table = draw(files)
        pairs = st.lists(definitions, max_size=12)
    else:
        table = draw(st.lists(st.lists(st.tuples(ends, ends), max_size=3), max_size=3))
        pairs = st.lists(st.tuples(ends, ends), max_size=4)
    low, high = (0, len(table) - 1) if ends is None else (-1, len(table))
    return table, [(draw(st.integers(low, high)), *pair) for pair in draw(pairs)]


@given(problems())
def test_shares_a_byte(kernels: Kernels, problem: tuple[Files, Spans]) -> None:
    assert joined(kernels, arguments(*problem)) == by_the_book(*problem)


@given(problems(st.sampled_from([-1, 0, 1, 2, 3, 7, MAXIMUM])))
def test_backends_agree_on_bad_input(rust: Kernels, problem: tuple[Files, Spans]) -> None:
    arrays = arguments(*problem)
    assert outcome(rust, arrays) == outcome(load("python"), arrays)


@given(problems(), st.integers(0, 3))
def test_slice_of_the_definitions(
    kernels: Kernels, problem: tuple[Files, Spans], first: int
) -> None:
    """Offsets that begin above 0 leave definitions out, and those kept keep their places."""
    table, spans = problem
    first = min(first, len(table) - 1)
    kept = [(file - first, start, end) for file, start, end in spans if file >= first]
    arrays = arguments(table, kept)
    arrays[5] = arrays[5][first:]
    assert joined(kernels, arrays) == [
        row
        for (file, *_), row in zip(spans, by_the_book(table, spans), strict=True)
        if file >= first
    ]


@given(problems())
def test_one_byte_later(kernels: Kernels, problem: tuple[Files, Spans]) -> None:
    """With ``definition_end + 1`` a span that starts where a definition ends touches it."""
    last_end = MAXIMUM - 1
    table = [
        [(min(start, last_end), min(end, last_end)) for start, end in file] for file in problem[0]
    ]
    spans = problem[1]
    arrays = arguments(table, spans)
    arrays[4] = arrays[4] + 1
    touching = [
        [
            place
            for place, (first, last) in enumerate(table[file])
            if start < end and first < end and start <= last
        ]
        for file, start, end in spans
    ]
    firsts = [0, *accumulate(map(len, table))]
    expected = [
        [firsts[file] + place for place in places]
        for (file, *_), places in zip(spans, touching, strict=True)
    ]
    assert joined(kernels, arrays) == expected


def many(count: int) -> list[Int64Array]:
    """A repository: in each file classes of ten methods, seen through views of a screen."""
    random = np.random.default_rng(11)
    starts = np.arange(0, 5_000, 50)
    ends = np.where(starts % 500 == 0, starts + 500, starts + 45)
    files = 300
    view = random.integers(0, 5_000, count)
    return [
        random.integers(0, files, count),
        view,
        view + random.integers(0, 400, count),
        np.tile(starts, files),
        np.tile(ends, files),
        np.arange(0, 100 * files + 1, 100),
    ]


def test_backends_agree_on_a_large_join(rust: Kernels) -> None:
    """Large enough for several pieces of work."""
    arrays = many(60_000)
    for ours, theirs in zip(
        rust.overlap_join(*arrays), load("python").overlap_join(*arrays), strict=True
    ):
        assert np.array_equal(ours, theirs)


def test_deep_nesting_and_a_long_chain_of_definitions(rust: Kernels) -> None:
    """Shapes that make a walk over parents, or over what has ended, quadratic: 10^5 of each."""
    count = 100_000
    nested = [np.arange(count), 3 * count - np.arange(count)]
    chain = [3 * count + 2 * np.arange(count), 3 * count + 2 * np.arange(count) + 1]
    behind = np.full(count, 6 * count)
    definitions = [np.concatenate(pair) for pair in zip(nested, chain, strict=True)]
    for start in (behind, 3 * count + 2 * np.arange(count)):
        arrays = [
            np.zeros(count, np.int64),
            start,
            start + 1,
            *definitions,
            np.array([0, 2 * count]),
        ]
        values, offsets = rust.overlap_join(*arrays)
        assert len(values) == (0 if start is behind else count)
        assert len(offsets) == count + 1


WORKED = arguments([[(0, 10), (5, 8)]], [(0, 9, 20)])


@pytest.mark.parametrize(
    ("place", "value", "refusal", "message"),
    [
        (0, [0], ArrayError, "file is a list"),
        (0, np.array([0, 0]), ArrayError, "file has 2 values, expected 1, as many as start"),
        (1, np.array([9.0]), ArrayError, "start has dtype float64"),
        (2, np.array([20, 21]), ArrayError, "end has 2 values, expected 1, as many as start"),
        (3, np.array([[0, 5]]), ArrayError, "definition_start has shape (1, 2)"),
        (4, np.array([10]), ArrayError, "definition_end has 1 values, expected 2"),
        (5, np.array([0, 3]), OffsetsError, "definition_offsets[1] is 3, expected at most 2"),
    ],
)
def test_bad_arguments(
    kernels: Kernels, place: int, value: Any, refusal: type[Exception], message: str
) -> None:
    arrays: list[Any] = [*WORKED[:place], value, *WORKED[place + 1 :]]
    with pytest.raises(refusal) as error:
        kernels.overlap_join(*arrays)
    assert str(error.value).startswith(message)
