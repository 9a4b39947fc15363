"""Many attempts at once: each as by itself, and both backends alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.attempts import Attempt, Columns, columns, texts
from tests.kernels.contexts import World, lines_view, tables, views, worlds
from tests.kernels.outcomes import alike, outcome
from tests.kernels.strategies import integers
from trajmeter.errors import ArrayError, InputError, OffsetsError, TotalOverflowError
from trajmeter.kernels import CONTEXT_COUNTS, ContextFile, GoldLines, Kernels
from trajmeter.records import Extent, Turn, View

if TYPE_CHECKING:
    from trajmeter.kernels import ContextKernel, ContextRules

RULES = st.sampled_from(["default", "as_written"])
TEN_LINES = tables(100, range(0, 101, 10), [(0, 20), (50, 70)], "fg")


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[World], list[Attempt]]:
    """Worlds, and attempts in them, some of them in none."""
    known = draw(st.lists(worlds(), min_size=1, max_size=2))
    attempts = []
    for _ in range(draw(st.integers(0, 4))):
        task = draw(st.integers(-1, len(known) - 1))
        step = st.lists(views(known[task]), max_size=3).map(tuple)
        turns = draw(st.lists((step | st.none()).map(lambda seen: Turn(views=seen)), max_size=3))
        attempts.append(Attempt(task, turns, draw(st.none() | step)))
    return known, attempts


def _tasks(kernels: Kernels, worlds: list[World], rules: ContextRules) -> list[ContextKernel]:
    return [world.kernel(kernels, rules) for world in worlds]


@given(batches(), RULES)
def test_both_backends_measure_the_same(
    rust: Kernels, twin: Kernels, batch: tuple[list[World], list[Attempt]], rules: ContextRules
) -> None:
    worlds, attempts = batch

    def measured(kernels: Kernels) -> object:
        return kernels.context_batch(_tasks(kernels, worlds, rules), *columns(attempts))

    found, expected = outcome(measured, rust), outcome(measured, twin)
    assert alike(found, expected)


@given(batches())
def test_each_attempt_is_measured_as_by_itself(
    kernels: Kernels, batch: tuple[list[World], list[Attempt]]
) -> None:
    worlds, attempts = batch
    tasks = _tasks(kernels, worlds, "default")
    counts, coverage, offsets = kernels.context_batch(tasks, *columns(attempts))
    table = counts.reshape(-1, len(CONTEXT_COUNTS))
    for row, attempt in enumerate(attempts):
        shown = dict(zip(CONTEXT_COUNTS, table[row].tolist(), strict=True))
        if attempt.task < 0:
            assert shown.pop("num_steps") == sum(turn.views is not None for turn in attempt.turns)
            assert not any(shown.values())
            continue
        sizes = tasks[attempt.task].score(attempt.turns, attempt.final_views)
        assert shown["num_steps"] == sizes.num_steps
        assert shown["has_final_context"] == sizes.has_final_context
        assert [*table[row][2:6].tolist()] == [*sizes.tally]
        shares = coverage.reshape(-1, 4)[offsets[row] : offsets[row + 1]].T
        for place, (last, steps) in enumerate(zip(sizes.final, sizes.steps, strict=True)):
            own = table[row][6 + 6 * place : 12 + 6 * place].tolist()
            assert own == [*last, steps.covered_sum, steps.viewed, steps.union]
            nothing = [float("nan")] * sizes.num_steps
            expected = nothing if steps.coverage is None else steps.coverage
            np.testing.assert_array_equal(shares[place], expected)


def test_reversed_ranges_count_lines_as_written(kernels: Kernels) -> None:
    """Lines 1 to 4, and 9 to 7, which are minus one line: 3 in the step, 3 in the union."""
    file = ContextFile(0, TEN_LINES)
    world = World({"a.py": file}, [GoldLines(file, 1, 2, in_lines=True)])
    attempt = Attempt(0, [Turn(views=(lines_view(1, 4), lines_view(9, 7)))], (lines_view(5, 3),))
    counts = kernels.context_batch(
        [world.kernel(kernels, "as_written")], *columns([attempt])
    ).counts
    shown = dict(zip(CONTEXT_COUNTS, counts.tolist(), strict=True))
    assert (shown["line.viewed"], shown["line.union"], shown["line.predicted"]) == (3, 3, -1)
    assert shown["line.gold"] == 2
    assert shown["empty_ranges"] == 2


def test_reversed_ranges_that_add_up_to_too_little_are_refused(kernels: Kernels) -> None:
    """Lines 2**62 to 1 are 2 - 2**62 lines: three of them take more than 64 bits."""
    files = {f"{code}.py": ContextFile(code, TEN_LINES) for code in range(3)}
    views = tuple(View(path=path, extent=Extent.LINES, start=2**62, end=1) for path in files)
    task = World(files).kernel(kernels, "as_written")
    counts = kernels.context_batch([task], *columns([Attempt(0, [Turn(views=views[:2])], None)]))
    shown = dict(zip(CONTEXT_COUNTS, counts.counts.tolist(), strict=True))
    assert shown["line.viewed"] == 4 - 2**63
    with pytest.raises(TotalOverflowError, match="lines as written of granularity 3 exceeds"):
        kernels.context_batch([task], *columns([Attempt(0, [Turn(views=views)], None)]))


def test_the_first_failing_row_is_named_in_any_repository(kernels: Kernels) -> None:
    files = {f"{code}.py": ContextFile(code, None) for code in range(3)}
    tasks = [World(files).kernel(kernels), World(files).kernel(kernels)]
    views = [View(path=path, extent=Extent.LINES, start=1, end=2**62) for path in files]
    wide_steps = Attempt(0, [Turn(views=(view,)) for view in views], None)
    wide_end = Attempt(1, [], views)
    with pytest.raises(TotalOverflowError, match="final context of granularity 3 exceeds"):
        kernels.context_batch(tasks, *columns([wide_end, wide_steps]))
    with pytest.raises(TotalOverflowError, match="sum of step sizes of granularity 3 exceeds"):
        kernels.context_batch(tasks, *columns([wide_steps, wide_end]))


def test_each_path_is_asked_for_once_in_a_batch(kernels: Kernels) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    attempt = Attempt(
        0, [Turn(views=(lines_view(1, 4), View(path="gone.py")))], (lines_view(5, 3),)
    )
    tasks = [world.kernel(kernels)]
    for _ in range(2):
        kernels.context_batch(tasks, *columns([attempt, attempt]))
    assert world.asked == ["a.py", "gone.py"]


def _bad(good: Columns, name: str, value: Any) -> Columns:
    if name in good._fields:
        return good._replace(**{name: value})
    return good._replace(views=good.views._replace(**{name: value}))


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("task", integers([1]), InputError, "task 0 is 1, expected -1 to 0"),
        (
            "path",
            integers([0, -1]),
            InputError,
            "path 1 is -1, expected at least 0 and less than 2",
        ),
        ("extent", integers([0, 4]), InputError, "extent 1 is 4, expected at least 0 and less"),
        ("symbol", integers([3]), InputError, "symbol 0 is 3, expected at least 0 and less than 1"),
        ("paths", texts(["a.py"])._replace(buffer=b"\xff..."), InputError, "path 0 is not UTF-8"),
        ("start", integers([0]), ArrayError, "start has 1 values, expected 2, as many as path"),
        ("row_offsets", integers([0, 2]), OffsetsError, "expected at most 1, the number of steps"),
        ("has_final", np.array([0]), ArrayError, "has_final has dtype int64, expected a 1-D"),
        ("final_offsets", integers([2]), ArrayError, "final_offsets has 1 values, expected 2"),
    ],
)
def test_what_is_not_a_batch_is_refused(
    kernels: Kernels, name: str, value: Any, error: type[Exception], message: str
) -> None:
    seen = (View(path="a.py", symbols=("f",)), View(path="b.py"))
    good = columns([Attempt(0, [Turn(views=seen)], None)])
    task = World({}).kernel(kernels)
    with pytest.raises(error, match=message):
        kernels.context_batch([task], *_bad(good, name, value))
