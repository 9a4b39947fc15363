"""Charts of how attempts develop: gold by step, success by turn, values over tasks, cost."""

from __future__ import annotations

import json
import math
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.charts import (
    Curve,
    CurveChart,
    DistributionChart,
    Point,
    ScatterChart,
    Series,
)
from trajmeter.reports.estimates import level_name
from trajmeter.reports.page.document import Part
from trajmeter.reports.results.bands import band_of
from trajmeter.reports.results.words import axis_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.reports.charts import Chart
    from trajmeter.reports.results.findings import Findings, System

__all__ = ["COSTS", "NUMBERS", "VALUES", "development_part", "spread_part", "tradeoff_part"]

_COVERAGE = {
    f"context.trajectory.{granularity}.coverage": granularity for granularity in ("line", "file")
}
_TURNS, _PASSED = "turns.run.turn_count", "turns.run.passed"
COSTS = ("turns.cost.cost_usd", "speedup.task_cost_usd", "turns.tokens.total_tokens")

_PRICED = {"speedup.task_cost_usd": "speedup.priced"}
"""For each cost, the column that says whether its model has a price; otherwise the cost is 0."""
NUMBERS = (_TURNS, _PASSED, *_PRICED.values())
"""Number columns to read for these charts in addition to the figures."""
VALUES = (*_COVERAGE,)
"""List columns to read for them."""

_STEPS = 60
"""Maximum number of steps in a chart, among those that one attempt in twenty reaches."""
_FEW_LONG = 95
_CHARTS = 4
"""Number of figures whose values over tasks are drawn."""


def tradeoff_part(findings: Findings) -> Part | None:
    """Quality against cost; ``None`` if fewer than two systems have both."""
    cost = next((name for name in COSTS if name in findings.measured), None)
    if cost is None:
        return None
    charts = []
    known = {system.number: _known(findings, system, cost) for system in findings.charted}
    for quality in [name for name in findings.principal if name not in COSTS][:2]:
        points = []
        for system in findings.charted:
            x, each = system.mean(cost), system.estimate(quality)
            count, total = known[system.number]
            if x is None or not count or each is None or each.mean is None:
                continue
            part = f"{count:,}/{total:,}" if count < total else ""
            colour = findings.colour(system)
            points.append(Point(system.label, x, each.mean, each.low, each.high, colour, part))
        if len(points) > 1:
            charts.append(
                ScatterChart(
                    f"{short_name(quality)} against {short_name(cost)}",
                    tuple(points),
                    x_axis=f"mean {short_name(cost)} of an attempt",
                    y_axis=f"mean {short_name(quality)}",
                )
            )
    if not charts:
        return None
    notes = []
    if any(point.part for chart in charts for point in chart.points):
        notes.append(
            f"Hollow: {short_name(cost)} is known only for some attempts; the mean is over these."
        )
    without = [system.label for system in findings.charted if not known[system.number][0]]
    if without:
        notes.append(f"Omitted because no {short_name(cost)} is known: {', '.join(without)}.")
    return Part("tradeoff", "Cost against quality", charts=tuple(charts), notes=tuple(notes))


def _known(findings: Findings, system: System, cost: str) -> tuple[int, int]:
    """Number of attempts with a known cost, and number of all attempts."""
    each = system.estimate(cost)
    if each is None:
        return 0, 0
    priced = findings.rows.numbers.get(_PRICED.get(cost, ""))
    unpriced = 0 if priced is None else int((priced[findings.of(system)] == 0).sum())
    return each.n_scored - unpriced, each.n_total


def spread_part(findings: Findings) -> Part | None:
    """Distribution of values over tasks; ``None`` with fewer than two tasks."""
    charts = []
    for name in findings.principal[:_CHARTS]:
        each = next(e for s in findings.systems if (e := s.estimate(name)) is not None)
        series = []
        for system in findings.charted:
            means, tasks = findings.task_means(name, system)
            if len(means):
                series.append(
                    Series(
                        system.label, tuple(means.tolist()), tuple(tasks), findings.colour(system)
                    )
                )
        if any(len(one.values) > 1 for one in series):
            charts.append(
                DistributionChart(
                    short_name(name),
                    tuple(series),
                    axis=f"mean of a task: {axis_name(name, each.unit)}",
                    low_end=each.range_low,
                    high_end=each.range_high,
                )
            )
    return Part("spread", "Values over tasks", charts=tuple(charts)) if charts else None


