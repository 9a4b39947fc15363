"""Tables of differences: by figure for one pair, by system for many pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.cells import Cell, amount, counts
from trajmeter.reports.differences import interval_text, p_text, signed, tasks_table
from trajmeter.reports.estimates import level_name
from trajmeter.reports.page.document import Fold, PartTable
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.reports.results.findings import Findings
    from trajmeter.summaries.comparing import SystemPair
    from trajmeter.summaries.differences import Difference

__all__ = [
    "figure_name",
    "losses",
    "pair_table",
    "ranked_pairs",
    "systems_table",
    "tasks_of_systems",
]

_ROWS = 12
"""Maximum number of figures in an open table."""
_TASKS = 20
"""Maximum number of tasks in a fold."""
_MEASURES = ("p", "p (Holm)", "better/worse/equal", "tasks")


def pair_table(pair: SystemPair, findings: Findings, title: str) -> Table:
    """The principal figures of the families, and those that differ clearly."""
    held = [each for each in pair.figures if each.difference is not None]
    clear = [each for each in held if each.p_holm is not None and each.p_holm <= 1 - each.level]
    lead = [each for name in findings.principal for each in held if each.figure == name]
    chosen = [*lead, *(each for each in clear if each not in lead)][:_ROWS]
    rows = tuple((figure_name(each), *_cells(pair, each, findings)) for each in chosen)
    header = ("figure", pair.a, pair.b, "difference", _level(findings), *_MEASURES)
    return Table(title, header, rows)


def systems_table(pairs: Sequence[SystemPair], findings: Findings, figure: str) -> Table | None:
    """One figure for every pair, one row per pair; ``None`` if no pair has it."""
    held = ranked_pairs(pairs, figure)
    if held[0][1].difference is None:
        return None
    is_one = len({pair.a for pair in pairs}) == 1
    first = held[0][0].a if is_one else "against"
    rows = tuple(
        (Cell(pair.b if is_one else f"{pair.b} against {pair.a}"), *_cells(pair, each, findings))
        for pair, each in held
    )
    header = ("system", first, "system's mean", "difference", _level(findings), *_MEASURES)
    return Table(figure_name(held[0][1]), header, rows)


def ranked_pairs(pairs: Sequence[SystemPair], figure: str) -> list[tuple[SystemPair, Difference]]:
    """Pairs with their difference in a figure, the largest gain first; those without one last."""
    held = [(pair, each) for pair in pairs for each in pair.figures if each.figure == figure]

    def gain(pair: tuple[SystemPair, Difference]) -> float:
        each = pair[1]
        if each.difference is None:
            return -math.inf
        return -each.difference if each.higher_is_better is False else each.difference

    return sorted(held, key=gain, reverse=True)


def _cells(pair: SystemPair, difference: Difference, findings: Findings) -> Iterator[str]:
    yield Cell(amount(difference.mean_a), difference.mean_a)
    yield Cell(amount(difference.mean_b), difference.mean_b)
    yield Cell(signed(difference.difference), difference.difference)
    yield interval_text(difference)
    yield Cell(p_text(difference.p_value), difference.p_value)
    adjusted = findings.adjusted.get((pair.a, pair.b, difference.figure))
    yield Cell(p_text(adjusted), adjusted)
    yield counts(difference.n_better, difference.n_worse, difference.n_equal)
    yield Cell(f"{difference.n_tasks:,}", difference.n_tasks)


def _level(findings: Findings) -> str:
    return level_name(findings.estimates.options.level)


def losses(pair: SystemPair, findings: Findings) -> Iterator[Fold]:
    """The tasks on which the second system of a pair loses most."""
    for name in findings.principal[:1]:
        tasks = pair.tasks.get(name, ())
        if len(tasks) > 1:
            table = tasks_table(pair, tasks[:_TASKS])
            title = f"{short_name(name)}, task by task: {pair.b} against {pair.a}, worst first"
            yield Fold(title, (PartTable(table),), _shown(len(tasks)))


def tasks_of_systems(pairs: Sequence[SystemPair], findings: Findings) -> Iterator[Fold]:
    """The differences of all systems from the baseline, task by task, the worst first."""
    baseline = findings.systems[0].label
    own = [pair for pair in pairs if pair.a == baseline]
    for name in findings.principal[:1]:
        held = {pair.b: {each.task_id: each for each in pair.tasks.get(name, ())} for pair in own}
        values = {
            task: [tasks[task].difference for tasks in held.values() if task in tasks]
            for task in dict.fromkeys(task for tasks in held.values() for task in tasks)
        }
        if len(values) <= 1:
            continue
        better = -1.0 if findings.is_higher_better(name) is False else 1.0
        ordered = sorted(values, key=lambda task: better * sum(values[task]) / len(values[task]))
        rows = []
        for task in ordered[:_TASKS]:
            known = next(tasks[task] for tasks in held.values() if task in tasks)
            differences = [
                tasks[task].difference if task in tasks else None for tasks in held.values()
            ]
            rows.append(
                (
                    task,
                    Cell(amount(known.a), known.a),
                    *(Cell(signed(value), value) for value in differences),
                )
            )
        table = Table("", ("task", baseline, *held), tuple(rows))
        title = f"{short_name(name)}, task by task: differences from {baseline}, worst first"
        yield Fold(title, (PartTable(table),), _shown(len(values)))


def _shown(tasks: int) -> tuple[str, ...]:
    return (f"the first {_TASKS} of {tasks:,} tasks",) if tasks > _TASKS else ()


def figure_name(difference: Difference) -> str:
    """Short name of a figure, marked if lower is better."""
    lower = " (lower is better)" if difference.higher_is_better is False else ""
    return f"{short_name(difference.figure)}{lower}"
