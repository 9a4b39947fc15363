"""Agreement of judges over results tables: whether they give the same ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.figure_names import listed_figures, matching_figures
from trajmeter.statistics.agreement import agreement_of
from trajmeter.statistics.draws import DEFAULT_RESAMPLES
from trajmeter.summaries.agreement import (
    AgreementOptions,
    FigureAgreement,
    JudgeAgreement,
)
from trajmeter.summaries.estimates import IntervalOptions
from trajmeter.summaries.options import check_interval_options
from trajmeter.summaries.ratings import Ratings, ratings_of_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.records import ReadProblem
    from trajmeter.statistics.agreement import Estimate, Scale
    from trajmeter.summaries.result_tables import Tables

__all__ = [
    "agreement_of_ratings",
    "agreement_of_tables",
]


def agreement_of_tables(
    tables: Tables,
    *,
    figures: str | Sequence[str] | None = None,
    scale: Scale | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> JudgeAgreement:
    """Measure how far judges agree, from a results table of each.

    Attempts are joined by task, agent, model and attempt. Arguments and errors are those of
    :func:`trajmeter.agreement`.
    """
    judges = ratings_of_tables(tables, listed_figures(figures), on_problem)
    return agreement_of_ratings(
        judges, figures=figures, scale=scale, level=level, seed=seed, resamples=resamples
    )


def agreement_of_ratings(
    judges: Sequence[Ratings],
    *,
    figures: str | Sequence[str] | None = None,
    scale: Scale | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    default_scale: Scale | None = None,
) -> JudgeAgreement:
    """Measure how far judges agree, from the ratings of each.

    Arguments and errors are those of :func:`trajmeter.agreement`, and:

    Args:
        judges: The ratings of each judge.
        figures: Names and patterns of figures.
        scale: What distances between ratings mean.
        level: Confidence level of the intervals.
        seed: Seed of the random draws.
        resamples: Number of bootstrap replicates to draw.
        default_scale: Scale of numbers if none is requested; ``None`` to choose by the numbers.
    """
    from trajmeter.metrics.rows import package_version

    figures = listed_figures(figures)
    draws = IntervalOptions("auto", level, seed, resamples)
    check_interval_options(draws)
    if scale not in (None, "nominal", "ordinal", "interval"):
        raise ConfigurationError(f"scale is {scale!r}, expected nominal, ordinal or interval")
    if len(judges) <= 1:
        raise ConfigurationError("agreement needs at least two judges, but only one was given")
    shared = [
        name
        for name in dict.fromkeys(name for judge in judges for name in judge.figures)
        if sum(name in judge.figures for judge in judges) > 1
    ]
    wanted = shared if figures is None else matching_figures(figures, shared)
    if not wanted:
        raise ConfigurationError("no two judges rated the same figure")
    found = tuple(
        _agree(
            name,
            [judge for judge in judges if name in judge.figures],
            scale,
            default_scale,
            draws,
        )
        for name in wanted
    )
    return JudgeAgreement(
        trajmeter_version=package_version(),
        options=AgreementOptions(
            figures=figures,
            scale=scale,
            level=level,
            seed=seed,
            resamples=resamples,
        ),
        judges=tuple(judge.name for judge in judges),
        figures=found,
    )


def _agree(
    name: str,
    judges: Sequence[Ratings],
    scale: Scale | None,
    default: Scale | None,
    draws: IntervalOptions,
) -> FigureAgreement:
    """Measure how far judges agree on one figure."""
    items = list(dict.fromkeys(item for judge in judges for item in judge.figures[name]))
    tasks = {item: judge.task_of[item] for judge in judges for item in judge.figures[name]}
    values = {value for judge in judges for value in judge.figures[name].values()}
    chosen = scale or _scale_of(values, default)
    is_number = not any(isinstance(value, str) for value in values)
    if not is_number and chosen != "nominal":
        raise ConfigurationError(f"{name} is text, for which the scale is nominal, not {chosen}")
    codes = {value: code for code, value in enumerate(sorted(values))}
    ratings = np.array(
        [[codes.get(judge.figures[name].get(item), -1) for judge in judges] for item in items],
        np.int64,
    ).reshape(len(items), len(judges))
    order = {task: place for place, task in enumerate(sorted(set(tasks.values())))}
    found = agreement_of(
        ratings,
        np.array([order[tasks[item]] for item in items], np.int64),
        np.array(sorted(values), np.float64) if is_number else None,
        chosen,
        level=draws.level,
        seed=draws.seed,
        resamples=draws.resamples,
    )
    notes = []
    if not found.n_compared:
        notes.append("nothing_compared")
    elif found.alpha.value is None:
        notes.append("no_variation")
    if found.n_tasks == 1:
        notes.append("one_task")
    return FigureAgreement(
        figure=name,
        scale=chosen,
        judges=len(judges),
        n_items=len(items),
        n_compared=found.n_compared,
        n_tasks=found.n_tasks,
        exact=found.exact,
        **_columns("alpha", found.alpha),
        **_columns("kappa", found.kappa),
        notes=tuple(notes),
    )


def _columns(name: str, found: Estimate | None) -> dict[str, float | None]:
    limits = found.limits if found is not None else None
    return {
        name: found.value if found is not None else None,
        f"{name}_low": limits.low if limits else None,
        f"{name}_high": limits.high if limits else None,
    }


def _scale_of(values: Iterable[Any], default: Scale | None) -> Scale:
    """The scale of ratings, from their types."""
    listed = list(values)
    if any(isinstance(value, (str, bool)) for value in listed):
        return "nominal"
    if default is not None:
        return default
    return "ordinal" if all(float(value).is_integer() for value in listed) else "interval"
