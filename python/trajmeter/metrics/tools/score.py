"""Matches the tool calls of an attempt with those of a reference."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.profile import find_profile
from trajmeter.metrics.tools.calls import calls_of, prepare_reference, read_calls, read_steps
from trajmeter.metrics.tools.matching import match
from trajmeter.metrics.tools.mismatches import explain
from trajmeter.metrics.tools.policies import POLICIES_KEY, ArgumentPolicies
from trajmeter.metrics.tools.profile import PROFILES
from trajmeter.metrics.tools.result import MatchGrades, ToolsResult, unscored
from trajmeter.records import Cause, Outcome
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.metrics.tools.calls import Calls, Reference
    from trajmeter.records import Task, ToolCall, Trajectory

__all__ = ["ToolsMetric", "create", "match_calls", "match_steps"]


def match_calls(
    reference: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    *,
    policies: ArgumentPolicies | None = None,
) -> ToolsResult:
    """Match tool calls with those of a reference.

    Args:
        reference: Calls of the reference, in order.
        actual: Actual calls, in order.
        policies: How arguments are compared; by default they have to be equal as JSON.

    Example:
        >>> from trajmeter.records import ToolCall
        >>> wanted = [ToolCall(name="search", arguments={"q": "a"}), ToolCall(name="open")]
        >>> made = [ToolCall(name="search", arguments={"q": "b"}), ToolCall(name="open")]
        >>> result = match_calls(wanted, made)
        >>> result.any_order_grades.precision, result.mismatches[0].path
        (0.5, ('q',))
    """
    return _match(
        prepare_reference(read_calls(reference), policies or ArgumentPolicies()), read_calls(actual)
    )


def match_steps(reference: Sequence[str], actual: Sequence[str]) -> ToolsResult:
    """Match steps of any kind, such as files, nodes of a graph or agents, by their names.

    Example:
        >>> match_steps(["plan", "code"], ["plan", "search", "code"]).in_order
        True
    """
    return _match(prepare_reference(read_steps(reference), ArgumentPolicies()), read_steps(actual))


class ToolsMetric:
    """Matches the tool calls of each attempt with those its task expects.

    A task without expected calls abstains. Policies in a task's metadata, under ``tool_policies``,
    override those of the metric; if they cannot be read, a warning is given and the task's attempts
    are not scored.

    Args:
        policies: How arguments are compared; by default they have to be equal as JSON.
    """

    name = "tools"
    version = "1"
    requires: tuple[str, ...] = (
        "Task.expected_tool_calls",
        "Trajectory.turns",
        "Trajectory.tool_calls",
    )
    result_type = ToolsResult
    batch_columns = frozenset(
        f"{calls}.{member}"
        for calls in ("tool_calls", "turns.tool_calls")
        for member in ("name", "arguments")
    ) | {"dropped_calls", "unusable"}
    """Columns of a batch that the metric reads."""

    def __init__(self, *, policies: ArgumentPolicies | None = None) -> None:
        self._policies = policies or ArgumentPolicies()
        # Attempts at one task are mostly consecutive.
        self._prepared: tuple[Task, Reference] | None = None
        self._warned: set[str] = set()

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The policies."""
        return {"policies": self._policies.describe()}

    def score(self, task: Task | None, trajectory: Trajectory) -> ToolsResult:
        """Match the calls of one attempt."""
        dropped = trajectory.dropped_calls
        if task is None:
            return unscored(Outcome.NOT_SCORED, Cause.MISSING_TASK, dropped=dropped)
        if task.expected_tool_calls is None:
            return unscored(Outcome.ABSTAINED, None, dropped=dropped)
        actual = calls_of(trajectory)
        if actual is None:
            unusable = trajectory.unusable.get("tool_calls")
            cause = Cause.MISSING_CALLS if unusable is None else Cause.INVALID_INPUT
            return unscored(Outcome.NOT_SCORED, cause, unusable, dropped=dropped)
        try:
            reference = self._prepare(task, task.expected_tool_calls)
        except ConfigurationError as error:
            reason = f"{POLICIES_KEY}: {error}"
            self._warn(task, reason)
            return unscored(Outcome.NOT_SCORED, Cause.INVALID_INPUT, reason, dropped=dropped)
        return _match(reference, actual, dropped=dropped)

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Match the calls of many rows; rows with policies other than equality become records."""
        from trajmeter.metrics.tools.batch import score_batch

        return score_batch(tasks, rows, is_exact=self._policies.is_exact, score=self.score)

    def _warn(self, task: Task, reason: str) -> None:
        """Warn once per task that its attempts cannot be scored."""
        if task.id not in self._warned:
            self._warned.add(task.id)
            place = f"{task.source}: " if task.source else ""
            warnings.warn(f"{place}task {task.id!r} cannot be scored: {reason}", stacklevel=2)

    def _prepare(self, task: Task, expected: Sequence[ToolCall]) -> Reference:
        prepared = self._prepared
        if prepared is not None and prepared[0] is task:
            return prepared[1]
        recorded = task.metadata.get(POLICIES_KEY)
        policies = self._policies if recorded is None else ArgumentPolicies.read(recorded)
        reference = prepare_reference(read_calls(expected), policies)
        self._prepared = task, reference
        return reference


def create(resources: Resources) -> ToolsMetric:
    """Create the metric for the registry.

    Raises:
        UnknownNameError: A profile was requested; this family has none.
    """
    find_profile(ToolsMetric.name, resources.profile, PROFILES)
    return ToolsMetric()


def _match(reference: Reference, actual: Calls, *, dropped: int = 0) -> ToolsResult:
    matching = match(reference, actual)
    expected, made, matched = len(reference), len(actual), len(matching.pairs)
    aligned = expected - matching.aligned.count(-1)
    grades = _grades(matched, expected, made)
    return frozen(
        ToolsResult,
        {
            "outcome": Outcome.SCORED,
            "cause": None,
            "exact": matching.is_exact,
            "in_order": aligned == expected,
            "any_order": matched == expected == made,
            "subset": matched == made,
            "superset": matched == expected,
            "edit_distance": matching.edit_distance,
            "mismatches": explain(reference, actual, matching),
            "dropped_calls": dropped,
            "reason": None,
            "any_order_grades": grades,
            "in_order_grades": grades if aligned == matched else _grades(aligned, expected, made),
        },
    )


def _grades(matched: int, reference_size: int, actual_size: int) -> MatchGrades:
    precision = matched / actual_size if actual_size else 1.0
    recall = matched / reference_size if reference_size else 1.0
    both = precision + recall
    return frozen(
        MatchGrades,
        {
            "outcome": Outcome.SCORED,
            "cause": None,
            "matched": matched,
            "reference_size": reference_size,
            "actual_size": actual_size,
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / both if both else 0.0,
        },
    )
