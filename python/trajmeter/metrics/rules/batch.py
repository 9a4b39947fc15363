"""Applies the rules to record batches.

Columns are searched for what the rules need, and attempts that agree in everything a rule depends
on form one state. The rule itself scores each state once; only durations and costs, which differ
for every attempt, are graded as columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import filled, flags, numbers
from trajmeter.arrays.nested import entries
from trajmeter.metrics.result_arrays import result_arrays
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.rules.asserted import graded_assertions
from trajmeter.metrics.rules.checks import MOST_TEXTS, compile_checks
from trajmeter.metrics.rules.facts import ABSENT, Facts, RowAttempt
from trajmeter.metrics.rules.result import RuleScore, RulesResult
from trajmeter.metrics.rules.spent import graded_costs, graded_latencies
from trajmeter.metrics.states import coded_tasks, distinct, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.rules.checks import TaskChecks
    from trajmeter.metrics.rules.inputs import Attempt
    from trajmeter.metrics.rules.profile import RulesProfile
    from trajmeter.records import Task, Trajectory

__all__ = ["RuleSet", "score_batch"]


class RuleSet(NamedTuple):
    """Rules, and how to apply them to an attempt."""

    rules: tuple[str, ...]
    """Names of the rules to apply."""
    unwanted: Mapping[str, RuleScore]
    """Results of the rules that are not applied."""
    profile: RulesProfile
    """How an original's grading differs."""
    has_judge: bool
    """Whether a judge is asked, instead of using recorded verdicts."""
    apply: Callable[[str, Task | None, Attempt], RuleScore]
    """Applies one rule."""
    score: Callable[[Task | None, Trajectory], RulesResult]
    """Applies all of them."""


def score_batch(
    rule_set: RuleSet, tasks: Sequence[Task | None], rows: pa.RecordBatch
) -> dict[str, Array]:
    """Apply every rule to every row.

    Args:
        rule_set: The rules.
        tasks: Task of each row.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.

    Returns:
        Every column of :class:`RulesResult` by its dotted path.
    """
    each, codes = coded_tasks(tasks)
    checks = [compile_checks(task, rule_set.profile, rule_set.rules) for task in each]
    odd = _are_odd(rows, checks, codes)
    plain = np.flatnonzero(~odd)
    if len(plain) == len(rows):
        return _by_rule(rule_set, Facts(rows, checks, codes))
    facts = Facts(rows.take(plain), checks, codes[plain])
    left = np.flatnonzero(odd)
    records = records_of(rows.take(left))
    results = (
        rule_set.score(tasks[row], record)
        for row, record in zip(left.tolist(), records, strict=True)
    )
    by_record = result_arrays(RulesResult, results)
    return merged([(plain, _by_rule(rule_set, facts)), (left, by_record)])


def _are_odd(rows: pa.RecordBatch, checks: Sequence[TaskChecks], codes: Int64Array) -> Booleans:
    """Whether to score each row as a record: a value is unusable, or the texts are too many."""
    too_many = [
        max(len(each.texts), len(each.output_texts), len(each.tools)) > MOST_TEXTS
        for each in checks
    ]
    odd: Booleans = np.array(too_many, np.bool_)[codes]
    return odd | (np.diff(entries(cast("Any", rows.column("unusable"))).offsets) > 0)


def _models() -> dict[str, type[RuleScore]]:
    return {
        name: cast("type[RuleScore]", field.annotation)
        for name, field in RulesResult.model_fields.items()
    }


def _by_rule(rule_set: RuleSet, facts: Facts) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    for name, model in _models().items():
        if name not in rule_set.rules:
            alike = result_arrays(model, [rule_set.unwanted[name]])
            everywhere = np.zeros(len(facts), np.int64)
            columns |= _named(name, {key: each.take(everywhere) for key, each in alike.items()})
        else:
            columns |= _named(name, _of_rule(rule_set, name, model, facts))
    return columns


def _named(rule: str, columns: Mapping[str, Array]) -> dict[str, Array]:
    return {f"{rule}.{name}": column for name, column in columns.items()}


