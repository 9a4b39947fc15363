"""Values of the tasks that two systems share: their difference, its uncertainty and p-value."""

from __future__ import annotations

from math import copysign, exp, fsum
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.statistics.bootstrap import limits_of_means
from trajmeter.statistics.clusters import is_constant, standard_error, sums_by
from trajmeter.statistics.distributions import has_t, t_quantile
from trajmeter.statistics.intervals import Range, factor_limits, t_interval
from trajmeter.statistics.paired import (
    PValue,
    differences_of,
    equivalence,
    mcnemar,
    mean_difference,
    minimal_detectable_effect,
    sign_flip_test,
    t_test,
)
from trajmeter.summaries.estimates import FEW_CLUSTERS

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.figures import FigureInfo
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.sides import Side

__all__ = ["PairedValues"]

_ROUNDING = 1e-12
"""Numbers closer than this share of the greatest value differ by rounding only."""


class PairedValues:
    """Tasks that both systems have, ordered by id."""

    def __init__(
        self,
        info: FigureInfo,
        a: Float64Array,
        b: Float64Array,
        clusters: Int64Array,
        options: IntervalOptions,
        margin: float | None,
    ) -> None:
        self.info = info
        self.a, self.b, self.differences = a, b, differences_of(a, b)
        self.clusters = clusters
        self.options = options
        self.margin = margin
        self.sign = -1.0 if info.higher_is_better is False else 1.0
        self.count = int(clusters.max()) + 1
        self.notes: set[str] = set()

    def columns(self) -> dict[str, object]:
        """Fields of a :class:`~trajmeter.summaries.differences.Difference`."""
        count = len(self.differences)
        difference = mean_difference(self.a, self.b)
        gains = self.differences * self.sign
        better, worse = int((gains > 0).sum()), int((gains < 0).sum())
        p = self._p_value(better, worse)
        fields: dict[str, object] = {
            "n_clusters": self.count,
            "mean_a": fsum(self.a.tolist()) / count,
            "mean_b": fsum(self.b.tolist()) / count,
            "difference": difference,
            "n_better": better,
            "n_worse": worse,
            "n_equal": count - better - worse,
            "p_value": p.value,
            "p_method": p.method,
        }
        if self.count <= 1:
            self.notes.add("one_task")
            return fields
        if self.count < FEW_CLUSTERS:
            self.notes.add("few_tasks")
        sums, sizes = self._sums(self.differences)
        std_error = standard_error(sums, sizes, difference, count)
        greatest = float(np.maximum(np.abs(self.a), np.abs(self.b)).max())
        fields["df"] = self.count - 1
        if is_constant(std_error, greatest):
            self.notes.add("no_variation")
            fields |= {"std_error": 0.0, "low": difference, "high": difference}
            fields |= {"one_sided_low": difference, "one_sided_high": difference}
            exact = self._exact(difference, greatest)
            return fields | self._against_margin(exact, 0.0, exact, exact)
        fields["std_error"] = std_error
        return fields | self._with_error(difference, std_error, sums, sizes)

    def _p_value(self, better: int, worse: int) -> PValue:
        steps = np.isin(self.differences, (-1.0, 0.0, 1.0)).all()
        are_tasks = self.count == len(self.differences)
        if self.info.kind == "boolean" and are_tasks and steps:
            return mcnemar(better, worse)
        options = self.options
        return sign_flip_test(
            self.a, self.b, self.clusters, seed=options.seed, resamples=options.resamples
        )

    def _with_error(
        self, difference: float, std_error: float, sums: Float64Array, sizes: Int64Array
    ) -> dict[str, object]:
        df, options = self.count - 1, self.options
        fields: dict[str, object] = {}
        is_drawn = options.interval == "bootstrap"
        if is_drawn:
            (drawn,) = limits_of_means(
                sums[:, None],
                sizes[:, None],
                level=options.level,
                seed=options.seed,
                resamples=options.resamples,
            )
            fields |= {"interval": "bootstrap", "low": drawn.low, "high": drawn.high}
            if self.margin is None and not has_t():
                self.notes.add("missing_stats")
                return fields
        else:
            interval = t_interval(difference, std_error, df, options.level, Range())
            fields |= {"interval": "t", "low": interval.low, "high": interval.high}
        reach = t_quantile(options.level, df) * std_error
        fields["p_t"] = t_test(difference, std_error, df)
        fields["mde"] = minimal_detectable_effect(std_error, df, options.level)
        low, high = difference - reach, difference + reach
        fields |= {"one_sided_low": low, "one_sided_high": high}
        return fields | self._against_margin(difference, std_error, low, high)

    def _exact(self, difference: float, greatest: float) -> float:
        """The margin, with the sign of a difference that equals it up to rounding."""
        if self.margin is None or abs(abs(difference) - self.margin) > _ROUNDING * greatest:
            return difference
        return copysign(self.margin, difference)

    def _against_margin(
        self, difference: float, std_error: float, low: float, high: float
    ) -> dict[str, object]:
        if self.margin is None:
            return {}
        test = equivalence(
            difference, std_error, self.count - 1, margin=self.margin, level=self.options.level
        )
        least, most = sorted((self.sign * low, self.sign * high))
        is_known = least >= -self.margin or most < -self.margin
        return {
            "equivalence_p": test.p_value,
            "equivalent": test.is_equivalent,
            "non_inferior": least >= -self.margin if is_known else None,
        }

    def ratio(self, a: Side, b: Side, tasks: Int64Array) -> dict[str, object]:
        """Factor by which the second exceeds the first."""
        if self.info.scale != "ratio":
            return {}
        if (a.is_filled | b.is_filled)[tasks].any():
            return {}
        if (a.without_log | b.without_log)[tasks].any():
            self.notes.add("zero")
            return {}
        logs = b.logs[tasks] / b.sizes[tasks] - a.logs[tasks] / a.sizes[tasks]
        mean = fsum(logs.tolist()) / len(logs)
        fields: dict[str, object] = {"ratio": exp(mean)}
        if self.count <= 1:
            return fields
        sums, sizes = self._sums(logs)
        std_error = standard_error(sums, sizes, mean, len(logs))
        greatest = max(a.greatest_log, b.greatest_log)
        if is_constant(std_error, greatest) or "missing_stats" in self.notes:
            return fields
        interval = t_interval(mean, std_error, self.count - 1, self.options.level, Range())
        low, high = factor_limits(interval.low, interval.high)
        if high is None:
            self.notes.add("too_large")
        return fields | {"ratio_low": low, "ratio_high": high}

    def _sums(self, values: Float64Array) -> tuple[Float64Array, Int64Array]:
        sizes = np.bincount(self.clusters, minlength=self.count)
        return sums_by(self.clusters, values, self.count), sizes
