"""The answers family on tasks and trajectories, by hand and through the registry."""

from __future__ import annotations

import pytest

import trajmeter
from trajmeter.errors import UnknownNameError
from trajmeter.metrics import create
from trajmeter.metrics.answers import AnswersMetric
from trajmeter.records import Cause, Outcome, Task, Trajectory

TASK = Task(
    id="q1",
    question="Which tower?",
    expected_sources=("towers.md", "lamps.md"),
    metadata={
        "required_hops": [
            {"id": "tower", "any_of": ["Skerry"], "source": "towers.md"},
            {"id": "lamp", "any_of": ["Fresnel"], "source": "lamps.md"},
        ],
        "required_tools": ["search", "lookup"],
        "required_agents": ["ops"],
    },
)
ATTEMPT = Trajectory(
    task_id="q1",
    final_output="The skerry tower, with a Fresnel lamp.",
    sources=("towers.md", "keepers.md", "towers.md"),
    metadata={"tool_trace": [{"tool": "Search", "domain": "ops"}]},
)


def test_an_answer_is_scored_against_the_expectations_of_its_task() -> None:
    got = AnswersMetric().score(TASK, ATTEMPT)
    assert (got.retrieval.precision, got.retrieval.recall) == (0.5, 0.5)  # 1 of 2, 1 of 2
    assert (got.hops.coverage, got.hops.grounded_coverage) == (1.0, 0.5)  # lamps.md is missing
    assert (got.tools.coverage, got.agents.coverage) == (0.5, 1.0)


def test_unrecorded_values_are_not_scored() -> None:
    got = AnswersMetric().score(TASK, Trajectory(task_id="q1"))
    for group in (got.retrieval, got.hops, got.tools, got.agents):
        assert (group.outcome, group.cause) == (Outcome.NOT_SCORED, Cause.MISSING_ANSWER)
    unsourced = AnswersMetric().score(TASK, ATTEMPT.model_copy(update={"sources": None}))
    assert (unsourced.hops.coverage, unsourced.hops.grounded_coverage) == (1.0, None)


def test_an_attempt_without_expectations_abstains_and_an_unknown_task_is_missing() -> None:
    got = AnswersMetric().score(Task(id="q1"), ATTEMPT)
    groups = (got.retrieval, got.hops, got.tools, got.agents)
    assert {group.outcome for group in groups} == {Outcome.ABSTAINED}
    assert AnswersMetric().score(None, ATTEMPT).hops.cause is Cause.MISSING_TASK


def test_the_registry_knows_the_family_and_micro_averages_weigh_by_counts() -> None:
    one = Task(id="q2", question="?", expected_sources=("a.md",))
    attempts = [ATTEMPT, Trajectory(task_id="q2", final_output="x", sources=("a.md",))]
    scores = trajmeter.score(attempts, tasks=[TASK, one], metrics=["answers"])
    recall = scores.summary.overall.figures["answers.retrieval.recall"]
    assert recall.macro == 0.75  # (1 / 2 + 1) / 2
    assert recall.micro == pytest.approx(2 / 3)  # (1 + 1) / (2 + 1)
    assert scores.summary.overall.figures["answers.hops.coverage"].scored == 1


def test_there_are_no_profiles() -> None:
    with pytest.raises(UnknownNameError):
        create(["answers"], profiles=["framework-comparison"])


def test_wrong_metadata_is_an_error_of_its_attempt_alone() -> None:
    wrong = Task(id="q1", question="?", metadata={"required_hops": "tower"})
    rows = trajmeter.score([ATTEMPT], tasks=[wrong], metrics=["answers"]).rows
    assert rows[0]["answers.hops.cause"] == "metric_error"
    assert "required_hops: expected a list, got 'tower'" in rows[0]["answers.error"]