def _of_rule(
    rule_set: RuleSet, name: str, model: type[RuleScore], facts: Facts
) -> dict[str, Array]:
    """Columns of one rule."""
    profile = rule_set.profile
    if name == "latency":
        rows, columns = graded_latencies(facts, profile)
    elif name == "cost_budget":
        rows, columns = graded_costs(facts, profile)
    elif name == "assertion_pass_rate":
        rows, columns = graded_assertions(facts, profile)
    else:
        return _by_state(rule_set, name, model, facts, np.arange(len(facts)))
    if columns and len(rows) == len(facts):
        return columns
    rest = np.setdiff1d(np.arange(len(facts)), rows, assume_unique=True)
    by_state = _by_state(rule_set, name, model, facts, rest)
    return merged([(rows, columns), (rest, by_state)]) if len(rows) else by_state


def _by_state(
    rule_set: RuleSet, name: str, model: type[RuleScore], facts: Facts, rows: Int64Array
) -> dict[str, Array]:
    """Columns of one rule in some rows, scoring each state once."""
    places: dict[object, int] = {}
    keys = [
        places.setdefault((each.task is None, each.keys[name]), len(places))
        for each in facts.checks
    ]
    matters = np.array(
        [each.task is not None and each.keys[name] is not None for each in facts.checks], np.bool_
    )
    if name == "error_handling":
        matters[:] = True
    tasks = facts.tasks[rows]
    asked = matters[tasks]
    columns = [np.array(keys, np.int64)[tasks]]
    if asked.any():
        columns += [np.where(asked, each[rows], 0) for each in _FACTS[name](facts, rule_set)]
    first, codes = distinct(*columns)
    scores = (
        rule_set.apply(name, facts.checks[facts.tasks[row]].task, RowAttempt(facts, row))
        for row in rows[first].tolist()
    )
    return {key: each.take(codes) for key, each in result_arrays(model, scores).items()}


def _texts(facts: Facts, rule: str) -> Int64Array:
    """Which of a rule's texts each transcript contains; ``ABSENT`` without a transcript."""
    stretches = [each.stretches[rule] for each in facts.checks]
    start = np.array([each.start for each in stretches], np.int64)[facts.tasks]
    mask = np.array([(1 << each.count) - 1 for each in stretches], np.int64)[facts.tasks]
    return np.where(facts.texts == ABSENT, ABSENT, facts.texts >> start & mask)


def _assertion_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    del rule_set
    called = [facts.called_tools()] if any(each.tools for each in facts.checks) else []
    return [_texts(facts, "assertion_pass_rate"), facts.output_texts, *called]


def _tool_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    del rule_set
    return [facts.called, facts.dropped]


def _error_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    del rule_set
    return [_texts(facts, "error_handling")]


def _end_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    del rule_set
    limits = np.array([each.max_turns or 0 for each in facts.checks], np.int64)
    is_unlimited = np.array([each.max_turns is None for each in facts.checks], np.bool_)
    limit = numbers(limits[facts.tasks], is_unlimited[facts.tasks])
    below = pc.less(facts.turn_count, limit)
    # Null is a third state: turns were not counted, or markers decide.
    return [
        _texts(facts, "completeness"),
        facts.output,
        filled(below.cast(pa.int64()), ABSENT),
    ]


def _duration_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    del rule_set
    return _bits(facts.seconds)


def _cost_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    del rule_set  # usage, and why it is missing, differs from run to run
    return [np.arange(len(facts))]


def _judge_facts(facts: Facts, rule_set: RuleSet) -> list[Int64Array]:
    """Each judged attempt is a separate state."""
    verdicts = facts.rows.column("verdicts")
    is_judged = np.ones(len(facts), np.bool_) if rule_set.has_judge else flags(verdicts.is_valid())
    return [np.where(is_judged, np.arange(len(facts)), ABSENT)]


def _bits(column: Array) -> list[Int64Array]:
    """Numbers as codes, equal for equal numbers."""
    numbers = np.ascontiguousarray(filled(column, 0.0), np.float64)
    return [numbers.view(np.int64), flags(column.is_valid()).astype(np.int64)]


_FACTS: dict[str, Callable[[Facts, RuleSet], list[Int64Array]]] = {
    "assertion_pass_rate": _assertion_facts,
    "tool_usage": _tool_facts,
    "error_handling": _error_facts,
    "completeness": _end_facts,
    "latency": _duration_facts,
    "cost_budget": _cost_facts,
    "llm_judge": _judge_facts,
}
"""What the scores of each rule depend on, besides the task."""
