"""Reports that compare systems: which is better, by how much, and how certain this is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import NOTHING, Cell, amount, counted, counts
from trajmeter.reports.estimates import level_name
from trajmeter.reports.sections import Section
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.summaries.comparing import ComparedScores, SystemPair
    from trajmeter.summaries.differences import Difference, TaskDifference

__all__ = ["comparison_sections", "detectable", "interval_text", "p_text", "signed", "tasks_table"]

_REASONS = {
    "only_a": "only in {a}",
    "only_b": "only in {b}",
    "unmeasured_both": "unmeasured in both",
    "unmeasured_a": "unmeasured in {a}",
    "unmeasured_b": "unmeasured in {b}",
    "abstained": "with nothing to score",
}
_NO_INTERVAL = {
    "one_task": "one task",
    "no_variation": "no variation",
    "no_pair": "no pair",
    "too_large": "too large",
}
_METHODS = {
    "mcnemar": "McNemar, exact",
    "sign_flip_exact": "all sign flips",
    "sign_flip": "sign flips, {resamples:,} draws, seed {seed}",
}
_FEW = "†"


def comparison_sections(compared: ComparedScores, *, with_tasks: bool = False) -> list[Section]:
    """Arrange compared systems as tables.

    Args:
        compared: The comparison.
        with_tasks: Whether to list every task.
    """
    sections = []
    for pair in compared.pairs:
        sections.append(_pair(pair, compared))
        if with_tasks:
            sections += _tasks(pair)
    return sections


def _pair(pair: SystemPair, compared: ComparedScores) -> Section:
    options = compared.options
    differences = [each for pair in compared.pairs for each in pair.figures]
    tests = sum(each.p_value is not None for each in differences)
    has_ratio = any(each.ratio is not None for each in pair.figures)
    header = (
        "",
        "tasks",
        pair.a,
        pair.b,
        "difference",
        level_name(options.level),
        "p",
        *(("p (Holm)",) if tests > 1 else ()),
        "better/worse/equal",
        *(("factor",) if has_ratio else ()),
        *(("detectable", "if unmeasured were worst…best") if len(pair.figures) > 1 else ()),
    )
    rows = tuple(
        (
            each.figure,
            f"{each.n_tasks:,}",
            amount(each.mean_a),
            amount(each.mean_b),
            signed(each.difference),
            interval_text(each) + (_FEW if _is_rough(each) else ""),
            p_text(each.p_value),
            *((p_text(each.p_holm),) if tests > 1 else ()),
            counts(each.n_better, each.n_worse, each.n_equal),
            *((_factor(each),) if has_ratio else ()),
            *((amount(each.mde), _bounds(each)) if len(pair.figures) > 1 else ()),
        )
        for each in pair.figures
    )
    title = f"{pair.b} against {pair.a}, paired by task"
    return Section(title, Table("", header, rows), tuple(_lines(pair, compared)))


def _lines(pair: SystemPair, compared: ComparedScores) -> Iterator[str]:
    is_one = len(pair.figures) == 1
    for each in pair.figures:
        prefix = "" if is_one else f"{each.figure}: "
        yield from (f"{prefix}{line}" for line in _of_margin(each))
        if is_one and each.mde is not None:
            unit = f" {each.unit}" if each.unit else ""
            yield (
                f"{counted(each.n_tasks, 'task')} would detect a difference of "
                f"{amount(each.mde)}{unit} with probability 0.8"
            )
    yield from _left_out(pair)
    yield from _remarks(pair, compared)


def _left_out(pair: SystemPair) -> Iterator[str]:
    """Report tasks without a pair and why, once for all figures with the same missing tasks."""
    is_one = len(pair.figures) == 1
    found: dict[str, list[str]] = {}
    for each in pair.figures:
        reasons = ", ".join(
            f"{count} {_tasks_of(count)} {_REASONS[reason].format(a=pair.a, b=pair.b)}"
            for reason, count in each.left_out.items()
        )
        if is_one and each.left_out and each.bound_low is not None:
            reasons += f"; with the worst or best possible values: {_bounds(each)}"
        if reasons:
            found.setdefault(reasons, []).append(each.figure)
    for reasons, figures in found.items():
        concerned = f" ({figures[0]})" if len(figures) == 1 else f" ({len(figures)} figures)"
        yield f"left out: {reasons}{'' if is_one else concerned}"


def _remarks(pair: SystemPair, compared: ComparedScores) -> Iterator[str]:
    methods = dict.fromkeys(each.p_method for each in pair.figures if each.p_method is not None)
    if methods:
        options = compared.options
        known = (
            _METHODS[method].format(resamples=options.resamples, seed=options.seed)
            for method in methods
        )
        yield f"p: {'; '.join(known)}"
    if len(pair.figures) > 1:
        yield "detectable: the difference that these tasks would detect with probability 0.8"
    if any("few_tasks" in each.notes for each in pair.figures):
        yield f"{_FEW} fewer than 10 tasks: the interval is only approximate"
    if any(each.higher_is_better is None for each in pair.figures):
        names = ", ".join(each.figure for each in pair.figures if each.higher_is_better is None)
        yield f"no direction is declared, so higher is assumed to be better: {names}"
    if any("missing_stats" in each.notes for each in pair.figures):
        yield "limits by Student's t are not available: pip install 'trajmeter[stats]'"


def _of_margin(difference: Difference) -> Iterator[str]:
    if (
        difference.margin is None
        or difference.one_sided_low is None
        or difference.one_sided_high is None
    ):
        return
    limit = (
        -difference.one_sided_high
        if difference.higher_is_better is False
        else difference.one_sided_low
    )
    kept = {True: "yes", False: "no", None: "not shown"}[difference.non_inferior]
    same = "yes" if difference.equivalent else "not shown"
    yield (
        f"not worse by more than {difference.margin:g}: {kept} (limit {signed(limit)}); equivalent "
        f"within {difference.margin:g}: {same} (p {p_text(difference.equivalence_p)})"
    )


def _tasks(pair: SystemPair) -> Iterator[Section]:
    for name, tasks in pair.tasks.items():
        yield Section(f"{name}, task by task", tasks_table(pair, tasks))


def tasks_table(pair: SystemPair, tasks: Sequence[TaskDifference]) -> Table:
    """Table of the tasks on which two systems were compared."""
    rows = tuple(
        (
            each.task_id,
            Cell(amount(each.a), each.a),
            Cell(amount(each.b), each.b),
            Cell(signed(each.difference), each.difference),
            counts(each.n_a, each.n_b),
        )
        for each in tasks
    )
    return Table("", ("task", pair.a, pair.b, "difference", "attempts"), rows)


def interval_text(difference: Difference) -> str:
    """The interval of a difference, or why it has none."""
    if difference.interval is None:
        return next(
            (_NO_INTERVAL[note] for note in difference.notes if note in _NO_INTERVAL), NOTHING
        )
    return f"{signed(difference.low)}…{signed(difference.high)}"


def _is_rough(difference: Difference) -> bool:
    return difference.interval is not None and "few_tasks" in difference.notes


def _bounds(difference: Difference) -> str:
    if not difference.left_out or difference.bound_low is None:
        return NOTHING
    return f"{signed(difference.bound_low)}…{signed(difference.bound_high)}"


def _factor(difference: Difference) -> str:
    if difference.ratio is None:
        return NOTHING
    if difference.ratio_low is None:
        return amount(difference.ratio)
    limits = f"{amount(difference.ratio_low)}–{amount(difference.ratio_high)}"
    return f"{amount(difference.ratio)} ({limits})"


def signed(value: float | None) -> str:
    """A difference with its sign.

    Example:
        >>> signed(0.0432), signed(-0.5), signed(0.0)
        ('+0.043', '-0.500', '+0.000')
    """
    if value is None:
        return NOTHING
    return amount(value) if value < 0 else f"+{amount(value)}"


def detectable(difference: Difference, low: float | None = None, high: float | None = None) -> str:
    """A sentence on the difference that the tasks could detect, if the result is inconclusive.

    Args:
        difference: The difference.
        low: Lower end of the figure's range.
        high: Its upper end.
    """
    if difference.mde is None:
        return ""
    if low is not None and high is not None and difference.mde > high - low:
        return " These are too few to detect any difference reliably."
    return f" The smallest difference they could reliably detect is {amount(difference.mde)}."


def p_text(value: float | None) -> str:
    """Format a p-value."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"  # noqa: PLR2004 - three digits


def _tasks_of(count: int) -> str:
    return "task" if count == 1 else "tasks"
