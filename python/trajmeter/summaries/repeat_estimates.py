"""Repeated attempts at a task: the probability that one of k, or all of k, succeed."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.records import Record
from trajmeter.statistics.bootstrap import Limits, limits_of_means
from trajmeter.statistics.intervals import Range, wilson_without_variation
from trajmeter.statistics.repeats import ks_of, pass_at_k, pass_hat_k
from trajmeter.summaries.cluster_sums import by_code
from trajmeter.summaries.figure_sums import SCORED, SUCCEEDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Float64Array
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["RepeatEstimate", "repeat_estimates"]

_SHARE = Range(0.0, 1.0)


class RepeatEstimate(Record):
    """What k attempts at a task achieve, averaged over tasks."""

    k: int
    """Number of attempts drawn."""
    n_tasks: int
    """Tasks with at least that many scored attempts."""
    n_tasks_total: int
    """Tasks with any scored attempts."""
    pass_at_k: float | None
    """Probability that at least one of k attempts succeeds."""
    pass_at_k_low: float | None
    """Lower limit."""
    pass_at_k_high: float | None
    """Upper limit."""
    pass_hat_k: float | None
    """Probability that all k attempts succeed."""
    pass_hat_k_low: float | None
    """Lower limit."""
    pass_hat_k_high: float | None
    """Upper limit."""
    n_always: int
    """Of the tasks with at least two attempts, those where all succeed."""
    n_sometimes: int
    """Those where only some succeed."""
    n_never: int
    """Those where none succeeds."""


def repeat_estimates(
    figure: FigureSums,
    results: ResultSums,
    group: int,
    options: IntervalOptions,
    ks: Sequence[int] | None,
) -> tuple[RepeatEstimate, ...]:
    """Estimate what repeated attempts of a group achieve.

    Args:
        figure: Sums of the figure that defines a success.
        results: Sums of all results.
        group: Number of the group.
        options: How intervals are computed.
        ks: Numbers of attempts to draw; ``None`` for those that every task allows.
    """
    units = results.units_of(group)
    scored = figure.counts.column(SCORED, units)
    succeeded = figure.counts.column(SUCCEEDED, units).astype(np.float64)
    order = np.lexsort((succeeded, results.named_task_ranks[results.units.task[units]]))
    order = order[scored[order] > 0]
    tasks = by_code(results.units.task[units[order]], succeeded[order], scored[order])
    pairs = [*zip(tasks.sizes.tolist(), map(int, tasks.sums.tolist()), strict=True)]
    least = min((attempts for attempts, _ in pairs), default=0)
    repeated = [(attempts, successes) for attempts, successes in pairs if attempts > 1]
    always = sum(attempts == successes for attempts, successes in repeated)
    never = sum(not successes for _, successes in repeated)
    estimates = []
    for k in sorted(ks_of(least)) if ks is None else ks:
        held = [pair for pair in pairs if pair[0] >= k]
        at = np.array([pass_at_k(*pair, k) for pair in held])
        hat = np.array([pass_hat_k(*pair, k) for pair in held])
        at_limits, hat_limits = _limits(at, options), _limits(hat, options)
        estimates.append(
            RepeatEstimate(
                k=k,
                n_tasks=len(held),
                n_tasks_total=len(pairs),
                pass_at_k=fsum(at.tolist()) / len(held) if held else None,
                pass_at_k_low=at_limits.low if at_limits else None,
                pass_at_k_high=at_limits.high if at_limits else None,
                pass_hat_k=fsum(hat.tolist()) / len(held) if held else None,
                pass_hat_k_low=hat_limits.low if hat_limits else None,
                pass_hat_k_high=hat_limits.high if hat_limits else None,
                n_always=always,
                n_sometimes=len(repeated) - always - never,
                n_never=never,
            )
        )
    return tuple(estimates)


def check_ks(ks: Sequence[int] | None) -> None:
    """Reject numbers of attempts that cannot be drawn.

    Raises:
        ConfigurationError: A number is below 1.
    """
    for k in ks or ():
        if k < 1:
            raise ConfigurationError(f"k is {k}, expected 1 or more")


def _limits(values: Float64Array, options: IntervalOptions) -> Limits | None:
    """Limits of a mean over tasks; Wilson's for equal values, none for one task."""
    if len(values) <= 1:
        return None
    if np.ptp(values) <= 1e-12:  # noqa: PLR2004 - rounding error
        interval = wilson_without_variation(float(values[0]), len(values), options.level, _SHARE)
        return Limits(interval.low, interval.high)
    (limits,) = limits_of_means(
        values[:, None],
        np.ones((len(values), 1), np.int64),
        level=options.level,
        seed=options.seed,
        resamples=options.resamples,
    )
    return limits
