"""Rule ``assertion_pass_rate`` on record batches, for well-formed assertions.

The result of an assertion depends only on whether its text or tool was found, so it is written
once. Attempts that did not record what an assertion checks are left to the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.arrays.text import text_array
from trajmeter.metrics.result_arrays import json_cell
from trajmeter.metrics.rules.assertions import count_reason, grade_assertion
from trajmeter.metrics.rules.facts import ABSENT, RowAttempt
from trajmeter.metrics.rules.grade import fraction
from trajmeter.metrics.rules.graded import Graded, graded
from trajmeter.metrics.states import distinct

if TYPE_CHECKING:
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.rules.checks import TaskChecks
    from trajmeter.metrics.rules.facts import Facts
    from trajmeter.metrics.rules.profile import RulesProfile
    from trajmeter.records import Assertion

__all__ = ["graded_assertions"]

_TRANSCRIPT, _OUTPUT, _TOOLS = range(3)


class _Place(NamedTuple):
    """An assertion, and the bit that says whether its text or tool was found."""

    at: int
    """Index of the assertion in its task."""
    assertion: Assertion
    facts: int
    """Which fact contains the bit."""
    bit: int | None
    """``None`` if there is nothing to search for."""


def graded_assertions(facts: Facts, profile: RulesProfile) -> Graded:
    """Grade the attempts that recorded what their assertions check."""
    places = [_places(each, profile) for each in facts.checks]
    looked_at = (facts.texts, facts.output_texts, facts.called_tools())
    is_plain = np.array([bool(each) for each in places], np.bool_)[facts.tasks]
    for kind, found in enumerate(looked_at):
        needed = [any(p.facts == kind and p.bit is not None for p in each) for each in places]
        is_plain &= ~np.array(needed, np.bool_)[facts.tasks] | (found != ABSENT)
    rows = np.flatnonzero(is_plain)
    first, codes = distinct(
        facts.tasks[rows], *(_of_assertions(each, facts)[rows] for each in looked_at)
    )
    graded_once: dict[tuple[int, int, bool], tuple[bool, str]] = {}
    passed: list[int] = []
    totals: list[int] = []
    checks: list[str] = []
    for row in rows[first].tolist():
        task = int(facts.tasks[row])
        bits = [int(found[row]) for found in looked_at]
        row_checks = []
        for index, assertion, kind, bit in places[task]:
            is_found = bit is not None and bool(bits[kind] >> bit & 1)
            key = task, index, is_found
            if key not in graded_once:
                check = grade_assertion(assertion, RowAttempt(facts, row), index, profile)
                graded_once[key] = check.passed, json_cell(vars(check))
            row_checks.append(graded_once[key])
        passed.append(sum([holds for holds, _ in row_checks]))
        totals.append(len(row_checks))
        checks.append(f"[{','.join([text for _, text in row_checks])}]")
    pairs = list(zip(passed, totals, strict=True))
    scores = np.array([fraction(*pair) for pair in pairs], np.float64)
    columns = graded(scores, [count_reason(*pair) for pair in pairs], profile)
    columns["checks"] = text_array(checks)
    return Graded(rows, {name: column.take(codes) for name, column in columns.items()})


def _of_assertions(found: Int64Array, facts: Facts) -> Int64Array:
    """Facts about assertions, whose bits precede those of other rules."""
    if found is not facts.texts:
        return found
    counts = [each.stretches["assertion_pass_rate"].count for each in facts.checks]
    mask = np.array([(1 << count) - 1 for count in counts], np.int64)[facts.tasks]
    return np.where(found == ABSENT, ABSENT, found & mask)


def _places(checks: TaskChecks, profile: RulesProfile) -> list[_Place]:
    """A task's graded assertions; none if one of them is not text."""
    places: list[_Place] = []
    counts = [0, 0, 0]
    for index, assertion in enumerate(checks.task.assertions if checks.task else ()):
        kind = assertion.type
        if kind not in profile.graded_types:
            continue
        named = assertion.tool or assertion.check if kind == "tool_called" else assertion.check
        if not isinstance(named, str | None) or not isinstance(assertion.tool, str | None):
            return []
        facts = {"tool_called": _TOOLS, "output_contains": _OUTPUT}.get(kind, _TRANSCRIPT)
        bit = counts[facts] if named or facts == _TOOLS else None
        counts[facts] += bit is not None
        places.append(_Place(index, assertion, facts, bit if named else None))
    return places
