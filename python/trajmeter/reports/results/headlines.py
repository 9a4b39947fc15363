"""Headlines: which system is better, by how much, how certainly, and what is missing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.cells import amount, counted
from trajmeter.reports.differences import detectable, p_text, signed
from trajmeter.reports.estimates import gate_lines, level_name, limits
from trajmeter.reports.results.words import causes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from trajmeter.reports.page.document import Headline
    from trajmeter.reports.results.findings import Findings, System
    from trajmeter.summaries.comparing import SystemPair
    from trajmeter.summaries.differences import Difference

__all__ = ["headlines"]

_FIGURES = 6
"""Maximum number of figures mentioned at the top of a report."""
_NEXT = 2
"""Number of systems after the best that a sentence names."""
_SYSTEMS = 4
"""Maximum number of systems whose bounds are listed."""


def headlines(findings: Findings) -> tuple[Headline, ...]:
    """Sentences for the top of the report, each with its tone."""
    lines = [*_gates(findings)]
    lines += [_of_figure(findings, figure) for figure in findings.principal[:_FIGURES]]
    lines += _missing(findings)
    if any(
        "few_tasks" in each.notes
        for system in findings.systems
        for each in system.estimates.figures
        if each.figure in findings.principal
    ):
        lines.append(("warning", "Fewer than 10 tasks: treat the intervals as rough."))
    if not findings.measured:
        lines.insert(0, ("bad", f"No attempt could be scored{_why(findings, findings.figures)}."))
    return tuple(lines)


def _of_figure(findings: Findings, figure: str) -> Headline:
    ranked = findings.ranked(figure)
    pair = _pair(findings, ranked)
    if pair is not None:
        difference = next(each for each in pair.figures if each.figure == figure)
        if difference.difference is not None:
            return _difference(findings, ranked, pair, difference)
    return "neutral", " · ".join(_alone(system, figure) for system in ranked[:_SYSTEMS])


def _pair(findings: Findings, ranked: list[System]) -> SystemPair | None:
    """The baseline with the best system, or with the second best if it is the best itself."""
    if findings.compared is None or len(ranked) <= 1:
        return None
    baseline = findings.systems[0]
    others = [system for system in ranked if system.number != baseline.number]
    names = {baseline.label, others[0].label}
    return next((pair for pair in findings.compared.pairs if {pair.a, pair.b} == names), None)


def _difference(
    findings: Findings, ranked: list[System], pair: SystemPair, difference: Difference
) -> Headline:
    value = difference.difference or 0.0
    is_better = value > 0 if difference.higher_is_better is not False else value < 0
    is_sure = (
        difference.low is not None
        and difference.high is not None
        and (difference.low > 0 or difference.high < 0)
    )
    p_value = findings.adjusted.get((pair.a, pair.b, difference.figure))
    is_clear = is_sure and (p_value is None or p_value <= 1 - difference.level)
    a, b = pair.a, pair.b
    rest = [system for system in ranked if system.label not in (a, b)][:_NEXT]
    is_turned = is_clear and not is_better and bool(rest)  # the baseline is the best of several
    if is_turned:
        a, b = b, a
    about = _about(findings, difference, p_value, is_turned=is_turned)
    name = short_name(difference.figure)
    if difference.higher_is_better is False:
        name += " (lower is better)"
    others = ", ".join(
        f"{system.label} {amount(system.mean(difference.figure))}" for system in rest
    )
    also = f" Next: {others}." if rest else ""
    if difference.low is None or difference.high is None:
        return "neutral", f"{name}: {b} {about}; no interval could be computed.{also}"
    if is_clear and (is_better or is_turned):
        of = f"Best of {len(ranked)}: " if rest else ""
        return "good", f"{of}{b} is better than {a} at {name}: {about}.{also}"
    if is_clear:
        return "bad", f"{b} is worse than {a} at {name}: {about}."
    baseline = findings.systems[0].estimate(difference.figure)
    more = detectable(difference, *((baseline.range_low, baseline.range_high) if baseline else ()))
    return "neutral", f"No clear difference between {b} and {a} at {name}: {about}.{more}{also}"


def _about(
    findings: Findings, difference: Difference, p_value: float | None, *, is_turned: bool
) -> str:
    """Both means, their difference, its certainty, and the number of tasks."""
    means, value = (difference.mean_b, difference.mean_a), difference.difference or 0.0
    low, high = difference.low, difference.high
    if is_turned:
        means, value = (difference.mean_a, difference.mean_b), -value
        low, high = (None if end is None else -end for end in (high, low))
    sure = [f"difference {signed(value)}"]
    if low is not None:
        shown = f"{level_name(difference.level)} {signed(low)}…{signed(high)}"
        sure.append("no variation" if difference.interval is None else shown)
    if p_value is not None:
        tests = len(findings.adjusted)
        sure.append(f"p {p_text(p_value)}" + (f", adjusted for {tests} tests" if tests > 1 else ""))
    return (
        f"{amount(means[0])} against {amount(means[1])} ({', '.join(sure)}), "
        f"on {counted(difference.n_tasks, 'shared task')}"
    )


def _alone(system: System, figure: str) -> str:
    each = system.estimate(figure)
    if each is None:
        return f"{system.label}: {short_name(figure)} was not requested"
    sure = ""
    if each.low is not None:
        sure = f" ({level_name(each.level)} {limits(each.low, each.high)})"
    return (
        f"{system.label}: {short_name(figure)} is {amount(each.mean)}{sure}, "
        f"{each.n_scored:,} of {counted(each.n_total, 'attempt')} scored, "
        f"{counted(each.n_tasks, 'task')}"
    )


def _missing(findings: Findings) -> Iterator[Headline]:
    """Unscored attempts, once for all figures that lack the same ones."""
    said: dict[str, list[str]] = {}
    for figure in findings.principal:
        held = [each for s in findings.systems if (each := s.estimate(figure)) is not None]
        unmeasured = sum(each.n_not_scored for each in held)
        if not unmeasured:
            continue
        why = causes(sum((Counter(each.not_scored) for each in held), Counter()))
        total = sum(each.n_total for each in held)
        text = f"{unmeasured:,} of {counted(total, 'attempt')} not scored ({why})"
        bounds = [
            f"{system.label} {limits(each.bound_low, each.bound_high)}"
            for system in findings.systems[:_SYSTEMS]
            if (each := system.estimate(figure)) is not None
            and each.n_not_scored
            and each.bound_low is not None
            and each.bound_high is not None
        ]
        if bounds:
            text += f"; at worst and at best, the mean including them is {', '.join(bounds)}"
        said.setdefault(text, []).append(short_name(figure))
    for text, figures in said.items():
        yield "warning", f"{', '.join(figures)}: {text}."
    yield from _unscored_families(findings)


def _unscored_families(findings: Findings) -> Iterator[Headline]:
    """Families without any scored figure, and why."""
    measured = {name.partition(".")[0] for name in findings.measured}
    for family in dict.fromkeys(name.partition(".")[0] for name in findings.figures):
        if family in measured or not measured:
            continue
        figures = [name for name in findings.figures if name.partition(".")[0] == family]
        yield "warning", f"{family}: nothing was scored{_why(findings, figures)}."


def _why(findings: Findings, figures: Collection[str]) -> str:
    """The causes for which nothing was scored, with the most attempts of any figure."""
    total: Counter[str] = Counter()
    for system in findings.systems:
        most: Counter[str] = Counter()
        for each in system.estimates.figures:
            if each.figure in figures:
                most |= Counter(each.not_scored)
        total += most
    return f" ({causes(total)})" if total else ": the attempts have nothing to score"


def _gates(findings: Findings) -> Iterator[Headline]:
    gates = findings.estimates.gates
    missed = [gate for gate in gates if gate.outcome != "passed"]
    for line in gate_lines(missed):
        yield "bad", f"Gate {line}"
    if gates and not missed:
        yield "good", f"{counted(len(gates), 'gate')} passed."
