"""Compatibility profiles of figures about answers."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["DEFAULT", "FRAMEWORK_COMPARISON", "PROFILES", "AnswersProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersProfile(Profile):
    """How an original's measurement differs."""

    counts_copies: bool = False
    """Whether a source named twice counts twice."""
    abstains: bool = True
    """Whether a figure with nothing to measure abstains, and is excluded from every mean.

    Otherwise it is 0, or 1 for the recall of a question that expects no sources.
    """
    counts_distinct_tools: bool = False
    """Whether each tool counts as one call if the answer does not state the number of calls."""
    true_is_one_call: bool = False
    """Whether a boolean ``tool_calls`` states the number of calls: true is 1, and false is 0."""
    coordination_trace_has_only_objects: bool = False
    """Whether tool traces of coordination questions contain only objects, and never
    ``tool_calls``."""

    reads_only_plain_calls: bool = False
    """Whether only ``tool`` and ``name`` name tools, and not OpenAI's ``function``."""
    first_value_is_trace: bool = False
    """Whether the first key with a value contains the trace, so that one that is not a list leaves
    none; otherwise, the first list that is not empty is the trace."""
    any_value_names_a_tool: bool = False
    """Whether a call's tool may be any value, written as text; otherwise it must be text."""
    trace_names_tools: bool = False
    """Whether a trace that names no tool counts as none."""


DEFAULT = AnswersProfile()

FRAMEWORK_COMPARISON = AnswersProfile(
    name="framework-comparison",
    counts_copies=True,
    abstains=False,
    counts_distinct_tools=True,
    true_is_one_call=True,
    coordination_trace_has_only_objects=True,
    reads_only_plain_calls=True,
    first_value_is_trace=True,
    any_value_names_a_tool=True,
    trace_names_tools=True,
)
"""Profile for comparing frameworks; the registry's metric does not offer it."""

PROFILES = (DEFAULT,)
"""Profiles of the metric, the default first."""
