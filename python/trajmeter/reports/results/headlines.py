"""Headlines: which system is better, by how much, how certainly, and what is missing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.metrics.figures import short_name
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


def headlines(found: Findings) -> tuple[Headline, ...]:
    """Sentences for the top of the report, each with its tone."""
    lines = [*_gates(found)]
    lines += [_of_figure(found, figure) for figure in found.principal[:_FIGURES]]
    lines += _missing(found)
    if any(
        "few_tasks" in each.notes
        for system in found.systems
        for each in system.estimates.figures
        if each.figure in found.principal
    ):
        lines.append(("warning", "Fewer than 10 tasks: treat the intervals as rough."))
    if not found.measured:
        lines.insert(0, ("bad", f"No attempt could be scored{_why(found, found.figures)}."))
    return tuple(lines)


def _of_figure(found: Findings, figure: str) -> Headline:
    ranked = found.ranked(figure)
    pair = _pair(found, ranked)
    if pair is not None:
        difference = next(each for each in pair.figures if each.figure == figure)
        if difference.difference is not None:
            return _difference(found, ranked, pair, difference)
    return "neutral", " · ".join(_alone(system, figure) for system in ranked[:_SYSTEMS])


def _pair(found: Findings, ranked: list[System]) -> SystemPair | None:
    """The baseline with the best system, or with the second best if it is the best itself."""
    if found.compared is None or len(ranked) <= 1:
        return None
    baseline = found.systems[0]
    others = [system for system in ranked if system.number != baseline.number]
    names = {baseline.label, others[0].label}
    return next((pair for pair in found.compared.pairs if {pair.a, pair.b} == names), None)


def _difference(
    found: Findings, ranked: list[System], pair: SystemPair, each: Difference
) -> Headline:
    value = each.difference or 0.0
    is_better = value > 0 if each.higher_is_better is not False else value < 0
    is_sure = each.low is not None and each.high is not None and (each.low > 0 or each.high < 0)
    p_value = found.adjusted.get((pair.a, pair.b, each.figure))
    is_clear = is_sure and (p_value is None or p_value <= 1 - each.level)
    a, b = pair.a, pair.b
    rest = [system for system in ranked if system.label not in (a, b)][:_NEXT]
    is_turned = is_clear and not is_better and bool(rest)  # the baseline is the best of several
    if is_turned:
        a, b = b, a
    about = _about(found, each, p_value, is_turned=is_turned)
    name = short_name(each.figure)
    if each.higher_is_better is False:
        name += " (lower is better)"
    others = ", ".join(f"{system.label} {amount(system.mean(each.figure))}" for system in rest)
    also = f" Next: {others}." if rest else ""
    if each.low is None or each.high is None:
        return "neutral", f"{name}: {b} {about}; no interval could be computed.{also}"
    if is_clear and (is_better or is_turned):
        of = f"Best of {len(ranked)}: " if rest else ""
        return "good", f"{of}{b} is better than {a} at {name}: {about}.{also}"
    if is_clear:
        return "bad", f"{b} is worse than {a} at {name}: {about}."
    own = found.systems[0].estimate(each.figure)
    more = detectable(each, *((own.range_low, own.range_high) if own else ()))
    return "neutral", f"No clear difference between {b} and {a} at {name}: {about}.{more}{also}"


def _about(found: Findings, each: Difference, p_value: float | None, *, is_turned: bool) -> str:
    """Both means, their difference, its certainty, and the number of tasks."""
    means, value = (each.mean_b, each.mean_a), each.difference or 0.0
    low, high = each.low, each.high
    if is_turned:
        means, value = (each.mean_a, each.mean_b), -value
        low, high = (None if end is None else -end for end in (high, low))
    sure = [f"difference {signed(value)}"]
    if low is not None:
        shown = f"{level_name(each.level)} {signed(low)}…{signed(high)}"
        sure.append("no variation" if each.interval is None else shown)
    if p_value is not None:
        tests = len(found.adjusted)
        sure.append(f"p {p_text(p_value)}" + (f", adjusted for {tests} tests" if tests > 1 else ""))
    return (
        f"{amount(means[0])} against {amount(means[1])} ({', '.join(sure)}), "
        f"on {counted(each.n_tasks, 'shared task')}"
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


def _missing(found: Findings) -> Iterator[Headline]:
    """Unscored attempts, once for all figures that lack the same ones."""
    said: dict[str, list[str]] = {}
    for figure in found.principal:
        held = [each for s in found.systems if (each := s.estimate(figure)) is not None]
        unmeasured = sum(each.n_not_scored for each in held)
        if not unmeasured:
            continue
        why = causes(sum((Counter(each.not_scored) for each in held), Counter()))
        total = sum(each.n_total for each in held)
        text = f"{unmeasured:,} of {counted(total, 'attempt')} not scored ({why})"
        bounds = [
            f"{system.label} {limits(each.bound_low, each.bound_high)}"
            for system in found.systems[:_SYSTEMS]
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
    yield from _unscored_families(found)


def _unscored_families(found: Findings) -> Iterator[Headline]:
    """Families without any scored figure, and why."""
    measured = {name.partition(".")[0] for name in found.measured}
    for family in dict.fromkeys(name.partition(".")[0] for name in found.figures):
        if family in measured or not measured:
            continue
        own = [name for name in found.figures if name.partition(".")[0] == family]
        yield "warning", f"{family}: nothing was scored{_why(found, own)}."


def _why(found: Findings, figures: Collection[str]) -> str:
    """The causes for which nothing was scored, with the most attempts of any figure."""
    total: Counter[str] = Counter()
    for system in found.systems:
        most: Counter[str] = Counter()
        for each in system.estimates.figures:
            if each.figure in figures:
                most |= Counter(each.not_scored)
        total += most
    return f" ({causes(total)})" if total else ": the attempts have nothing to score"


def _gates(found: Findings) -> Iterator[Headline]:
    gates = found.estimates.gates
    missed = [gate for gate in gates if gate.outcome != "passed"]
    for line in gate_lines(missed):
        yield "bad", f"Gate {line}"
    if gates and not missed:
        yield "good", f"{counted(len(gates), 'gate')} passed."
