"""Reports of results tables: estimates, repeats, gates and agreement of judges."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from trajmeter.reports.cells import NOTHING, amount, counts
from trajmeter.reports.sections import Section
from trajmeter.reports.tables import Table
from trajmeter.summaries.systems import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.summaries.agreement import JudgeAgreement
    from trajmeter.summaries.estimates import Estimate
    from trajmeter.summaries.gates import GateCheck
    from trajmeter.summaries.repeat_estimates import RepeatEstimate
    from trajmeter.summaries.table_estimates import Estimates, GroupEstimates

__all__ = [
    "agreement_sections",
    "gate_lines",
    "group_name",
    "level_name",
    "limits",
    "repeats_section",
    "summary_sections",
]

_GROUPS = 50
"""Maximum number of groups that a table shows, to keep it readable."""

_FEW = "†"
_NO_INTERVAL = {
    "nothing_scored": "nothing scored",
    "one_task": "one task",
    "no_variation": "no variation",
    "too_large": "too large",
}
_NOTES = {
    "few_tasks": f"{_FEW} fewer than 10 tasks: the interval is only approximate",
    "no_variation": "if all values are equal, the interval is Wilson's, by the number of tasks",
    "too_large": "values beyond 1e140 have a mean without an interval: their squares overflow",
    "negative": "geometric mean: undefined, because a value is negative",
    "zero": "geometric mean: 0 without an interval, because a value is 0",
    "missing_stats": "limits by Student's t are not available: pip install 'trajmeter[stats]'",
}


def level_name(level: float) -> str:
    """The level of an interval as a heading.

    Example:
        >>> level_name(0.95)
        '95 % interval'
    """
    return f"{100.0 * level:.10g} % interval"


def limits(low: float | None, high: float | None) -> str:
    """Format an interval.

    Example:
        >>> limits(0.4431, 0.6287), limits(-0.5, 0.25), limits(None, None)
        ('0.443–0.629', '-0.500…0.250', '-')
    """
    if low is None or high is None:
        return NOTHING
    return f"{amount(low)}{'…' if low < 0 else '–'}{amount(high)}"


def group_name(group: dict[str, str | None]) -> str:
    """Name of a group: the values that its attempts have in common."""
    if not group:
        return "all attempts"
    return " / ".join(filter(None, group.values())) or UNNAMED


def summary_sections(estimates: Estimates) -> list[Section]:
    """Arrange estimates as tables."""
    groups = sorted(estimates.groups, key=lambda group: -group.attempts)[:_GROUPS]
    shown = [group for group in estimates.groups if group in groups]
    names = list(dict.fromkeys(each.figure for group in shown for each in group.figures))
    sections = [_figures(estimates, shown, names)]
    if any(group.repeats for group in shown):
        sections.append(repeats_section(estimates, shown))
    if estimates.gates:
        sections.append(Section("gates", None, tuple(gate_lines(estimates.gates))))
    return sections


def _figures(
    estimates: Estimates, groups: Sequence[GroupEstimates], names: Sequence[str]
) -> Section:
    by_name = {
        name: [(group, each) for group in groups for each in group.figures if each.figure == name]
        for name in names
    }
    found = [each for pairs in by_name.values() for _, each in pairs]
    is_one = len(names) == 1
    bounds = (
        "if unmeasured were " + (_range(found[0]) if is_one else "least…greatest") if found else ""
    )
    extras = {
        "mean of tasks": any(map(_differs, found)),
        "micro": any(each.micro is not None for each in found),
        "geometric mean": any(each.gmean is not None for each in found),
        bounds: any(each.n_not_scored for each in found),
    }
    kept = [heading for heading, is_shown in extras.items() if is_shown]
    first = (names[0],) if is_one else ("figure", "attempts of")
    header = (*first, "mean", level_name(estimates.options.level), "scored", "tasks", *kept)
    rows = []
    for name, pairs in by_name.items():
        for place, (group, each) in enumerate(pairs):
            label = group_name(group.group)
            texts = (label,) if is_one else (name if not place else "", label)
            rows.append((*texts, *_row(each, kept, bounds)))
    left = len(estimates.groups) - len(groups)
    lines = [f"the {_GROUPS} largest of {len(estimates.groups):,} groups"] if left else []
    table = Table("", header, tuple(rows), texts=(0,) if is_one else (0, 1))
    return Section("", table, (*lines, *_remarks(estimates, found)))


def _row(estimate: Estimate, kept: Sequence[str], bounds: str) -> tuple[str, ...]:
    few = _FEW if "few_tasks" in estimate.notes else ""
    reason = next((_NO_INTERVAL[note] for note in estimate.notes if note in _NO_INTERVAL), NOTHING)
    interval = (
        limits(estimate.low, estimate.high) + few if estimate.interval is not None else reason
    )
    cells = {
        "mean of tasks": amount(estimate.mean_of_tasks) if _differs(estimate) else "",
        "micro": _with_limits(estimate.micro, estimate.micro_low, estimate.micro_high),
        "geometric mean": _with_limits(estimate.gmean, estimate.gmean_low, estimate.gmean_high),
        bounds: limits(estimate.bound_low, estimate.bound_high)
        if estimate.n_not_scored
        else NOTHING,
    }
    return (
        amount(estimate.mean),
        interval,
        counts(estimate.n_scored, estimate.n_total),
        f"{estimate.n_tasks:,}",
        *(cells[heading] for heading in kept),
    )


def _with_limits(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return ""
    return amount(value) if low is None else f"{amount(value)} ({limits(low, high)})"


def _differs(estimate: Estimate) -> bool:
    """Whether the mean of tasks differs because tasks have different numbers of attempts."""
    if estimate.mean is None or estimate.mean_of_tasks is None:
        return False
    return abs(estimate.mean - estimate.mean_of_tasks) > 1e-9 * max(abs(estimate.mean), 1e-300)


def _range(estimate: Estimate) -> str:
    ends = ("-" if end is None else f"{end:g}" for end in (estimate.range_low, estimate.range_high))
    return "…".join(ends)


def _remarks(estimates: Estimates, found: Sequence[Estimate]) -> list[str]:
    causes = _causes(found)
    lines = []
    if causes:
        listed = ", ".join(f"{cause} {count:,}" for cause, count in sorted(causes.items()))
        lines.append(f"not scored: {listed}")
    methods = dict.fromkeys(each.interval for each in found if each.interval is not None)
    if methods:
        drawn = estimates.options
        described = ", ".join(
            f"bootstrap ({drawn.resamples:,} draws, seed {drawn.seed})"
            if method == "bootstrap"
            else method.replace("_", " ")
            for method in methods
        )
        lines.append(f"intervals: {described}, clustered by {estimates.options.cluster}")
    notes = {
        note
        for each in found
        for note in each.notes
        if note != "no_variation" or each.interval is not None  # a figure without range has none
    }
    return lines + [text for note, text in _NOTES.items() if note in notes]


def _causes(found: Iterable[Estimate]) -> Counter[str]:
    """Number of unscored attempts by cause; of several figures, that of the one with most."""
    of_figures: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        of_figures[each.figure].update(each.not_scored)
    return reduce(or_, of_figures.values(), Counter())


def repeats_section(
    estimates: Estimates, groups: Sequence[GroupEstimates], names: Sequence[str] | None = None
) -> Section:
    """Arrange the success of repeated attempts at a task as a table.

    Args:
        estimates: All estimates.
        groups: The groups to show.
        names: Their names; by default those of :func:`group_name`.
    """
    rows = []
    lines = []
    named = names or [group_name(group.group) for group in groups]
    for name, group in zip(named, groups, strict=True):
        for place, each in enumerate(group.repeats):
            rows.append(("" if place else name, *_repeat_row(each)))
        lines += [
            f"{name}: {one.n_always} tasks always succeed, {one.n_sometimes} sometimes, "
            f"{one.n_never} never"
            for one in group.repeats[:1]
            if one.n_always or one.n_sometimes or one.n_never
        ]
    about = level_name(estimates.options.level)
    header = ("attempts of", "k", "tasks", "pass@k", about, "pass^k", about)
    title = f"repeats: success is {estimates.options.success}"
    return Section(title, Table("", header, tuple(rows)), tuple(lines))


def _repeat_row(estimate: RepeatEstimate) -> tuple[str, ...]:
    return (
        str(estimate.k),
        counts(estimate.n_tasks, estimate.n_tasks_total),
        amount(estimate.pass_at_k),
        limits(estimate.pass_at_k_low, estimate.pass_at_k_high),
        amount(estimate.pass_hat_k),
        limits(estimate.pass_hat_k_low, estimate.pass_hat_k_high),
    )


def gate_lines(gates: Sequence[GateCheck]) -> list[str]:
    """One line per gate, figure and group."""
    names = [group_name(gate.group) for gate in gates]
    has_groups = len(set(names)) > 1
    width = max((len(gate.outcome) for gate in gates), default=0)
    return [
        f"{gate.outcome:{width}}  {gate.figure}  {f'{name}  ' if has_groups else ''}{gate.reason}"
        for gate, name in zip(gates, names, strict=True)
    ]


def agreement_sections(agreement: JudgeAgreement) -> list[Section]:
    """Arrange the agreement of judges as a table."""
    about = level_name(agreement.options.level)
    header = ("figure", "scale", "items", "tasks", "all agree", "alpha", about, "kappa", about)
    rows = tuple(
        (
            each.figure,
            each.scale,
            counts(each.n_compared, each.n_items),
            f"{each.n_tasks:,}",
            NOTHING if each.exact is None else f"{each.exact:.0%}",
            amount(each.alpha),
            limits(each.alpha_low, each.alpha_high),
            amount(each.kappa),
            limits(each.kappa_low, each.kappa_high),
        )
        for each in agreement.figures
    )
    drawn = f"{agreement.options.resamples:,} draws, seed {agreement.options.seed}"
    lines = [f"intervals: bootstrap over tasks ({drawn})"]
    if any("no_variation" in each.notes for each in agreement.figures):
        lines.append("alpha is undefined if all ratings are equal")
    title = f"agreement of {len(agreement.judges)} judges: {', '.join(agreement.judges)}"
    return [Section(title, Table("", header, rows, texts=(0, 1)), tuple(lines))]
