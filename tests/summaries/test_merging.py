"""Summaries of parts, merged in any tree, are those of the whole, to the last byte."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.fakes import AnswerAggregator, AnswerMetric, RankMetric
from tests.summaries.batches import by_batch, by_record, restored, scored_attempts
from tests.summaries.test_batches import ATTEMPTS, TASKS
from trajmeter.errors import ReadError
from trajmeter.metrics import Figure, Group, MetricError, Result, Scored, create
from trajmeter.records import Cause, Outcome, Trajectory
from trajmeter.scoring.runs.states import read_state

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.records import Task
    from trajmeter.summaries.summarizer import Summarizer

_FAMILIES = ["turns", "rules", "speedup", "context", "tools", "answers"]
_PROFILES = ["ptcrunner", "transform-gym", "fc-eval", "contextbench"]


def _merged(parts: list[Summarizer], data: st.DataObject) -> str:
    """The summary of parts that are merged two by two, in any order that keeps theirs."""
    while len(parts) > 1:
        place = data.draw(st.integers(0, len(parts) - 2))
        parts[place].merge(parts.pop(place + 1))
    return parts[0].summary().model_dump_json()


@pytest.mark.parametrize("profiles", [[], _PROFILES])
@settings(max_examples=25)
@given(ATTEMPTS, st.data())
def test_any_split_merged_in_any_tree_gives_the_same_bytes(
    profiles: list[str], attempts: list[Trajectory], data: st.DataObject
) -> None:
    metrics = [*create(_FAMILIES, profiles=profiles), RankMetric()]
    scored = scored_attempts(metrics, attempts, TASKS)
    whole = by_record(metrics, scored).summary().model_dump_json()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(scored)), max_size=4)))
    bounds = [0, *cuts, len(scored)]
    parts = [
        (by_record if data.draw(st.booleans()) else by_batch)(metrics, scored[start:stop])
        for start, stop in pairwise(bounds)
    ]
    stored = [restored(metrics, part) for part in parts]
    assert _merged(parts, data) == whole
    assert _merged(stored, data) == whole


class _RatioResult(Group, Result):
    ratio: Annotated[float | None, Figure(numerator=("part", "more"), denominator=("size",))] = None
    part: int | None = None
    more: float | None = None
    size: Annotated[float | None, Figure(independent=True)] = None


class _Ratio:
    name = "ratio"
    version = "1"
    requires = ()
    parameters: Mapping[str, JsonValue] = {}
    result_type = _RatioResult

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        return _RatioResult()


_FLOATS = st.none() | st.floats() | st.sampled_from([5e-324, 1e308, -1e308, 0.1])
_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["x", "y"]),
        st.builds(
            _RatioResult,
            outcome=st.sampled_from(Outcome),
            cause=st.sampled_from([None, Cause.FAILED, Cause.MISSING_GOLD]),
            ratio=_FLOATS,
            part=st.none() | st.integers(-(2**63), 2**63 - 1),
            more=_FLOATS,
            size=_FLOATS,
        )
        | st.integers(0, 40).map(lambda number: MetricError(f"error {number}", code=None)),
    ),
    max_size=60,
)


@given(_ROWS, st.booleans(), st.data())
def test_numbers_of_any_size_and_many_errors_are_merged_alike(
    rows: list[tuple[str, Result | MetricError]], quantiles: bool, data: st.DataObject
) -> None:
    metric = _Ratio()
    scored = [
        Scored(None, Trajectory(task_id="t", agent=agent), (result,)) for agent, result in rows
    ]
    whole = by_record([metric], scored, quantiles=quantiles).summary().model_dump_json()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(scored)), max_size=4)))
    bounds = [0, *cuts, len(scored)]
    parts = [
        by_batch([metric], scored[start:stop], given=["ratio"], rows=7, quantiles=quantiles)
        for start, stop in pairwise(bounds)
    ]
    stored = [restored([metric], part, quantiles=quantiles) for part in parts]
    assert _merged(parts, data) == whole
    assert _merged(stored, data) == whole


@pytest.mark.parametrize("quantiles", [False, True])
def test_quantiles_are_of_the_values_in_the_mean_and_of_groups_if_asked_for(
    quantiles: bool,
) -> None:
    def scored(agent: str, outcome: Outcome, size: float | None, part: int) -> Scored:
        result = _RatioResult(outcome=outcome, size=size, part=part)
        return Scored(None, Trajectory(task_id="t", agent=agent), (result,))

    attempts = [scored("x", Outcome.SCORED, number / 100, number) for number in range(1, 101)]
    attempts += [
        scored("y", Outcome.NOT_SCORED, float("nan"), 1000),
        scored("y", Outcome.SCORED, None, 7),
    ]
    summary = by_record([_Ratio()], attempts, quantiles=quantiles).summary()
    part, size = (summary.overall.quantiles[f"ratio.{name}"] for name in ("part", "size"))
    assert (part.min, part.p5, part.p25, part.p50, part.p95, part.p99) == (1, 6, 25, 50, 95, 99)
    assert part.p75 == 75
    assert (size.min, size.max, part.max) == (0.01, 1.0, 100)
    assert size.p50 == pytest.approx(0.5, rel=1 / 128)
    assert "ratio.ratio" not in summary.overall.quantiles
    of_groups = [group.quantiles for group in summary.groups]
    if not quantiles:
        assert of_groups == [{}, {}]
        return
    first, second = of_groups
    assert (first["ratio.part"].p5, first["ratio.part"].max) == (5, 100)
    assert first["ratio.size"] == size
    assert (second["ratio.part"].min, second["ratio.part"].max, len(second)) == (7, 7, 1)


class _MergingAggregator(AnswerAggregator):
    def merge(self, other: AnswerAggregator) -> None:
        self.lengths += other.lengths
        self.total += other.total


class _Merging(AnswerMetric):
    def aggregator(self) -> AnswerAggregator:
        return _MergingAggregator()


def _answers(metric: AnswerMetric, agents: str) -> Summarizer:
    attempts = [Trajectory(task_id="one", agent=agent, final_output="a") for agent in agents]
    return by_record([metric], scored_attempts([metric], attempts, TASKS))


def test_objects_of_a_metric_are_merged_if_they_can() -> None:
    merged, whole = _answers(_Merging(), "xy"), _answers(_Merging(), "xyyz")
    merged.merge(_answers(_Merging(), "yz"))
    assert merged.summary() == whole.summary()
    assert merged.summary().overall.aggregates["answer"]["mean_length"]["total"] == 4


def test_objects_of_a_metric_that_cannot_be_merged_cost_its_figures_of_the_run() -> None:
    merged = _answers(AnswerMetric(), "xy")
    merged.merge(_answers(AnswerMetric(), ""))
    assert merged.summary() == _answers(AnswerMetric(), "xy").summary()
    merged.merge(_answers(AnswerMetric(), "z"))
    summary = merged.summary()
    assert summary.overall.aggregates == {}
    assert summary.overall.figures["answer.length"].scored == 3
    (error,) = summary.errors
    assert "its aggregator has no method merge" in error.message


class _StoringAggregator(_MergingAggregator):
    def state(self) -> JsonValue:
        return {"lengths": [*self.lengths], "total": self.total}

    def restore(self, state: JsonValue) -> None:
        vars(self).update(state)  # type: ignore[arg-type]  # what state gave


class _Storing(AnswerMetric):
    def aggregator(self) -> AnswerAggregator:
        return _StoringAggregator()


def test_objects_of_a_metric_are_stored_if_they_can() -> None:
    merged, whole = _answers(_Storing(), "xy"), _answers(_Storing(), "xyyz")
    merged = restored([_Storing()], merged)
    merged.merge(restored([_Storing()], _answers(_Storing(), "")))
    merged.merge(restored([_Storing()], _answers(_Storing(), "yz")))
    assert merged.summary() == whole.summary()
    assert merged.summary().overall.aggregates["answer"]["mean_length"]["total"] == 4


class _NoJson(_StoringAggregator):
    def state(self) -> JsonValue:
        return {"lengths": {1}}  # type: ignore[dict-item]  # a set


class _Torn(_StoringAggregator):
    def restore(self, state: JsonValue) -> None:
        raise KeyError("lengths")


@pytest.mark.parametrize(
    ("aggregator", "message"),
    [
        (AnswerAggregator, "no methods merge, state and restore"),
        (_MergingAggregator, "no methods merge, state and restore"),
        (_NoJson, "TypeError"),
        (_Torn, "KeyError"),
    ],
)
def test_objects_of_a_metric_that_cannot_be_stored_cost_its_figures_of_the_run(
    aggregator: type[AnswerAggregator], message: str
) -> None:
    class Answers(AnswerMetric):
        def aggregator(self) -> AnswerAggregator:
            return aggregator()

    summary = restored([Answers()], _answers(Answers(), "xy")).summary()
    assert summary.overall.aggregates == {}
    assert summary.overall.figures["answer.length"].scored == 2
    assert [message in error.message for error in summary.errors] == [True]


def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "000000.parquet"
    for content in (b"", b"PAR1"):
        file.write_bytes(content)
        with pytest.raises(ReadError, match=r"000000\.parquet: not the state of a unit"):
            read_state(file)
