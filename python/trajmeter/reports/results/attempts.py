"""The table of attempts, each of which opens to its figures, with causes, reasons and turns."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from trajmeter.metrics.figures import short_name
from trajmeter.reports.page.attempts import AttemptTable, DetailBlock, NumberColumn, TextColumn
from trajmeter.reports.results.words import cause_name
from trajmeter.summaries.attempt_rows import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.reports.page.attempts import Detail
    from trajmeter.reports.results.findings import Findings
    from trajmeter.summaries.attempt_rows import CodedTexts

    _Groups: TypeAlias = dict[str, dict[str, list[str]]]
    """Columns by family and group."""

__all__ = ["LISTED", "attempt_table"]

LISTED = 100_000
"""Attempts that the table lists; the figures above it count all."""
_FIGURES = 10
"""Figures that it has columns for; an attempt opens to all."""
_IDENTITY = ("task_id", "agent", "model", "attempt", "source")
_OUTCOMES = ("outcome", "cause", "reason")
_PLAIN = ("version", "parameters", "error")


def attempt_table(
    found: Findings,
    turns: Callable[[Mapping[str, str | None]], Detail] | None = None,
) -> AttemptTable:
    """Make the table of attempts.

    Args:
        found: What was found.
        turns: Gives what is known of an attempt's turns, from its identity.
    """
    rows = found.rows
    shown = min(len(rows), LISTED)
    columns: list[TextColumn | NumberColumn] = []
    if len(found.systems) > 1:
        columns.append(_systems(found, shown))
    for name in ("task_id", "agent", "model", "attempt"):
        column = rows.texts.get(name)
        if column is not None and (name == "task_id" or _tells(column, found, name)):
            columns.append(_text(name, name.replace("_id", ""), column, shown))
    for figure in found.principal:
        group = figure.rpartition(".")[0]
        outcome = _outcome(found, figure, group, shown)
        if outcome is not None:
            columns.append(outcome)
    names = [*dict.fromkeys((*found.principal, *_others(found)))][:_FIGURES]
    for name in names:
        if name not in rows.numbers:
            continue
        each = next(e for s in found.systems if (e := s.estimate(name)) is not None)
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
    return AttemptTable(title, tuple(columns), _Details(found, shown, turns))


def _others(found: Findings) -> list[str]:
    """Figures with a direction, those of the principal figures' groups first."""
    groups = {name.rpartition(".")[0] for name in found.principal}
    return sorted(found.measured, key=lambda name: name.rpartition(".")[0] not in groups)


def _systems(found: Findings, shown: int) -> TextColumn:
    codes = np.full(shown, -1, np.int32)
    for system in found.systems:
        codes[found.of(system)[:shown]] = system.number
    return TextColumn("system", "system", codes, tuple(system.label for system in found.systems))


def _tells(column: CodedTexts, found: Findings, name: str) -> bool:
    """Whether a column says more than the name of the system does."""
    known = [text for text in column.texts if text]
    if name == "attempt":
        return bool(known)
    return len(known) > 1 and len(known) > len(found.systems)


def _text(name: str, label: str, column: CodedTexts, shown: int) -> TextColumn:
    return TextColumn(name, label, column.codes[:shown].astype(np.int32), column.texts)


def _outcome(found: Findings, figure: str, group: str, shown: int) -> TextColumn | None:
    """What became of a figure, where any attempt was not plainly scored."""
    outcomes, reasons = (found.rows.texts.get(f"{group}.{end}") for end in ("outcome", "cause"))
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


