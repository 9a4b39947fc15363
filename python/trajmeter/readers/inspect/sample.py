"""Converts one epoch of an Inspect sample to an attempt.

Its events are complete; its messages are only what remained of the conversation at the end, and are
read if there are no events. Model calls made by scorers do not belong to the agent.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.json_input import type_name
from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.values import (
    as_list,
    as_number,
    as_object,
    as_text,
)
from trajmeter.readers.inspect.events import SampleEvents
from trajmeter.readers.messages.fields import fields_of, views_for
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.messages.usage import inspect_usage
from trajmeter.readers.redaction import redacted
from trajmeter.records import Failure, Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from trajmeter.records import Source

__all__ = ["agent_of", "attempt_of"]

_NO_BUDGET = frozenset({"operator", "custom"})
"""Limits that do not count as an exhausted budget."""
_GRADES = {"C": True, "I": False, 1: True, 0: False}


def attempt_of(
    sample: Mapping[str, Any],
    header: Mapping[str, Any],
    source: Source,
    *,
    columns: Collection[str] | None = None,
) -> Trajectory:
    """Convert a sample to a trajectory.

    Args:
        sample: The sample, in whichever form the log has it.
        header: The log's data about all its samples.
        source: Position of the sample.
        columns: Requested trajectory columns; ``None`` for all.

    Raises:
        ReadError: It has no id, or its attachments are too large.
        pydantic.ValidationError: A value has the wrong type.
    """
    about = as_object(header.get("eval")) or {}
    views = views_for(columns)
    is_timed = columns is None or any(map(_is_of_time, columns))
    log = SampleEvents(sample, is_timed=is_timed)
    if log.answers:
        held = log.turns(views)
    else:
        held = message_turns(log.whole(as_list(sample.get("messages"))), views=views)
    scores = as_object(sample.get("scores")) or {}
    values = {name: score.get("value") for name, score in scores.items() if as_object(score)}
    output = as_object(sample.get("output")) or {}
    final = log.whole(output.get("completion"))
    seconds = as_number(sample.get("total_time"), partial(held.unusable.__setitem__, "total_time"))
    return Trajectory(
        **{
            **fields_of(held),
            "task_id": _name(sample, "id"),
            "attempt": "1" if sample.get("epoch") is None else _name(sample, "epoch"),
            "agent": agent_of(header),
            "model": as_text(about.get("model")) or held.model,
            "source": source,
            "final_output": as_text(final) or held.final_output,
            "usage": _usage(sample, about, has_others=log.has_others),
            "duration_seconds": seconds,
            "failure": _failure(sample),
            "passed": _passed(values),
            "metadata": {
                "task": about.get("task"),
                "exit_status": header.get("status"),
                "scores": values,
                "sample": redacted(log.whole(sample.get("metadata"))) or {},
            },
        }
    )


def _is_of_time(column: str) -> bool:
    return column in ("turns", "turns.tool_calls") or "duration_seconds" in column


def _name(sample: Mapping[str, Any], key: str) -> str:
    """The name of a sample, a text or an integer."""
    value = sample.get(key)
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise ReadError(f"{key}: expected text or an integer, got {type_name(value)}")


def agent_of(header: Mapping[str, Any]) -> str | None:
    """The agent of all samples of a log: the solver, or else the task.

    Args:
        header: The log's data about all its samples.
    """
    about = as_object(header.get("eval")) or {}
    steps = as_list((as_object(header.get("plan")) or {}).get("steps"))
    last = as_object(steps[-1]) if steps else None
    solver = as_text(about.get("solver")) or as_text((last or {}).get("solver"))
    return solver or as_text(about.get("task"))


def _usage(
    sample: Mapping[str, Any], about: Mapping[str, Any], *, has_others: bool
) -> Usage | None:
    """Usage of the agent's model; unknown if scorers may have contributed to it."""
    by_model = as_object(sample.get("model_usage")) or {}
    counts = as_object(by_model.get(str(about.get("model"))))
    if counts is None and len(by_model) == 1:
        counts = as_object(next(iter(by_model.values())))
    return None if counts is None or has_others else inspect_usage(counts)


def _failure(sample: Mapping[str, Any]) -> Failure | None:
    limit, error = as_object(sample.get("limit")), as_object(sample.get("error"))
    if limit is not None:
        kind = str(limit.get("type"))
        reason = "max_turns_exceeded" if kind == "turn" else "budget_exhausted"
        message = as_text(limit.get("reason")) or f"{kind} limit of {limit.get('limit')}"
        return Failure(reason=kind if kind in _NO_BUDGET else reason, message=message)
    if error is None:
        return None
    said = as_text(error.get("message"))
    return Failure(reason="budget_exhausted" if is_too_long(said) else "error", message=said)


def _passed(scores: Mapping[str, Any]) -> bool | None:
    """The verdict of the only scorer, if it is right or wrong."""
    if len(scores) != 1:
        return None
    (value,) = scores.values()
    return _GRADES.get(value) if isinstance(value, (str, int, float, bool)) else None
