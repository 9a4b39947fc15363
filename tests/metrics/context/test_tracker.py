"""The tracker inside a harness: what it says while a run goes on, and at its end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.context.repositories import (
    attempt,
    gold,
    lines,
    snapshot,
    task,
    ten_lines,
)
from trajmeter.errors import InputError
from trajmeter.kernels import Kernels, load
from trajmeter.metrics.context import ContextTracker, prepare, score
from trajmeter.records import Extent, GoldRole, View

FILES = snapshot(
    {
        "a.py": ten_lines((("function", 0, 45, "f"), ("function", 12, 18, "g"))),
        "src/b.py": ten_lines((("class", 30, 100, "C"),)),
        "empty.py": ten_lines(),
    }
)
TASK = task(
    gold("a.py", 1, 4),
    gold("src/b.py", 3, 5, GoldRole.ADDITIONAL),
    gold("gone.py", 1, 1),
)


def test_coverage_so_far(kernels: Kernels) -> None:
    tracker = ContextTracker(prepare(TASK, FILES, kernels=kernels))
    first = tracker.update([lines("a.py", 1, 2), lines("a.py", 2, 6)])
    assert first.step == 1
    assert first.file == 1 / 3
    assert first.line == 4 / 8
    assert first.span == 40 / 70
    assert first.symbol == 2 / 3  # f and g of f, g and C
    second = tracker.update([])
    assert (second.step, second.line) == (2, first.line)
    third = tracker.update((View(path="/testbed/src/b.py", extent=Extent.WHOLE),))
    assert (third.step, third.file, third.symbol) == (3, 2 / 3, 1.0)
    assert third.span == 1.0


def test_unknown_coverage_is_none(kernels: Kernels) -> None:
    without_snapshot = ContextTracker(prepare(TASK, None, kernels=kernels))
    found = without_snapshot.update([lines("a.py", 1, 2)])
    assert (found.file, found.line) == (1 / 3, 2 / 8)
    assert (found.symbol, found.span) == (None, None)
    without_gold = ContextTracker(prepare(task(), FILES, kernels=kernels))
    found = without_gold.update([lines("a.py", 1, 2)])
    assert (found.file, found.symbol, found.span, found.line) == (None, None, None, None)


def test_a_result_may_be_asked_for_at_any_time(kernels: Kernels) -> None:
    tracker = ContextTracker(prepare(TASK, FILES, kernels=kernels))
    steps = [[lines("a.py", 1, 2)], [lines("a.py", 2, 4)], [lines("nope.py", 1, 1)]]
    for count, views in enumerate(steps, 1):
        tracker.update(views)
        expected = score(prepare(TASK, FILES, kernels=kernels), attempt(*steps[:count]))
        assert tracker.result() == expected
        assert tracker.result() == expected


@pytest.mark.parametrize("profile", [None, "contextbench"])
def test_a_step_that_is_refused_leaves_no_trace(kernels: Kernels, profile: str | None) -> None:
    tracker = ContextTracker(prepare(TASK, FILES, profile=profile, kernels=kernels))
    tracker.update([lines("a.py", 3, 1)])
    before = tracker.result([lines("a.py", 1, 2)])
    wrong: Any = lines("a.py", 5, 2).model_copy(update={"extent": "pages"})
    with pytest.raises(InputError, match="extent of a view is pages"):
        tracker.update([lines("a.py", 9, 2), wrong])
    not_views: Any = lines("a.py", 1, 2)
    with pytest.raises(InputError, match=r"^views is View\(.*expected a list of View records"):
        tracker.update(not_views)
    assert tracker.result([lines("a.py", 1, 2)]) == before


@pytest.mark.parametrize("profile", [None, "contextbench"])
def test_views_may_come_one_by_one(kernels: Kernels, profile: str | None) -> None:
    tracker = ContextTracker(prepare(TASK, FILES, profile=profile, kernels=kernels))
    one_by_one: Any = iter([lines("a.py", 1, 2)])
    assert tracker.update(one_by_one).file == 1 / 3


VIEWS = st.builds(
    View,
    path=st.sampled_from(["a.py", "/testbed/a.py", "src/b.py", "empty.py", "nope.py", "fix.patch"]),
    extent=st.sampled_from(Extent),
    start=st.none() | st.integers(-2, 14),
    end=st.none() | st.integers(-2, 120),
    symbols=st.sampled_from([(), ("f",), ("C.g", "none")]),
    listed=st.booleans(),
)
STEPS = st.lists(st.lists(VIEWS, max_size=4), max_size=6)
PATCHES = st.sampled_from([None, "", "no diff", "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-x\n+y\n"])


@pytest.mark.parametrize("profile", [None, "contextbench"])
@pytest.mark.parametrize("has_snapshot", [True, False])
@given(steps=STEPS, final=st.none() | st.lists(VIEWS, max_size=3), patch=PATCHES)
def test_it_ends_where_scoring_the_whole_does(
    kernels: Kernels,
    profile: str | None,
    has_snapshot: bool,
    steps: list[list[View]],
    final: list[View] | None,
    patch: str | None,
) -> None:
    prepared = prepare(TASK, FILES if has_snapshot else None, profile=profile, kernels=kernels)
    tracker = ContextTracker(prepared)
    for views in steps:
        tracker.update(views)
    expected = score(prepared, attempt(*steps, final=final, patch=patch))
    assert tracker.result(final, final_patch=patch) == expected
    other = prepare(TASK, FILES if has_snapshot else None, profile=profile, kernels=load("python"))
    assert score(other, attempt(*steps, final=final, patch=patch)) == expected
