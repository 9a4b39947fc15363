"""Compiles what the rules search for in the attempts at a task, to search columns for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.metrics.rules.conduct import error_markers
from trajmeter.metrics.rules.inputs import read_budget, read_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from pydantic import JsonValue

    from trajmeter.metrics.rules.profile import RulesProfile
    from trajmeter.records import Task

__all__ = ["MOST_TEXTS", "Stretch", "TaskChecks", "compile_checks"]

MOST_TEXTS = 62
"""Number of texts of a task that fit in the bits of an integer; attempts at a task with more are
scored as records."""

_SEARCHES = ("transcript_contains", "transcript_not_contains")
_BUDGETS = ("max_latency_ms", "max_credits", "max_cost_usd", "max_tokens")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Range of a rule's texts among those of its task."""

    start: int = 0
    """The first."""
    count: int = 0
    """The number of texts."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskChecks:
    """What the rules search for in the attempts at one task."""

    task: Task | None
    """The task; kept alive by this object."""
    keys: dict[str, Hashable]
    """For each rule, the part of the task that its scores depend on; equal for tasks with equal
    requirements, and ``None`` if the rule has nothing to act on."""
    texts: tuple[str, ...]
    """Texts to search for in the transcript, in lower case, rule by rule."""
    stretches: dict[str, Stretch]
    """Ranges of each rule's texts."""
    output_texts: tuple[str, ...]
    """Texts that assertions search for in the final output, in lower case."""
    tools: tuple[JsonValue, ...]
    """Names of called tools according to assertions."""
    max_turns: int | None
    """Turn budget, if the number of turns tells whether an attempt reached its end."""
    budgets: dict[str, float]
    """Usable budgets by key."""
    sent: int
    """Assertions for the judge."""


def compile_checks(task: Task | None, profile: RulesProfile, rules: Collection[str]) -> TaskChecks:
    """Compile what these rules search for.

    Args:
        task: The task; ``None`` for attempts whose task is unknown.
        profile: Which assertions are graded, and which budgets count.
        rules: Names of the rules that are applied.
    """
    metadata = {} if task is None else task.metadata
    assertions = () if task is None else task.assertions
    graded = [each for each in assertions if each.type in profile.graded_types]
    every = profile.judge_gets_every_assertion
    sent = len(assertions) if every else len(assertions) - len(graded)
    expected, forbidden, completion = (
        read_texts(metadata.get(key))
        for key in ("expected_tools", "forbidden_tools", "completion_markers")
    )
    errors = error_markers(metadata)
    max_turns = None if task is None or completion else task.max_turns
    if max_turns is not None and max_turns <= 1:
        max_turns = None
    limits = {key: read_budget(metadata.get(key)) for key in _BUDGETS}
    budgets = {
        key: limit
        for key, limit in limits.items()
        if limit is not None and (key in profile.budgets or key == "max_latency_ms")
    }
    searched = {
        "assertion_pass_rate": [
            each.check for each in graded if each.type in _SEARCHES and isinstance(each.check, str)
        ],
        "error_handling": errors,
        "completeness": completion,
    }
    texts: list[str] = []
    stretches: dict[str, Stretch] = {}
    for rule, looked_for in searched.items():
        wanted = [text.lower() for text in looked_for if text] if rule in rules else []
        stretches[rule] = Stretch(len(texts), len(wanted))
        texts += wanted
    return TaskChecks(
        task=task,
        keys={
            "assertion_pass_rate": id(task) if graded else None,
            "tool_usage": (expected, forbidden) if expected or forbidden else None,
            "error_handling": errors,
            "completeness": completion or max_turns,
            "latency": budgets.get("max_latency_ms"),
            "cost_budget": tuple([budgets.get(key) for key in _BUDGETS[1:]])
            if budgets.keys() - {"max_latency_ms"}
            else None,
            "llm_judge": sent or None,
        },
        texts=tuple(texts),
        stretches=stretches,
        output_texts=tuple(
            [
                each.check.lower()
                for each in graded
                if each.type == "output_contains" and isinstance(each.check, str) and each.check
            ]
        ),
        tools=tuple([each.tool or each.check for each in graded if each.type == "tool_called"]),
        max_turns=max_turns,
        budgets=budgets,
        sent=sent,
    )
