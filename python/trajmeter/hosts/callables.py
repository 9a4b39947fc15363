"""Evaluators as plain functions, for LangSmith, openevals and agentevals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trajmeter.errors import InputError, ReadError
from trajmeter.hosts._figures import why_unscored
from trajmeter.hosts._references import References, attempt_from
from trajmeter.records import Trajectory
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["evaluator"]

_EXAMPLE = "example"
"""Id of the task of an example without one."""


def evaluator(
    figure: str,
    *,
    key: str | None = None,
    **scorer_options: Any,  # noqa: ANN401 - those of a Scorer
) -> Callable[..., dict[str, Any]]:
    """Create an evaluator for one figure.

    It is called with ``outputs``, a list of messages, a mapping with ``messages`` or a record, and
    with ``reference_outputs``: a run whose calls are expected, in the same shapes, or a mapping
    with fields of a task (``expected_tool_calls``, ``gold_ranges``). An empty mapping is not a
    reference. All other arguments are ignored.

    Args:
        figure: The figure's column or short name.
        key: Name of the feedback; by default that of the figure.
        **scorer_options: As for :class:`trajmeter.Scorer`.

    Returns:
        A function that returns ``key``, ``score`` and ``comment``; if the figure was not scored,
        ``score`` is ``None``, with the cause as the comment.

    Raises:
        UnknownNameError: There is no such figure; the nearest is named.

    Example:
        >>> exact = evaluator("tools.exact")
        >>> call = {"function": {"name": "read", "arguments": "{}"}}
        >>> run = [{"role": "assistant", "tool_calls": [call]}]
        >>> exact(outputs={"messages": run}, reference_outputs={"messages": run})
        {'key': 'tools.exact', 'score': True, 'comment': None}
    """
    scorer = Scorer(scorer_options.pop("metrics", figure.partition(".")[0]), **scorer_options)
    named = scorer.figure(figure)
    references = References(scorer, "reference_outputs")
    is_verdict = named.info.kind == "boolean"
    name = key or figure

    def evaluate(
        *,
        outputs: Any,  # noqa: ANN401 - of several shapes
        reference_outputs: Any = None,  # noqa: ANN401 - as above
        inputs: Any = None,  # noqa: ANN401 - as above
        **_: Any,  # noqa: ANN401 - hosts pass more than needed
    ) -> dict[str, Any]:
        del inputs
        try:
            attempt = attempt_from(outputs, _EXAMPLE)
            task = references.task(attempt.task_id, _carried(reference_outputs))
        except (InputError, ReadError) as wrong:
            return {"key": name, "score": None, "comment": f"invalid_input: {wrong}"}
        score = named.of(scorer.scored(task, attempt))
        if score.counts and score.value is not None:
            value: float | bool = bool(score.value) if is_verdict else score.value
            return {"key": name, "score": value, "comment": score.reason}
        return {"key": name, "score": None, "comment": why_unscored(score)}

    evaluate.__name__ = name.replace(".", "_")
    return evaluate


def _carried(reference: Any) -> Mapping[str, Any] | None:  # noqa: ANN401 - of several shapes
    """Fields of a task: those of a reference, or the calls if the reference is a run."""
    if reference is None:
        return None
    if isinstance(reference, Mapping) and "messages" not in reference:
        return reference
    run = attempt_from(reference, _EXAMPLE)
    if run.unusable and not isinstance(reference, Trajectory):
        place, reason = next(iter(run.unusable.items()))
        raise InputError(f"reference_outputs: {place}: {reason}")  # one of its calls may be lost
    calls = run.calls
    if calls is None:  # not recorded, so not a reference
        return None
    wanted = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return {"expected_tool_calls": wanted}
