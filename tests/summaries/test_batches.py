"""Summaries of batches are those of the same attempts, counted one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.fakes import AnswerMetric, RankMetric
from tests.summaries.batches import by_batch, by_record, scored_attempts
from trajmeter.metrics import create
from trajmeter.records import Failure, Source, Task, Trajectory, Turn, Usage

if TYPE_CHECKING:
    from trajmeter.metrics import AnyMetric

pytest.importorskip("pyarrow")

TASKS = (
    Task(id="one", expected_answer="a b", aliases=("uno",), metadata={"max_latency_ms": 1000}),
    Task(id="two", expected_answer="c"),
)
_NAMES = st.sampled_from([None, "x", "y"])
_TURNS = st.builds(
    Turn,
    success=st.sampled_from([None, True, False]),
    error=st.sampled_from([None, Failure(reason="parse_error"), Failure(reason="x")]),
    program=st.sampled_from([None, "(+ 1 2)"]),
)
ATTEMPTS = st.lists(
    st.builds(
        Trajectory,
        task_id=st.sampled_from(["one", "uno", "two", "none"]),
        agent=_NAMES,
        model=_NAMES,
        instance=st.sampled_from([None, "1"]),
        attempt=st.sampled_from([None, "1", "2"]),
        source=st.sampled_from([None, Source(file="f", line=1), Source(file="g", record="r")]),
        final_output=st.sampled_from([None, "a", "a b c", "boom"]),
        passed=st.sampled_from([None, True, False]),
        duration_seconds=st.none() | st.floats(0, 1e6),
        usage=st.none() | st.builds(Usage, input_tokens=st.none() | st.integers(0, 2**62)),
        turns=st.none() | st.lists(_TURNS, max_size=3).map(tuple),
    ),
    max_size=12,
)


def _metrics(profiles: bool) -> list[AnyMetric]:
    names = ["turns", "rules", "speedup", "context", "tools", "answers"]
    chosen = ["ptcrunner", "transform-gym", "fc-eval", "contextbench"] if profiles else ()
    return [*create(names, profiles=chosen), AnswerMetric(), RankMetric()]


@pytest.mark.parametrize("profiles", [False, True])
@settings(max_examples=25)
@given(ATTEMPTS, st.integers(1, 12))
def test_batches_have_the_summary_of_their_attempts(
    profiles: bool, attempts: list[Trajectory], rows: int
) -> None:
    metrics = _metrics(profiles)
    scored = scored_attempts(metrics, attempts, TASKS)
    expected = by_record(metrics, scored).summary()
    own = ("answer", "rank")
    assert by_batch(metrics, scored, given=own, rows=rows).summary() == expected


@pytest.mark.parametrize("groups", [["turns.run"], ["rules.latency", "rules.tool_usage"]])
def test_groups_that_are_not_asked_for_are_in_no_summary(groups: list[str]) -> None:
    metrics = create(groups)
    attempts = [Trajectory(task_id="one", duration_seconds=2.0, turn_count=3, passed=True)]
    scored = scored_attempts(metrics, attempts, TASKS)
    summary = by_record(metrics, scored).summary()
    assert by_batch(metrics, scored).summary() == summary
    family = groups[0].partition(".")[0]
    expected = {group.partition(".")[2] for group in groups} if family == "rules" else set()
    assert set(summary.overall.aggregates.get(family, ())) == expected
    assert not summary.errors
