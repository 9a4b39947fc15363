"""Rules ``latency`` and ``cost_budget`` on record batches, for rows with usable figures.

Every attempt has its own duration and costs, so these are graded as columns. Attempts with a figure
that is missing or not a number are left to the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import filled, flags, numbers
from trajmeter.arrays.text import text_array
from trajmeter.metrics.result_arrays import json_numbers
from trajmeter.metrics.rules.budgets import KINDS, time_reason, use_reason
from trajmeter.metrics.rules.grade import FULL
from trajmeter.metrics.rules.graded import Graded, graded

if TYPE_CHECKING:
    import numpy.typing as npt

    from trajmeter.arrays import Array
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.rules.budgets import Kind
    from trajmeter.metrics.rules.facts import Facts
    from trajmeter.metrics.rules.profile import RulesProfile

__all__ = ["graded_costs", "graded_latencies"]

_TIME = "max_latency_ms"


def graded_latencies(facts: Facts, profile: RulesProfile) -> Graded:
    """Grade the durations of those attempts that recorded one and have a budget."""
    budgets = _budgets(facts, _TIME)
    rows = np.flatnonzero(~np.isnan(budgets) & flags(facts.seconds.is_valid()))
    seconds = filled(facts.seconds, 0.0)[rows].tolist()
    durations = np.array([round(each * 1000, 6) for each in seconds], np.float64)
    ratios = _ratios(durations, budgets[rows])
    kept = ~np.isnan(ratios)
    if not profile.unrecorded_abstains:
        kept &= (durations >= 0) & (durations < np.inf)
    rows, durations, ratios = rows[kept], durations[kept], ratios[kept]
    budgets = budgets[rows]
    pairs = zip(durations.tolist(), budgets.tolist(), strict=True)
    columns = {
        **graded(_scores(ratios), [time_reason(*pair) for pair in pairs], profile),
        "budget_ms": numbers(budgets),
        "duration_ms": numbers(durations),
        "ratio": numbers(ratios),
    }
    return Graded(rows, columns)


class _Use(NamedTuple):
    """How much attempts used of one kind."""

    budgets: Float64Array
    """Budget of each; NaN without one."""
    used: Float64Array
    """Amount that each used; NaN if unknown."""
    sources: npt.NDArray[np.object_]
    """Origin of the amount."""
    ratios: Float64Array
    """Used / budget."""


def graded_costs(facts: Facts, profile: RulesProfile) -> Graded:
    """Grade the attempts that have a figure for each of their budgets."""
    kinds = [kind for kind in KINDS if kind.key in profile.budgets]
    uses = [_use(facts, kind, profile) for kind in kinds]
    limited = np.array([~np.isnan(use.budgets) for use in uses])
    is_open = limited & np.array([np.isnan(use.ratios) for use in uses])
    groups = (limited * (1 << np.arange(len(kinds)))[:, None]).sum(axis=0)
    groups[is_open.any(axis=0)] = 0
    rows, parts = [], []
    for group in range(1, 1 << len(kinds)):
        at = np.flatnonzero(groups == group)
        if len(at):
            budgeted = [
                pair for bit, pair in enumerate(zip(kinds, uses, strict=True)) if group >> bit & 1
            ]
            rows.append(at)
            parts.append(_costs(budgeted, at, profile))
    if not rows:
        return Graded(np.zeros(0, np.int64), {})
    together = np.concatenate(rows)
    order = np.argsort(together)
    names = parts[0]
    columns = {name: pa.concat_arrays([part[name] for part in parts]).take(order) for name in names}
    return Graded(together[order], columns)


def _use(facts: Facts, kind: Kind, profile: RulesProfile) -> _Use:
    budgets = _budgets(facts, kind.key)
    sources = np.full(len(facts), "run", np.object_)
    if np.isnan(budgets).all():
        return _Use(budgets, budgets, sources, budgets)
    if kind.field == "total_tokens" and not profile.unrecorded_abstains:
        total = facts.tokens.counts[2]
        used = np.where(flags(total.is_valid()), filled(total, 0).astype(np.float64), np.nan)
        sources = np.array(facts.tokens.source.to_pylist(), np.object_)
        return _Use(budgets, used, sources, _ratios(used, budgets))
    recorded = facts.usage(kind.field)
    used = np.where(flags(recorded.is_valid()), filled(recorded, 0).astype(np.float64), np.nan)
    used[~(used > 0 if profile.unrecorded_abstains else (used >= 0) & (used < np.inf))] = np.nan
    wanted = np.flatnonzero(~np.isnan(budgets) & np.isnan(used))
    if len(wanted) and kind.field != "total_tokens" and not profile.unrecorded_abstains:
        for row, amount in facts.add_up(kind.field, wanted).items():
            used[row] = np.nan if amount.value is None else amount.value
            sources[row] = amount.source
    return _Use(budgets, used, sources, _ratios(used, budgets))


def _costs(
    uses: list[tuple[Kind, _Use]], rows: Int64Array, profile: RulesProfile
) -> dict[str, Array]:
    """Columns of attempts that have budgets of the same kinds."""
    ratios = np.array([use.ratios[rows] for _, use in uses])
    worst = ratios.argmax(axis=0)
    checks, reasons, sources = [], [], []
    for kind, use in uses:
        amounts = use.budgets, use.used, use.ratios, _scores(use.ratios)
        budgets, used, shares, scores = [json_numbers(each[rows].tolist()) for each in amounts]
        of_kind = use.sources[rows].tolist()
        figures = zip(use.used[rows].tolist(), use.budgets[rows].tolist(), of_kind, strict=True)
        texts = [use_reason(kind, *each) for each in figures]
        # In the order of the fields of a check; neither reasons nor sources need escapes.
        cells = zip(budgets, used, of_kind, shares, scores, texts, strict=True)
        checks.append(
            [
                f'{{"name":"{kind.key}","budget":{budget},"used":{amount},"source":"{source}",'
                f'"ratio":{ratio},"score":{score},"reason":"{reason}"}}'
                for budget, amount, source, ratio, score, reason in cells
            ]
        )
        reasons.append(texts)
        sources.append(of_kind)
    chosen = worst.tolist()
    return {
        **graded(
            _scores(ratios.max(axis=0)),
            [reasons[kind][at] for at, kind in enumerate(chosen)],
            profile,
        ),
        "ratio": numbers(ratios.max(axis=0)),
        "source": text_array(sources[kind][at] for at, kind in enumerate(chosen)),
        "checks": text_array(f"[{','.join(each)}]" for each in zip(*checks, strict=True)),
    }


def _budgets(facts: Facts, key: str) -> Float64Array:
    """Budget of each row's task; NaN without one."""
    budgets = [each.budgets.get(key, np.nan) for each in facts.checks]
    return np.array(budgets, np.float64)[facts.tasks]


def _ratios(used: Float64Array, budgets: Float64Array) -> Float64Array:
    with np.errstate(invalid="ignore", over="ignore"):
        ratios: Float64Array = used / budgets
    return ratios


def _scores(ratios: Float64Array) -> Float64Array:
    return FULL / np.maximum(ratios, 1.0)
