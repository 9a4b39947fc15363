"""Agreement of judges over results tables: whether they give the same ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.figures import listed_figures, matching_figures
from trajmeter.records import Record
from trajmeter.statistics.agreement import Scale, agreement_of
from trajmeter.statistics.draws import DEFAULT_RESAMPLES
from trajmeter.summaries.estimates import IntervalOptions
from trajmeter.summaries.options import check_interval_options

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from trajmeter.readers.results import ResultsTable
    from trajmeter.records import ReadProblem
    from trajmeter.statistics.agreement import Estimate
    from trajmeter.summaries.result_tables import Tables

__all__ = [
    "AgreementOptions",
    "FigureAgreement",
    "JudgeAgreement",
    "Ratings",
    "agreement_of_ratings",
    "agreement_of_tables",
]

_TWO = 2
_KEY = ("task_id", "agent", "model", "attempt")


class Ratings(NamedTuple):
    """The ratings of one judge."""

    name: str
    """Name of the judge, such as its file."""
    figures: Mapping[str, Mapping[Hashable, Any]]
    """Ratings of each figure by item: numbers, booleans or texts."""
    task_of: Mapping[Hashable, str]
    """Task of each item."""


class AgreementOptions(Record):
    """The options."""

    figures: tuple[str, ...] | None
    """Names and patterns of the figures; ``None`` for all that the judges share."""
    scale: Scale | None
    """What distances between ratings mean; ``None`` to choose by the ratings."""
    level: float
    """Confidence level of the intervals."""
    seed: int
    """Seed of the random draws."""
    resamples: int
    """Number of bootstrap replicates drawn."""


class FigureAgreement(Record):
    """How far judges agree on one figure."""

    figure: str
    """What was rated."""
    scale: Scale
    """What distances between ratings mean."""
    judges: int
    """Number of judges."""
    n_items: int
    """Items that any judge rated."""
    n_compared: int
    """Items that at least two judges rated."""
    n_tasks: int
    """Tasks of these items."""
    exact: float | None
    """Share of these items on which all judges agree."""
    alpha: float | None
    """Krippendorff's alpha: 1 is agreement, 0 chance; ``None`` without variation."""
    alpha_low: float | None
    """Lower limit."""
    alpha_high: float | None
    """Upper limit."""
    kappa: float | None
    """Quadratic weighted kappa of two judges that gave numbers."""
    kappa_low: float | None
    """Lower limit."""
    kappa_high: float | None
    """Upper limit."""
    notes: tuple[str, ...] = ()
    """Caveats: ``no_variation`` (all ratings are equal), ``nothing_compared``, ``one_task``."""


class JudgeAgreement(Record):
    """How far judges agree."""

    trajmeter_version: str
    """Version of this package."""
    options: AgreementOptions
    """The options."""
    judges: tuple[str, ...]
    """The judges."""
    figures: tuple[FigureAgreement, ...]
    """Every figure that at least two judges rated."""


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
    from trajmeter.summaries.result_tables import open_tables, table_labels

    opened = open_tables(tables, on_problem=on_problem)
    names = _names(opened, listed_figures(figures))
    judges = [
        _ratings(table, label, names)
        for table, label in zip(opened, table_labels(opened), strict=True)
    ]
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
    if len(judges) < _TWO:
        raise ConfigurationError("agreement needs at least two judges, but only one was given")
    shared = [
        name
        for name in dict.fromkeys(name for judge in judges for name in judge.figures)
        if sum(name in judge.figures for judge in judges) >= _TWO
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


def _names(tables: Sequence[ResultsTable], figures: Sequence[str] | None) -> list[str]:
    """Columns of ratings that two tables share."""
    from trajmeter.metrics.figures import figures_in_metadata, registered_figures

    columns = list(dict.fromkeys(name for table in tables for name in table.columns))
    shared = [
        name
        for name in columns
        if name not in (*_KEY, "source", "backend")
        and sum(name in table.columns for table in tables) >= _TWO
    ]
    if figures is not None:
        return matching_figures(figures, shared)
    directed = []
    for name in shared:
        infos = [
            figures_in_metadata(table.metadata.get("trajmeter.figures", "{}")).get(name)
            for table in tables
        ]
        info = next(filter(None, infos), None) or registered_figures(name.partition(".")[0]).get(
            name
        )
        if info is not None and info.higher_is_better is not None:
            directed.append(name)
    numbers = [
        name
        for name in shared
        if any(table.columns.get(name) in ("boolean", "integer", "number") for table in tables)
    ]
    return directed or numbers


def _ratings(table: ResultsTable, label: str, names: Sequence[str]) -> Ratings:
    """The ratings of each attempt in a table."""
    texts = [name for name in names if table.columns.get(name) == "text"]
    numbers = [name for name in names if name in table.columns and name not in texts]
    figures: dict[str, dict[Hashable, Any]] = {name: {} for name in (*texts, *numbers)}
    task_of: dict[Hashable, str] = {}
    groups = {
        name: group
        for name in figures
        if f"{(group := name.rpartition('.')[0])}.outcome" in table.columns
    }
    outcomes = [f"{group}.outcome" for group in dict.fromkeys(groups.values())]
    for batch in table.batches([*_KEY, *texts, *outcomes], numbers):
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        keys = [*zip(*(columns[name] for name in _KEY), strict=True)]
        for row, key in enumerate(keys):
            if key[0] is None:
                continue
            if key in task_of:
                raise ConfigurationError(f"{label}: one attempt occurs twice: {key}")
            task_of[key] = key[0]
            for name, own in figures.items():
                value = columns[name][row]
                if name in groups and columns[f"{groups[name]}.outcome"][row] not in (
                    "scored",
                    "assigned",
                ):
                    continue
                if value is not None and value == value:  # noqa: PLR0124 - NaN is not a rating
                    own[key] = bool(value) if table.columns.get(name) == "boolean" else value
    return Ratings(label, figures, task_of)


def _agree(
    name: str,
    judges: Sequence[Ratings],
    scale: Scale | None,
    default: Scale | None,
    draws: IntervalOptions,
) -> FigureAgreement:
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