class _Details:
    """The detail of each attempt, made while it is asked for, as all of them may not fit."""

    def __init__(
        self,
        found: Findings,
        shown: int,
        turns: Callable[[Mapping[str, str | None]], Detail] | None,
    ) -> None:
        self._rows = found.rows
        self._judged_by = found.rows.judged_by
        self._listed = shown
        self._turns = turns
        kinds = found.rows.columns
        self._booleans = {
            name
            for table in found.rows.tables
            for name, kind in table.columns.items()
            if kind == "boolean"
        }
        self._directed = set(found.figures)
        columns = [*kinds.texts, *kinds.numbers, *kinds.values]
        order = [*dict.fromkeys(name for table in found.rows.tables for name in table.columns)]
        self._groups: _Groups = {}
        for name in sorted(columns, key=order.index):
            family, dot, rest = name.partition(".")
            if dot and rest not in _PLAIN:
                group = self._groups.setdefault(family, {})
                group.setdefault(name.rpartition(".")[0], []).append(name)

    def __iter__(self) -> Iterator[Detail]:
        """Read the attempts once more."""
        left = self._listed
        for batch in self._rows.everything():
            yield from self._of(batch.slice(0, left))
            left -= min(batch.num_rows, left)
            if not left:
                return

    def _of(self, batch: pa.RecordBatch) -> Iterator[Detail]:
        # Many columns hold nothing, as those of causes where everything was scored.
        held = [
            name for name in batch.schema.names if batch.column(name).null_count < batch.num_rows
        ]
        families = _holding(self._groups, {*held})
        columns = [batch.column(name).to_pylist() for name in held]
        for row in zip(*columns, strict=True):
            values = dict(zip(held, row, strict=True))
            identity = {name: values.get(name) for name in _IDENTITY}
            blocks = [DetailBlock(facts=tuple((k, v) for k, v in identity.items() if v))]
            for family, groups in families.items():
                blocks += self._family(family, groups, values)
            if self._turns is not None:
                blocks += self._turns(identity)
            yield tuple(blocks)

    def _family(
        self, family: str, groups: Mapping[str, Sequence[str]], values: Mapping[str, Any]
    ) -> Iterator[DetailBlock]:
        facts: list[tuple[str, str]] = []
        figures: list[tuple[str, str]] = []
        others: list[tuple[str, str]] = []
        error = values.get(f"{family}.error")
        if error:
            facts.append(("error", str(error)))
        for group, names in groups.items():
            said = _said(group, values)
            if said:
                facts.append(
                    (group.removeprefix(f"{family}.") if group != family else family, said)
                )
            for name in names:
                value = values[name]
                if value is None:
                    continue
                text = self._shown(name, value)
                if values.get(self._judged_by.get(name, "")) in OUTSIDE:
                    text = f"{text} (outside the mean)"
                if text:
                    label = name.removeprefix(f"{family}.")
                    (figures if name in self._directed else others).append((label, text))
        if facts or figures:
            header = ("figure", "value") if figures else ()
            yield DetailBlock(family, tuple(facts), header, tuple(figures), (1,))
        if others:
            title = f"{family}: counts and descriptions"
            yield DetailBlock(title, (), ("column", "value"), tuple(others), folded=True)

    def _shown(self, name: str, value: Any) -> str:  # noqa: ANN401 - of any column
        if isinstance(value, float):
            if name in self._booleans:
                return "yes" if value else "no"
            return f"{value:,.0f}" if value.is_integer() else f"{value:.6g}"
        return _plain(value) if isinstance(value, str) else str(value)


def _holding(groups: _Groups, held: set[str]) -> _Groups:
    """Groups of the columns that hold anything, without those that say what became of them."""
    return {
        family: {
            group: [
                name for name in names if name in held and name.rpartition(".")[2] not in _OUTCOMES
            ]
            for group, names in own.items()
            if not held.isdisjoint(names)
        }
        for family, own in groups.items()
    }


def _said(group: str, values: Mapping[str, Any]) -> str:
    """What became of a group of figures, unless it was plainly scored."""
    outcome, cause, reason = (values.get(f"{group}.{end}") for end in _OUTCOMES)
    is_plain = outcome is None or (outcome == "scored" and not cause)
    parts = [] if is_plain else [str(outcome).replace("_", " ")]
    if cause:
        parts.append(cause_name(str(cause)))
    text = ": ".join(parts)
    return f"{text} ({reason})" if reason and text else str(reason or text)


def _plain(text: str) -> str:
    """JSON as words: a mapping by its keys, a list by its items; other text as it is."""
    if text[:1] not in ("[", "{", '"'):
        return text
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict):
        return "; ".join(f"{key}: {_item(value)}" for key, value in found.items())
    if isinstance(found, list):
        return "; ".join(map(_item, found))
    return found if isinstance(found, str) else text


def _item(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_item(each)}" for key, each in value.items())
    return "-" if value is None else str(value)
