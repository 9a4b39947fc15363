"""What a task expects of an answer, and the groups of figures that measure it.

Without a task no group is scored; figures about what the task does not expect abstain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from trajmeter.errors import ConfigurationError, InputError
from trajmeter.metrics.answers.coverage import hop_coverage, names, retrieval
from trajmeter.metrics.answers.result import Coverage, Hops, RetrievalFigures
from trajmeter.readers.questions import read_question
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics._result import Group
    from trajmeter.metrics.answers.coverage import ToolTrace
    from trajmeter.records import Question, Task

    _GroupT = TypeVar("_GroupT", bound=Group)

__all__ = [
    "agent_figures",
    "expectations",
    "hop_figures",
    "retrieval_figures",
    "tool_figures",
]


def expectations(task: Task | None) -> Question | None:
    """Read what a task expects of an answer, in the form of a scenario's questions.

    Raises:
        InputError: The task's metadata is wrong; the message names the field.
    """
    if task is None:
        return None
    # A question needs some text; its content is irrelevant here.
    raw = {"id": task.id, "text": task.question or task.id, "metadata": task.metadata}
    try:
        question = read_question(raw, at=f"task {task.id!r}")
    except ConfigurationError as error:  # affects one task only, so it must not end the run
        raise InputError(str(error)) from error
    return question.model_copy(update={"expected_sources": task.expected_sources or ()})


def retrieval_figures(question: Question | None, sources: Sequence[str] | None) -> RetrievalFigures:
    """Compare the sources of an answer with those expected."""
    if question is None:
        return _without_task(RetrievalFigures)
    if not question.expected_sources:
        return RetrievalFigures(outcome=Outcome.ABSTAINED)
    if sources is None:
        return RetrievalFigures(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_ANSWER)
    found = retrieval(sources, question.expected_sources)
    expected, retrieved = set(question.expected_sources), set(sources)
    return RetrievalFigures(
        precision=found.precision,
        recall=found.recall,
        relevant=len(expected & retrieved),
        retrieved=len(retrieved),
        expected=len(expected),
    )


def hop_figures(question: Question | None, text: str | None, sources: Sequence[str] | None) -> Hops:
    """Count the hops that an answer's text contains."""
    if question is None:
        return _without_task(Hops)
    if not question.required_hops:
        return Hops(outcome=Outcome.ABSTAINED)
    if text is None:
        return Hops(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_ANSWER)
    found = hop_coverage(question.required_hops, answer=text, sources=sources or ())
    return Hops(
        coverage=found.coverage,
        grounded_coverage=None if sources is None else found.grounded_coverage,
        required=found.required,
        matched=found.matched,
        grounded=None if sources is None else found.grounded,
    )


def tool_figures(question: Question | None, trace: ToolTrace) -> Coverage:
    """Count the required tools that took part."""
    if question is None:
        return _without_task(Coverage)
    return _coverage(names(question.required_tools), trace.tools, known=trace.reported)


def agent_figures(question: Question | None, trace: ToolTrace) -> Coverage:
    """Count the required agents that took part."""
    if question is None:
        return _without_task(Coverage)
    return _coverage(names(question.required_agents), trace.agents, known=bool(trace.agents))


def _coverage(required: frozenset[str], seen: frozenset[str], *, known: bool) -> Coverage:
    if not required:
        return Coverage(outcome=Outcome.ABSTAINED)
    if not known:
        return Coverage(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_ANSWER)
    matched = len(required & seen)
    return Coverage(coverage=matched / len(required), matched=matched, required=len(required))


def _without_task(group: type[_GroupT]) -> _GroupT:
    return group(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_TASK)
