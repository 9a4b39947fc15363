"""Retrieval, hops, tools and agents of one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError, InputError
from trajmeter.metrics.answers.coverage import hop_coverage, names, retrieval, tool_trace
from trajmeter.metrics.answers.profile import PROFILES
from trajmeter.metrics.answers.result import AnswersResult, Coverage, Hops, RetrievalFigures
from trajmeter.metrics.profile import find_profile
from trajmeter.readers.questions import read_question
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Question, Task, Trajectory

__all__ = ["AnswersMetric", "create"]

_ABSTAINED = Outcome.ABSTAINED


class AnswersMetric:
    """Scores an answer against the sources, hops, tools and agents that its task expects.

    The task's ``metadata`` names them, as the questions of a scenario do. What the task does not
    expect abstains; what the attempt did not record is not scored.

    Example:
        >>> from trajmeter.records import Task, Trajectory
        >>> task = Task(id="q", question="Where?", expected_sources=("a.md", "b.md"))
        >>> attempt = Trajectory(task_id="q", final_output="Here.", sources=("a.md",))
        >>> AnswersMetric().score(task, attempt).retrieval.recall
        0.5
    """

    name = "answers"
    version = "1"
    requires = ("Task.expected_sources", "Task.metadata", "Trajectory.sources")
    result_type = AnswersResult

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """None: the family has no options."""
        return {}

    def score(self, task: Task | None, trajectory: Trajectory) -> AnswersResult:
        """Score one attempt.

        Raises:
            InputError: The task's metadata is wrong; the message names the field.
        """
        if task is None:
            return _without_task()
        # A question needs some text; what it says plays no part here.
        raw = {"id": task.id, "text": task.question or task.id, "metadata": task.metadata}
        try:
            question = read_question(raw, at=f"task {task.id!r}")
        except ConfigurationError as error:  # of one task, and no reason to end a run
            raise InputError(str(error)) from error
        trace = tool_trace(trajectory.metadata)
        return AnswersResult(
            retrieval=_retrieval(task, trajectory),
            hops=_hops(question, trajectory),
            tools=_coverage(names(question.required_tools), trace.tools, known=trace.reported),
            agents=_coverage(
                names(question.required_agents), trace.agents, known=bool(trace.agents)
            ),
        )


def create(resources: Resources) -> AnswersMetric:
    """Make the metric for the registry.

    Raises:
        UnknownNameError: A profile was asked for; this metric has none.
    """
    find_profile(AnswersMetric.name, resources.profile, PROFILES)
    return AnswersMetric()


def _without_task() -> AnswersResult:
    outcome, cause = Outcome.NOT_SCORED, Cause.MISSING_TASK
    tools_or_agents = Coverage(outcome=outcome, cause=cause)
    return AnswersResult(
        retrieval=RetrievalFigures(outcome=outcome, cause=cause),
        hops=Hops(outcome=outcome, cause=cause),
        tools=tools_or_agents,
        agents=tools_or_agents,
    )


def _retrieval(task: Task, trajectory: Trajectory) -> RetrievalFigures:
    if not task.expected_sources:
        return RetrievalFigures(outcome=_ABSTAINED)
    if trajectory.sources is None:
        return RetrievalFigures(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_ANSWER)
    found = retrieval(trajectory.sources, task.expected_sources)
    expected, retrieved = set(task.expected_sources), set(trajectory.sources)
    return RetrievalFigures(
        precision=found.precision,
        recall=found.recall,
        relevant=len(expected & retrieved),
        retrieved=len(retrieved),
        expected=len(expected),
    )


def _hops(question: Question, trajectory: Trajectory) -> Hops:
    if not question.required_hops:
        return Hops(outcome=_ABSTAINED)
    if trajectory.final_output is None:
        return Hops(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_ANSWER)
    found = hop_coverage(
        question.required_hops, answer=trajectory.final_output, sources=trajectory.sources or ()
    )
    return Hops(
        coverage=found.coverage,
        grounded_coverage=None if trajectory.sources is None else found.grounded_coverage,
        required=found.required,
        matched=found.matched,
        grounded=None if trajectory.sources is None else found.grounded,
    )


def _coverage(required: frozenset[str], seen: frozenset[str], *, known: bool) -> Coverage:
    if not required:
        return Coverage(outcome=_ABSTAINED)
    if not known:
        return Coverage(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_ANSWER)
    matched = len(required & seen)
    return Coverage(coverage=matched / len(required), matched=matched, required=len(required))
