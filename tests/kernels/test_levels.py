"""Level advantages: worked examples, laws, and both backends alike on good and bad input."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import outcome
from trajmeter.errors import ArrayError, InputError, OffsetsError, TrajmeterError
from trajmeter.kernels import GMEAN_RELATIVE_TOLERANCE, LevelArrays, load
from trajmeter.kernels._python.levels import split_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from trajmeter.kernels import Kernels

Rows: TypeAlias = "Sequence[Sequence[tuple[int, float, float]]]"

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÜ"
BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\u2003"

WORKED = ["m.A.time_x(1)", "m.A.time_x(2)", "m.A.time_y", "n.time_z"]
AGENT = [2.0, 8.0, 1.0, 1.5]
ORACLE = [1.0, 4.0, 2.0, 3.0]


def offsets_of(lengths: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([0, *accumulate(lengths)], np.int64)


def levels(backend: Kernels, names: Sequence[str], rows: Rows) -> LevelArrays:
    encoded = [name.encode(errors="surrogateescape") for name in names]
    entries = [entry for row in rows for entry in row]
    return backend.level_advantages(
        b"".join(encoded),
        offsets_of([len(name) for name in encoded]),
        CAPITALS,
        BLANKS,
        np.array([code for code, _, _ in entries], np.int64),
        np.array([agent for _, agent, _ in entries], np.float64),
        np.array([oracle for _, _, oracle in entries], np.float64),
        offsets_of([len(row) for row in rows]),
    )


def row(
    agent: Sequence[float] = AGENT, oracle: Sequence[float] = ORACLE
) -> list[tuple[int, float, float]]:
    return list(zip(range(len(agent)), agent, oracle, strict=True))


def test_four_benchmarks(kernels: Kernels) -> None:
    valid, speedup, *advantages = levels(kernels, WORKED, [row()])
    assert valid.tolist() == [4]
    # Both products are 24, so the agent is as fast as the oracle over all.
    assert speedup[0] == pytest.approx(24 ** (1 / 4), rel=1e-15)
    assert advantages[3][0] == pytest.approx(0.0, abs=1e-15)
    # Module m: (2 * 8 * 1)^(1/3) - (1 * 4 * 2)^(1/3); module n: 1.5 - 3. Classes: m's A, n's none.
    modules = ((16 ** (1 / 3) - 8 ** (1 / 3)) + (1.5 - 3)) / 2
    assert modules == pytest.approx(-0.490079, abs=1e-6)
    assert [level[0] for level in advantages[:2]] == pytest.approx([modules, modules], rel=1e-14)
    # Functions: x pools its parameters, (2 * 8)^(1/2) - (1 * 4)^(1/2) = 2; y 1 - 2; z 1.5 - 3.
    assert advantages[2][0] == pytest.approx((2 - 1 - 1.5) / 3, rel=1e-14)


def test_an_agent_that_changed_nothing(kernels: Kernels) -> None:
    _, speedup, *advantages = levels(kernels, WORKED, [row(agent=[1.0] * 4)])
    assert speedup[0] == 1.0
    # Modules: 1 - 2 and 1 - 3; functions: 1 - 2, 1 - 2, 1 - 3.
    expected = [-1.5, -1.5, -4 / 3, 1 - 24 ** (1 / 4)]
    assert [level[0] for level in advantages] == pytest.approx(expected, rel=1e-14)


def test_the_oracle_is_never_ahead_of_itself(kernels: Kernels) -> None:
    _, _, *advantages = levels(kernels, WORKED, [row(agent=ORACLE)])
    assert [level[0] for level in advantages] == [0.0] * 4


@pytest.mark.parametrize("bad", [0.0, -0.0, -2.0, np.nan, np.inf, -np.inf])
def test_invalid_ratios_are_ignored(kernels: Kernels, bad: float) -> None:
    rows = [row([4.0, bad], [2.0, 2.0]), row([4.0, 4.0], [2.0, bad]), row([bad], [bad]), []]
    valid, speedup, *advantages = levels(kernels, ["m.f", "m.g"], rows)
    assert valid.tolist() == [1, 1, 0, 0]
    assert speedup[:2].tolist() == [4.0, 4.0]
    assert [level[:2].tolist() for level in advantages] == [[2.0, 2.0]] * 4
    assert np.isnan([speedup[2:], *(level[2:] for level in advantages)]).all()


def test_no_agents(kernels: Kernels) -> None:
    assert [len(column) for column in levels(kernels, [], [])] == [0] * 6


def test_leads_as_large_as_a_double(kernels: Kernels) -> None:
    names = [f"m.f{index}" for index in range(4)]
    _, _, *advantages = levels(kernels, names, [row([1.5e308] * 4, [1e-308] * 4)])
    assert [level[0] for level in advantages] == pytest.approx([1.5e308] * 4, rel=1e-14)


def test_rows_may_begin_above_0(kernels: Kernels) -> None:
    names, bounds = b"xxm.fm.gxx", np.array([2, 5, 8], np.int64)
    codes = np.array([-7, 1, 0, 99], np.int64)
    ratios = np.array([9.0, 4.0, 1.0, 9.0])
    valid, speedup, *_ = kernels.level_advantages(
        names, bounds, "", "", codes, ratios, ratios, np.array([1, 2, 3], np.int64)
    )
    assert valid.tolist() == [1, 1]
    assert speedup.tolist() == [4.0, 1.0]


@pytest.mark.parametrize(
    ("name", "module", "klass", "function"),
    [
        ("time_x", "", "", "time_x"),
        ("m.time_x", "m", "", "time_x"),
        ("m.A.time_x", "m", "A", "time_x"),
        ("a.b.A.time_x(1, 'x')", "a.b", "A", "time_x"),
        ("A.time_x", "A", "", "time_x"),  # two parts: a module that looks like a class
        ("m.A.B.time_x", "m.A", "B", "time_x"),
        ("m.Ü.time_x", "m", "Ü", "time_x"),
        ("m.2D.time_x", "m.2D", "", "time_x"),
        ("m.A.time_x ((1, 2), f(x))", "m", "A", "time_x"),
        ("m.A.time_x(1) [k]", "m", "A", "time_x(1) [k]"),  # does not end in a bracket
        ("m.time_x(0.5) [k]", "m.time_x(0", "", "5) [k]"),  # nor does this, so its dot counts
        ("m.A.time_x)", "m", "A", "time_x)"),
        ("\x1f\u2003m..A.time_x\x85", "m", "A", "time_x"),
        ("..time_x.", "", "", "time_x"),
        ("(1, 2)", "", "", ""),
        ("...", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_names_are_taken_apart(
    kernels: Kernels, name: str, module: str, klass: str, function: str
) -> None:
    assert split_name(name, CAPITALS, BLANKS) == (module, klass, function)
    # The kernel pools the name with one of the same parts, and not with one that differs in a part.
    twin = ".".join(part for part in (module, klass, function) if part)
    others = [f"{twin}'", f"other.{twin}"]
    rows = [row([2.0, 8.0], [1.0, 1.0])]
    same = levels(kernels, [name, twin], rows)
    assert same[4][0] == pytest.approx(4 - 1, rel=1e-15)
    for other in others:
        different = levels(kernels, [name, other], rows)
        assert different[4][0] == pytest.approx((1 + 7) / 2, rel=1e-15)


name_texts = st.one_of(
    st.text(alphabet="mAf.() \x1fÜé\u2003", max_size=8),
    st.sampled_from([*WORKED, "m.A.time_x", "a.b.c.D.f(1)"]),
    st.binary(max_size=5).map(lambda raw: raw.decode(errors="surrogateescape")),
)
ratios = st.one_of(
    st.sampled_from([0.0, -0.0, -1.0, np.nan, np.inf, -np.inf, 5e-324, 1.7e308, 1.0]),
    st.floats(min_value=0.01, max_value=100.0),
)


@st.composite
def workloads(draw: st.DrawFn, *, bad_codes: bool = False) -> tuple[list[str], Rows]:
    names = draw(st.lists(name_texts, min_size=1, max_size=8))
    reach = 2 if bad_codes else 0
    codes = st.integers(-reach, len(names) - 1 + reach)
    rows = draw(st.lists(st.lists(st.tuples(codes, ratios, ratios), max_size=10), max_size=4))
    return names, rows


def agree(left: LevelArrays, right: LevelArrays, rows: Rows) -> None:
    assert left[0].tolist() == right[0].tolist()
    for index, entries in enumerate(rows):
        usable = [
            max(agent, oracle)
            for _, agent, oracle in entries
            if 0 < agent < np.inf and 0 < oracle < np.inf
        ]
        # A difference of two means is as precise as the means are, not as it is small.
        scale = max(usable, default=1.0)
        for ours, theirs in zip(left[1:], right[1:], strict=True):
            assert ours[index] == pytest.approx(
                theirs[index],
                rel=GMEAN_RELATIVE_TOLERANCE,
                abs=4 * GMEAN_RELATIVE_TOLERANCE * scale,
                nan_ok=True,
            )


@given(workloads(bad_codes=True))
def test_backends_agree(rust: Kernels, workload: tuple[list[str], Rows]) -> None:
    ours, theirs = outcome(levels, rust, *workload), outcome(levels, load("python"), *workload)
    if isinstance(ours, LevelArrays) and isinstance(theirs, LevelArrays):
        agree(ours, theirs, workload[1])
    else:
        assert ours == theirs


@given(workloads(), st.randoms(use_true_random=False))
def test_order_of_benchmarks_does_not_matter(
    kernels: Kernels, workload: tuple[list[str], Rows], random: Random
) -> None:
    names, rows = workload
    shuffled = [random.sample(entries, len(entries)) for entries in rows]
    agree(levels(kernels, names, rows), levels(kernels, names, shuffled), rows)


@given(workloads())
def test_an_agent_gets_the_same_beside_others_as_alone(
    kernels: Kernels, workload: tuple[list[str], Rows]
) -> None:
    names, rows = workload
    together = levels(kernels, names, rows)
    for index, entries in enumerate(rows):
        alone = levels(kernels, names, [entries])
        for many, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(many[index], one[0])


def test_wrong_arguments_are_refused_by_both(kernels: Kernels) -> None:
    text, bounds = b"m.f", np.array([0, 3], np.int64)
    code, ratio, one = np.zeros(1, np.int64), np.ones(1), np.array([0, 1], np.int64)
    good: dict[str, Any] = {
        "names": text,
        "name_offsets": bounds,
        "capitals": "A",
        "blanks": " ",
        "benchmark": code,
        "agent": ratio,
        "oracle": ratio,
        "offsets": one,
    }
    wrong: list[tuple[str, Any, type[TrajmeterError], str]] = [
        ("names", "m.f", ArrayError, "names is a str, expected bytes"),
        ("name_offsets", one + 5, OffsetsError, r"name_offsets\[1\] is 6, expected at most 3"),
        ("capitals", b"A", ArrayError, "capitals is a bytes, expected str"),
        ("blanks", "\ud800", InputError, "half of a surrogate pair"),
        ("benchmark", ratio, ArrayError, "benchmark has dtype float64"),
        ("agent", np.ones(2), ArrayError, "agent has 2 values, expected 1, as many as benchmark"),
        ("oracle", np.ones((1, 1)), ArrayError, r"oracle has shape \(1, 1\)"),
        ("offsets", one * 2, OffsetsError, r"offsets\[1\] is 2, expected at most 1"),
        ("benchmark", code + 1, InputError, "benchmark 0 is 1, expected at least 0 and less than"),
    ]
    for name, value, error, message in wrong:
        with pytest.raises(error, match=message) as caught:
            kernels.level_advantages(**{**good, name: value})
        assert type(caught.value) is error
