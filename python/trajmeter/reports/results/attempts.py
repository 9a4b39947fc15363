"""The attempt table, whose rows expand to figures, causes, reasons and turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.page.attempts import AttemptTable, NumberColumn, TextColumn
from trajmeter.reports.results.attempt_details import AttemptDetails
from trajmeter.reports.results.words import cause_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trajmeter.reports.page.attempts import Detail
    from trajmeter.reports.results.findings import Findings
    from trajmeter.summaries.attempt_rows import CodedTexts

__all__ = ["LISTED", "attempt_table"]

LISTED = 100_000
"""Maximum number of attempts in the table; the figures above it count all."""
_FIGURES = 10
"""Number of figures with columns; an expanded attempt shows all."""


def attempt_table(
    findings: Findings,
    turns: Callable[[Mapping[str, str | None]], Detail] | None = None,
) -> AttemptTable:
    """Build the attempt table.

    Args:
        findings: The findings.
        turns: Returns the details of an attempt's turns, given its identity.
    """
    rows = findings.rows
    shown = min(len(rows), LISTED)
    columns: list[TextColumn | NumberColumn] = []
    if len(findings.systems) > 1:
        columns.append(_systems(findings, shown))
    for name in ("task_id", "agent", "model", "attempt"):
        column = rows.texts.get(name)
        if column is not None and (name == "task_id" or _tells(column, findings, name)):
            columns.append(_text(name, name.replace("_id", ""), column, shown))
    for figure in findings.principal:
        group = figure.rpartition(".")[0]
        outcome = _outcome(findings, figure, group, shown)
        if outcome is not None:
            columns.append(outcome)
    names = [*dict.fromkeys((*findings.principal, *_others(findings)))][:_FIGURES]
    for name in names:
        if name not in rows.numbers:
            continue
        each = next(e for s in findings.systems if (e := s.estimate(name)) is not None)
        columns.append(
            NumberColumn(
                name,
                short_name(name),
                rows.numbers[name][:shown],
                kind=each.kind,
                higher_is_better=each.higher_is_better,
            )
        )
    title = "Attempts" if shown == len(rows) else f"The first {shown:,} of {len(rows):,} attempts"
    details = AttemptDetails(findings.rows, findings.figures, shown, turns)
    return AttemptTable(title, tuple(columns), details, details.tables)


def _others(findings: Findings) -> list[str]:
    """Figures with a direction, starting with those in the groups of principal figures."""
    groups = {name.rpartition(".")[0] for name in findings.principal}
    return sorted(findings.measured, key=lambda name: name.rpartition(".")[0] not in groups)


def _systems(findings: Findings, shown: int) -> TextColumn:
    codes = np.full(shown, -1, np.int32)
    for system in findings.systems:
        codes[findings.of(system)[:shown]] = system.number
    return TextColumn("system", "system", codes, tuple(system.label for system in findings.systems))


def _tells(column: CodedTexts, findings: Findings, name: str) -> bool:
    """Whether a column adds information to the name of the system."""
    known = [text for text in column.texts if text]
    if name == "attempt":
        return bool(known)
    return len(known) > 1 and len(known) > len(findings.systems)


def _text(name: str, label: str, column: CodedTexts, shown: int) -> TextColumn:
    return TextColumn(name, label, column.codes[:shown].astype(np.int32), column.texts)


def _outcome(findings: Findings, figure: str, group: str, shown: int) -> TextColumn | None:
    """Outcome of a figure, if it was not simply scored for all attempts."""
    outcomes, reasons = (findings.rows.texts.get(f"{group}.{end}") for end in ("outcome", "cause"))
    if outcomes is None or set(outcomes.texts) <= {"scored"}:
        return None
    own = np.full(shown, -1) if reasons is None else reasons.codes[:shown]
    pairs = np.stack([outcomes.codes[:shown], own])
    distinct, codes = np.unique(pairs, axis=1, return_inverse=True)
    texts = []
    for outcome, cause in distinct.T.tolist():
        text = outcomes.texts[outcome].replace("_", " ") if outcome >= 0 else ""
        if reasons is not None and cause >= 0:
            text += f": {cause_name(reasons.texts[cause])}"
        texts.append(text)
    label = f"{short_name(figure)}: outcome"
    return TextColumn(f"{group}.outcome", label, codes.reshape(-1).astype(np.int32), tuple(texts))
