"""Compatibility profiles of figures about answers."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["DEFAULT", "FRAMEWORK_COMPARISON", "PROFILES", "AnswersProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersProfile(Profile):
    """How an original measures differently."""

    counts_copies: bool = False
    """Whether a source that is named twice counts twice."""
    abstains: bool = True
    """Whether a figure with nothing to measure abstains, and is left out of every mean.

    Else it is 0, or 1 for the recall of a question that expects no sources.
    """
    counts_distinct_tools: bool = False
    """Whether calls that an answer does not number are counted once per tool."""
    true_is_one_call: bool = False
    """Whether ``tool_calls: true`` numbers the calls: true is the integer 1, and false is 0."""
    coordination_trace_has_only_objects: bool = False
    """Whether tool traces of coordination questions hold only objects, and never ``tool_calls``."""

    reads_only_plain_calls: bool = False
    """Whether tools are named by ``tool`` and ``name`` alone, and not by OpenAI's ``function``."""


DEFAULT = AnswersProfile()

FRAMEWORK_COMPARISON = AnswersProfile(
    name="framework-comparison",
    counts_copies=True,
    abstains=False,
    counts_distinct_tools=True,
    true_is_one_call=True,
    coordination_trace_has_only_objects=True,
    reads_only_plain_calls=True,
)
"""Profile of a comparison of frameworks; the metric of the registry does not offer it."""

PROFILES = (DEFAULT,)
"""Profiles of the metric, the default first."""
