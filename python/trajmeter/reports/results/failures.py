"""Failures: attempts outside the means by cause, failed turns by reason, errors of metrics."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.charts import Stack, StackChart
from trajmeter.reports.page.document import Fold, Part, PartTable
from trajmeter.reports.results.words import cause_name, causes
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.reports.results.findings import Findings

__all__ = ["VALUES", "failure_part", "outcome_columns"]

_REASONS = "turns.error_breakdown"
VALUES = (_REASONS,)
"""Mapping columns to read for this part."""

_MESSAGES = 20
"""Maximum number of metric errors listed."""
_SHOWN = 8
"""Maximum number of reasons that a chart distinguishes."""


def outcome_columns(figures: tuple[str, ...]) -> list[str]:
    """Text columns with outcomes and causes of figures, and errors of metrics."""
    groups = dict.fromkeys(name.rpartition(".")[0] for name in figures)
    families = dict.fromkeys(name.partition(".")[0] for name in figures)
    own = [f"{group}.{end}" for group in groups for end in ("outcome", "cause", "reason")]
    return [*own, *(f"{family}.error" for family in families)]


def failure_part(findings: Findings) -> Part | None:
    """The part on failures; ``None`` if everything was measured and no turn failed."""
    charts = [*_outcomes(findings)]
    reasons = _turns(findings)
    if reasons is not None:
        charts.append(reasons)
    tables = [*_errors(findings)]
    outside = _outside(findings)
    folds = []
    if outside.rows:
        folds.append(
            Fold(
                "Figures whose mean excludes attempts or includes assigned values",
                (PartTable(outside),),
            )
        )
    if not charts and not tables and not folds:
        return None
    note = (
        "Attempts that were not scored are in no mean. Values set by a rule count; the cause "
        "names the rule."
    )
    return Part(
        "failures",
        "What failed",
        charts=tuple(charts),
        tables=tuple(tables),
        folds=tuple(folds),
        notes=(note,),
    )


def _outcomes(findings: Findings) -> Iterator[StackChart]:
    """Attempts by outcome of each principal figure, if not all were simply scored."""
    seen: set[tuple[tuple[tuple[str, int], ...], ...]] = set()
    for figure in findings.principal:
        stacks = []
        for system in findings.charted:
            each = system.estimate(figure)
            if each is None:
                continue
            counts = {
                "scored": each.n_scored - each.n_assigned,
                "set by a rule": each.n_assigned,
                "nothing to score": each.n_abstained,
                **{cause_name(cause): count for cause, count in each.not_scored.items()},
            }
            stacks.append(Stack(system.label, {k: n for k, n in counts.items() if n}))
        key = tuple(tuple(sorted(stack.counts.items())) for stack in stacks)
        if key not in seen and any(stack.counts.keys() - {"scored"} for stack in stacks):
            seen.add(key)
            yield StackChart(f"{short_name(figure)}: what was scored", tuple(stacks), "attempts")


def _turns(findings: Findings) -> StackChart | None:
    """Failed turns by reason."""
    column = findings.rows.values.get(_REASONS)
    if column is None:
        return None
    found = [_reasons(text) for text in column.texts]
    by_system = []
    for system in findings.charted:
        counts: Counter[str] = Counter()
        codes = column.codes[findings.of(system)]
        held, firsts, attempts = np.unique(codes[codes >= 0], return_index=True, return_counts=True)
        for place in np.argsort(firsts).tolist():  # reasons of equal counts in order of occurrence
            own, times = found[held[place]], int(attempts[place])
            counts.update({reason: n * times for reason, n in own.items()})
        by_system.append((system.label, counts))
    total = sum((counts for _, counts in by_system), Counter())
    if not total:
        return None
    shown = [reason for reason, _ in total.most_common(_SHOWN)]
    stacks = []
    for label, counts in by_system:
        rest = sum(n for reason, n in counts.items() if reason not in shown)
        own = {cause_name(r): counts[r] for r in shown if counts[r]}
        stacks.append(Stack(label, own | ({"other reasons": rest} if rest else {})))
    return StackChart("Failed turns by reason", tuple(stacks), "turns")


def _reasons(text: str) -> dict[str, int]:
    """Failed turns of an attempt by reason."""
    found = json.loads(text)
    own = found if isinstance(found, dict) else {}
    return {reason: count for reason, count in own.items() if isinstance(count, int)}


def _errors(findings: Findings) -> Iterator[PartTable]:
    rows = []
    for name, column in findings.rows.texts.items():
        family, _, end = name.partition(".")
        if end != "error":
            continue
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts))
        listed = sorted(zip(counts.tolist(), column.texts, strict=True), key=lambda each: -each[0])
        rows += [(family, f"{count:,}", text) for count, text in listed[:_MESSAGES] if count]
    if rows:
        header = ("metric", "attempts", "message")
        yield PartTable(Table("Errors raised by metrics", header, tuple(rows), texts=(0, 2)))


def _outside(findings: Findings) -> Table:
    """Figures by causes that exclude attempts from their means; equal ones share a row."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for system in findings.systems:
        for each in system.estimates.figures:
            if each.n_scored == each.n_total and not each.n_assigned:
                continue
            not_scored = causes(each.not_scored) or "-"
            key = (system.label, not_scored, f"{each.n_abstained:,}", f"{each.n_assigned:,}")
            alike.setdefault(key, []).append(short_name(each.figure))
    rows = tuple((*key, ", ".join(names)) for key, names in alike.items())
    header = ("attempts of", "not scored", "nothing to score", "set by a rule", "figures")
    return Table("", header, rows, texts=(0, 1, 4))
