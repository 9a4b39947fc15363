"""Retrieval, hops, tools and agents of one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.answers.coverage import tool_trace
from trajmeter.metrics.answers.expected import (
    agent_figures,
    expectations,
    hop_figures,
    retrieval_figures,
    tool_figures,
)
from trajmeter.metrics.answers.profile import PROFILES
from trajmeter.metrics.answers.result import AnswersResult
from trajmeter.metrics.profile import find_profile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Task, Trajectory

__all__ = ["AnswersMetric", "create"]


class AnswersMetric:
    """Scores an answer against the sources, hops, tools and agents that its task expects.

    The task's ``metadata`` names them, as the questions of a scenario do. Figures of what the task
    does not expect abstain; figures of what the attempt did not record are not scored.

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
    batch_columns = frozenset({"sources", "final_output", "metadata"})
    """Columns of a batch that the metric reads."""

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """None: the family has no options."""
        return {}

    def score(self, task: Task | None, trajectory: Trajectory) -> AnswersResult:
        """Score one attempt.

        Raises:
            InputError: The task's metadata is wrong; the message names the field.
        """
        question = expectations(task)
        trace = tool_trace(trajectory.metadata)
        return AnswersResult(
            retrieval=retrieval_figures(question, trajectory.sources),
            hops=hop_figures(question, trajectory.final_output, trajectory.sources),
            tools=tool_figures(question, trace),
            agents=agent_figures(question, trace),
        )

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Score the answers of many rows without creating records."""
        from trajmeter.metrics.answers.batch import score_batch

        return score_batch(tasks, rows)


def create(resources: Resources) -> AnswersMetric:
    """Create the metric for the registry.

    Raises:
        UnknownNameError: A profile was requested; this metric has none.
    """
    find_profile(AnswersMetric.name, resources.profile, PROFILES)
    return AnswersMetric()
