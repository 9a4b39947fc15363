"""Trackers that are fed view by view: what they say of a step that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.contexts import RULES, TEN_LINES, World, lines_view, trajectories
from tests.kernels.outcomes import alike, outcome
from trajmeter.errors import InputError
from trajmeter.kernels import (
    GRANULARITIES,
    ContextFile,
    ContextRules,
    ContextTrackerKernel,
    GoldLines,
    Kernels,
)

if TYPE_CHECKING:
    from trajmeter.kernels import StepCoverage


def _tracker(kernels: Kernels, rules: ContextRules = "default") -> ContextTrackerKernel:
    file = ContextFile(0, TEN_LINES)
    world = World({"a.py": file}, [GoldLines(file, 1, 4, in_lines=True)])
    return world.kernel(kernels, rules).tracker()


def _shares(coverage: StepCoverage) -> tuple[object, ...]:
    return tuple(getattr(coverage, name) for name in ("step", *GRANULARITIES))


def test_an_open_step_counts_for_coverage_and_not_for_sizes(kernels: Kernels) -> None:
    tracker = _tracker(kernels)
    assert tracker.coverage().line is None
    tracker.view([lines_view(1, 2)])
    assert (tracker.coverage().step, tracker.coverage().line) == (1, 0.5)
    assert (tracker.viewed[-1], tracker.repeated[-1]) == (0, 0)
    assert tracker.sizes(None).num_steps == 0
    assert tracker.sizes(None).final[-1] == (0, 4, 0)
    tracker.view([lines_view(2, 3)])  # line 2 again, in the same step
    tracker.close_step()
    assert (tracker.viewed[-1], tracker.repeated[-1]) == (3, 0)
    tracker.view([lines_view(3, 6)])
    tracker.close_step()
    assert (tracker.viewed[-1], tracker.repeated[-1]) == (7, 1)  # lines 1-3 and 3-6
    assert tracker.sizes(None).final[-1] == (4, 4, 6)


def test_a_step_that_is_closed_without_views_saw_nothing(kernels: Kernels) -> None:
    tracker = _tracker(kernels)
    tracker.close_step()
    assert (tracker.coverage().step, tracker.coverage().line) == (1, 0.0)
    assert tracker.sizes(None).num_steps == 1


def test_update_ends_the_open_step(kernels: Kernels) -> None:
    tracker = _tracker(kernels)
    tracker.view([lines_view(1, 1)])
    assert _shares(tracker.update([lines_view(2, 2)]))[-1] == 0.5
    assert tracker.sizes(None).num_steps == 1


@pytest.mark.parametrize("rules", RULES)
def test_a_refused_view_leaves_no_trace(kernels: Kernels, rules: ContextRules) -> None:
    tracker = _tracker(kernels, rules)
    tracker.view([lines_view(1, 1)])
    wrong = lines_view(2, 4).model_copy(update={"extent": "pages"})
    with pytest.raises(InputError, match="extent of a view is pages"):
        tracker.view([lines_view(2, 3), wrong])
    assert tracker.coverage().line == 0.25
    tracker.close_step()
    assert tracker.viewed[-1] == 1


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data())
def test_view_by_view_ends_where_step_by_step_does(
    rust: Kernels, twin: Kernels, rules: ContextRules, data: st.DataObject
) -> None:
    world, turns, final_views = data.draw(trajectories())
    found = []
    for backend in (rust, twin):
        whole, apart = (world.kernel(backend, rules).tracker() for _ in range(2))
        said = []
        for turn in turns:
            if turn.views is None:
                continue
            for view in turn.views:
                apart.view([view])
                said.append(_shares(apart.coverage()))
            apart.close_step()
            assert _shares(whole.update(turn.views)) == _shares(apart.coverage())
            said.append(
                (outcome(lambda own=apart: own.viewed), outcome(lambda own=apart: own.repeated))
            )
        assert alike(outcome(apart.sizes, final_views), outcome(whole.sizes, final_views))
        found.append(said)
    assert str(found[0]) == str(found[1])
