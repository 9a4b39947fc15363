"""What is known of the figures in a results table."""

from __future__ import annotations

import json
import math

import pytest

import trajmeter
from trajmeter.errors import ConfigurationError
from trajmeter.metrics import Figure, RowLayout
from trajmeter.metrics.figures import (
    FigureInfo,
    figure_metadata,
    figures_in_metadata,
    figures_of_layout,
    registered_figures,
)
from trajmeter.metrics.registry import BUILT_IN, create


def test_what_is_known_of_figures() -> None:
    f1 = registered_figures("context")["context.final.line.coverage"]
    assert (f1.low, f1.high, f1.higher_is_better, f1.outcome) == (0.0, 1.0, True, True)
    assert f1.numerator == ("context.final.line.intersection",)
    speedup = registered_figures("speedup")["speedup.task_speedup"]
    assert (speedup.scale, speedup.low, speedup.high) == ("ratio", 0.0, None)
    cost = registered_figures("speedup")["speedup.task_cost_usd"]
    assert not cost.outcome, "it stands by itself"
    passed = registered_figures("turns")["turns.run.passed"]
    assert (passed.kind, passed.low, passed.high) == ("boolean", 0.0, 1.0)
    assert registered_figures("no_such_metric") == {}


@pytest.mark.parametrize("family", sorted(BUILT_IN))
def test_metadata_say_the_same(family: str) -> None:
    layout = RowLayout(create([family]))
    assert figures_in_metadata(figure_metadata(layout)) == figures_of_layout(layout)
    assert figures_of_layout(layout) == registered_figures(family)


def test_custom_figures() -> None:
    @trajmeter.metric(low=0, higher_is_better=False)
    def seconds(task: object, trajectory: object) -> float:
        return 1.0

    layout = RowLayout(create([seconds]))
    info = FigureInfo(kind="number", low=0.0, higher_is_better=False)
    assert figures_of_layout(layout)["seconds.value"] == info
    assert json.loads(figure_metadata(layout))["seconds.value"]["higher_is_better"] is False


def test_metadata_of_others_are_left_alone() -> None:
    assert figures_in_metadata("not JSON") == {}
    assert figures_in_metadata('{"x": {"kind": "colour"}}') == {}


def test_bounds_are_written_the_same_for_any_type() -> None:
    one, other = Figure(low=0, high=10), Figure(low=0.0, high=10.0)
    assert one == other
    assert repr(one) == repr(other)


def test_an_infinite_bound_is_none() -> None:
    unbounded = Figure(low=-math.inf, high=math.inf)
    assert (unbounded.low, unbounded.high) == (None, None)
    for low, high in ((math.inf, None), (0.0, math.nan)):
        with pytest.raises(ConfigurationError, match="expected a number"):
            Figure(low=low, high=high)
