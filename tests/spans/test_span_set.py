"""The public span functions: what goes in and comes out, and what is refused."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

from tests.kernels.strategies import pairs, small_pairs
from trajmeter import SpanSet, difference, intersection, measure, union
from trajmeter.errors import ArrayError, InputError, NegativeSpanError, ReversedSpanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels import Kernels

Pairs = list[tuple[int, int]]


def table(*spans: tuple[int, int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(spans, np.int64).reshape(-1, 2)


def test_lists_give_lists_of_pairs() -> None:
    assert union([(30, 40), [0, 10], (8, 20)]) == [(0, 20), (30, 40)]
    assert intersection(((0, 10), (20, 30)), [(5, 25)]) == [(5, 10), (20, 25)]
    assert difference([(0, 10), (20, 30)], [(5, 25)]) == [(0, 5), (25, 30)]
    assert union([]) == []
    assert {type(number) for span in union([(np.int32(1), np.int64(2))]) for number in span} == {
        int
    }


def test_arrays_give_arrays() -> None:
    merged = union(table((30, 40), (0, 10), (8, 20)))
    assert isinstance(merged, np.ndarray)
    assert merged.dtype == np.int64
    assert merged.tolist() == [[0, 20], [30, 40]]
    assert merged.flags.c_contiguous
    assert intersection(table((0, 10)), [(5, 25)]).tolist() == [[5, 10]]
    assert difference(table(), table((1, 2))).shape == (0, 2)


def test_span_sets_give_span_sets() -> None:
    spans = SpanSet([(0, 10)])
    assert union(spans, [(10, 12)]) == SpanSet([(0, 12)])
    assert intersection(spans, table((5, 25))) == SpanSet([(5, 10)])
    assert difference(spans, spans) == SpanSet()
    assert intersection([(0, 10)], spans) == [(0, 10)]


def test_union_takes_any_number_of_sets() -> None:
    assert union([(0, 2)], [(2, 4)], table((9, 10)), SpanSet([(4, 5)])) == [(0, 5), (9, 10)]


def test_measure_counts_bytes_once() -> None:
    # 0-20 and 30-40: 20 + 10.
    spans = [(0, 10), (8, 20), (30, 40)]
    assert measure(spans) == measure(table(*spans)) == SpanSet(spans).measure() == 30
    assert measure([]) == 0


EXPECTED = r", expected \(start, end\) pairs of integers, an \(n, 2\) int64 array, or a SpanSet$"


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        (None, "is a NoneType"),
        (5, "is a int"),
        ("ab", "is a str"),
        (b"ab", "is a bytes"),
        ([1, 2], r"\[0\] is 1"),
        ([(1, 2), (1,)], r"\[1\] is \(1,\)"),
        ([(1, 2, 3)], r"\[0\] is \(1, 2, 3\)"),
        ([(1, 2), (1.0, 2)], r"\[1\] is \(1\.0, 2\)"),
        ([(1, None)], r"\[0\] is \(1, None\)"),
        ([(True, 2)], r"\[0\] is \(True, 2\)"),
        ([("1", "2")], r"\[0\] is \('1', '2'\)"),
        (np.zeros((2, 2)), "has dtype float64"),
        (np.zeros((2, 2), bool), "has dtype bool"),
        (np.zeros((2, 2), np.int32), "has dtype int32"),
        (np.zeros((2, 2), object), "has dtype object"),
        (np.zeros(4, np.int64), r"has shape \(4,\)"),
        (np.zeros((2, 3), np.int64), r"has shape \(2, 3\)"),
        (np.zeros((2, 2, 1), np.int64), r"has shape \(2, 2, 1\)"),
        (np.ma.masked_array(table((1, 2)), mask=[[True, False]]), "is a MaskedArray"),
    ],
)
def test_invalid_spans_are_refused(spans: Any, message: str) -> None:
    with pytest.raises(ArrayError, match=f"^spans ?{message}{EXPECTED}"):
        union(spans)
    with pytest.raises(ArrayError, match=f"^spans ?{message}{EXPECTED}"):
        SpanSet(spans)
    with pytest.raises(ArrayError, match=f"^others ?{message}{EXPECTED}"):
        intersection([(0, 1)], spans)


@pytest.mark.parametrize(
    "spans", [np.asfortranarray(table((1, 5), (2, 9))), table((1, 5))[:, ::-1]]
)
def test_columns_out_of_order_are_refused(spans: Any) -> None:
    with pytest.raises(ArrayError, match=r"^spans has strides .*use numpy\.ascontiguousarray$"):
        union(spans)


@pytest.mark.parametrize("span", [(0, 2**63), (-(2**63) - 1, 0), (2**200, 2**200)])
def test_integers_beyond_64_bits_are_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ArrayError, match=r"^spans\[1\] is .*, expected integers that fit in 64"):
        union([(0, 1), span])


@pytest.mark.parametrize("kind", [list, np.array])
def test_bad_spans_are_named(kind: Callable[[Pairs], Any]) -> None:
    with pytest.raises(NegativeSpanError, match=r"^span 1 is \[-1, 5\)"):
        union(kind([(0, 1), (-1, 5)]))
    with pytest.raises(ReversedSpanError, match=r"^other span 0 is \[5, 1\)"):
        difference([(0, 1)], kind([(5, 1)]))
    with pytest.raises(ReversedSpanError, match=r"^span 0 is \[5, 1\)"):
        SpanSet(kind([(5, 1)]))


@pytest.mark.parametrize("kind", [list, np.array])
@pytest.mark.parametrize(
    ("span", "error", "fault"),
    [
        ((-1, 5), NegativeSpanError, "its start is negative, expected 0 or more"),
        ((5, 1), ReversedSpanError, "its end lies before its start"),
    ],
)
def test_the_argument_of_a_bad_span_is_named(
    monkeypatch: pytest.MonkeyPatch,
    kernels: Kernels,
    kind: Callable[[Pairs], Any],
    span: tuple[int, int],
    error: type[InputError],
    fault: str,
) -> None:
    monkeypatch.setattr("trajmeter.spans.span_set.active", lambda: kernels)
    good, bad = [(0, 1)], kind([(2, 3), span])

    def format_exception(operation: Callable[..., object], *sets: object) -> str:
        with pytest.raises(error) as raised:
            operation(*sets)
        return str(raised.value)

    place = f"span 1 is [{span[0]}, {span[1]}): {fault}"
    assert format_exception(union, bad, bad) == place
    assert format_exception(union, good, bad) == f"others[0]: {place}"
    assert format_exception(union, SpanSet(good), good, bad, bad) == f"others[1]: {place}"
    for operation in (intersection, difference):
        assert format_exception(operation, bad, bad) == place
        assert format_exception(operation, good, bad) == f"other {place}"


def test_the_invalid_argument_is_named() -> None:
    nothing: Any = None
    with pytest.raises(ArrayError, match=rf"^others\[1\] is a NoneType{EXPECTED}"):
        union([(0, 1)], [], nothing)
    with pytest.raises(ArrayError, match=rf"^others\[0\]\[1\] is \(1,\){EXPECTED}"):
        union([(0, 1)], [(0, 1), (1,)])
    with pytest.raises(ArrayError, match=r"^others\[2\]\[0\] is .*, expected integers that fit"):
        union([(0, 1)], [], [], [(0, 2**63)])


def test_a_span_set_reads_as_it_is_written() -> None:
    spans = SpanSet([(5, 9), (0, 3), (2, 4), (7, 7)])
    assert repr(spans) == "SpanSet([(0, 4), (5, 9)])"
    assert list(spans) == [(0, 4), (5, 9)]
    assert (len(spans), bool(spans), bool(SpanSet([(3, 3)]))) == (2, True, False)
    assert spans.start.tolist() == [0, 5]
    assert spans.end.tolist() == [4, 9]


def test_a_span_set_cannot_be_changed() -> None:
    given_array = table((1, 2), (4, 6))
    spans = SpanSet(given_array)
    given_array[:] = 0
    assert list(spans) == [(1, 2), (4, 6)]
    with pytest.raises(ValueError, match="read-only"):
        spans.start[0] = 0
    flat = np.array([1, 4]), np.array([2, 6])
    for made in (spans | spans, spans & spans, spans - SpanSet(), SpanSet.from_arrays(*flat)):
        assert made == spans
        assert not made.start.flags.writeable
        assert not made.end.flags.writeable
    assert flat[0].flags.writeable


@given(spans=pairs(), others=pairs())
def test_operators_are_the_functions(spans: Pairs, others: Pairs) -> None:
    left, right = SpanSet(spans), SpanSet(others)
    assert list(left | right) == union(spans, others) == union(spans + others)
    assert list(left & right) == intersection(spans, others)
    assert list(left - right) == difference(spans, others)
    assert left.measure() == measure(spans)


@given(spans=small_pairs(4), others=small_pairs(4))
def test_sets_of_the_same_bytes_are_equal(spans: Pairs, others: Pairs) -> None:
    left, right = SpanSet(spans), SpanSet(others)
    same = union(spans) == union(others)
    assert (left == right) is same
    assert (hash(left) == hash(right)) is same
    assert left == SpanSet(spans[::-1]) == SpanSet.from_arrays(left.start, left.end)
    assert pickle.loads(pickle.dumps(left)) == left  # noqa: S301 - our own bytes


@pytest.mark.parametrize("other", [None, [(0, 1)], {(0, 1)}, 1])
def test_operators_want_span_sets(other: Any) -> None:
    spans = SpanSet([(0, 1)])
    assert spans != other
    for operation in ("__or__", "__and__", "__sub__"):
        assert getattr(spans, operation)(other) is NotImplemented
