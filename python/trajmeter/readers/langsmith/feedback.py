"""Feedback on LangSmith's runs, each on its own or as statistics of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_mapping, as_text, epoch_seconds
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

__all__ = ["is_feedback", "scores_of"]


def is_feedback(value: object) -> bool:
    """Whether a value is feedback on a run."""
    return isinstance(value, dict) and {"key", "run_id", "score"} <= value.keys()


def scores_of(
    run: Mapping[str, Any], feedback: Iterable[Mapping[str, Any]]
) -> dict[str, JsonValue]:
    """The scores of a run by key: the means of its statistics, or the latest feedback on it.

    Args:
        run: The run.
        feedback: Feedback on the run; it counts more than the statistics.
    """
    found: dict[str, JsonValue] = {}
    for key, about in as_mapping(run.get("feedback_stats")).items():
        stats = as_mapping(about)
        value: JsonValue = finite(stats.get("avg"))
        if value is None and len(values := as_mapping(stats.get("values"))) == 1:
            value = next(iter(values))
        if value is not None:
            found[key] = value
    for each in sorted(feedback, key=lambda one: epoch_seconds(one.get("created_at")) or 0.0):
        name, score = as_text(each.get("key")), each.get("score")
        value = score if isinstance(score, bool) else finite(score)
        if value is None:
            value = as_text(each.get("value"))
        if name is not None and value is not None:
            found[name] = value
    return found