def development_part(findings: Findings) -> Part | None:
    """How early gold is found, and in how many turns attempts succeed; ``None`` if unknown."""
    charts: list[Chart] = [*_coverage(findings)]
    solved = _solved(findings)
    if solved is not None:
        charts.append(solved)
    notes = []
    if any(name in findings.rows.values for name in _COVERAGE):
        notes.append("An attempt that has ended keeps the coverage of its last step.")
    if any(
        curve.lows for chart in charts if isinstance(chart, CurveChart) for curve in chart.curves
    ):
        level = level_name(findings.estimates.options.level)
        notes.append(f"Bands: {level} of the mean at each step, clustered by task.")
    return (
        Part("development", "Step by step", charts=tuple(charts), notes=tuple(notes))
        if (charts)
        else None
    )


def _coverage(findings: Findings) -> Iterator[CurveChart]:
    for column, granularity in _COVERAGE.items():
        texts = findings.rows.values.get(column)
        if texts is None:
            continue
        codes = texts.codes
        distinct = [*map(_list, texts.texts), []]  # the last is that of an attempt without any
        sizes = np.array([*map(len, distinct)])
        lengths = sizes[codes]
        if lengths.max(initial=0) <= 1:
            continue
        shown = min(_STEPS, max(2, int(np.percentile(lengths[lengths > 0], _FEW_LONG))))
        carried = _carried(distinct, sizes, shown)
        curves = []
        for system in findings.charted:
            own = findings.of(system) & (lengths > 0)
            if own.any():
                held = carried[codes[own]]
                band = band_of(held, findings.rows.task[own], findings.estimates.options.level)
                curves.append(
                    Curve(
                        system.label,
                        tuple(float(step) for step in range(1, shown + 1)),
                        tuple(held.mean(axis=0).tolist()),
                        *band,
                        series=findings.colour(system),
                    )
                )
        yield CurveChart(
            f"Gold {granularity}s seen by step",
            tuple(curves),
            x_axis="step",
            y_axis="mean share of gold seen",
            low_end=0.0,
            high_end=1.0,
        )


def _list(text: str) -> list[float]:
    """Coverage of an attempt by step; empty if a value is outside 0 to 1."""
    values = json.loads(text)
    if not isinstance(values, list) or not values or {*map(type, values)} - {int, float, bool}:
        return []
    is_share = min(values) >= 0.0 and max(values) <= 1.0 and not math.isnan(sum(values))
    return values if is_share else []


def _carried(attempts: Sequence[Sequence[float]], sizes: Int64Array, steps: int) -> Float64Array:
    """One row per attempt; one that has ended keeps its last value, one without any has NaN."""
    values = np.fromiter(chain.from_iterable(attempts), np.float64, int(sizes.sum()))
    held = np.full((len(attempts), steps), np.nan)
    begins = np.cumsum(sizes) - sizes
    known = sizes > 0
    steps_of = np.minimum(np.arange(steps), sizes[known, None] - 1)
    held[known] = values[begins[known, None] + steps_of]
    return held


def _solved(findings: Findings) -> CurveChart | None:
    """The share of attempts that succeeded within n turns."""
    turns, passed = (findings.rows.numbers.get(name) for name in (_TURNS, _PASSED))
    if turns is None or passed is None:
        return None
    is_known = np.isfinite(turns) & np.isfinite(passed)
    if not (passed[is_known] > 0).any():
        return None
    last = int(min(np.percentile(turns[is_known], _FEW_LONG), 10 * _STEPS))
    curves = []
    for system in findings.charted:
        curve = _cumulated(findings, system, max(last, 2))
        if curve is not None:
            curves.append(curve)
    return CurveChart(
        "Turns to success",
        tuple(curves),
        x_axis="turns",
        y_axis="share of attempts that have passed",
        is_step=True,
        low_end=0.0,
        high_end=1.0,
    )


def _cumulated(findings: Findings, system: System, last: int) -> Curve | None:
    turns, passed = findings.rows.numbers[_TURNS], findings.rows.numbers[_PASSED]
    is_known = findings.of(system) & np.isfinite(turns) & np.isfinite(passed)
    total = int(is_known.sum())
    if not total:
        return None
    successes = np.sort(turns[is_known & (passed > 0)])
    steps = np.arange(last + 1)
    shares = np.searchsorted(successes, steps, side="right") / total
    return Curve(
        system.label,
        tuple(steps.astype(float).tolist()),
        tuple(shares.tolist()),
        series=findings.colour(system),
    )
