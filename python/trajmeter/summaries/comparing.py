"""Compares systems by their results tables: is one better than another on the same tasks?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from trajmeter.errors import ConfigurationError
from trajmeter.lazy import shown_by
from trajmeter.metrics.figure_names import listed_figures, matching_figures
from trajmeter.records import Record
from trajmeter.statistics.draws import DEFAULT_RESAMPLES
from trajmeter.statistics.multiple import holm
from trajmeter.summaries.attempt_keys import FILE
from trajmeter.summaries.differences import Difference, Missing, TaskDifference
from trajmeter.summaries.estimates import IntervalChoice, IntervalOptions
from trajmeter.summaries.options import Reading, check_interval_options, group_columns
from trajmeter.summaries.pairing import difference
from trajmeter.summaries.sides import side_of
from trajmeter.summaries.systems import System, systems_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from trajmeter.records import ReadProblem
    from trajmeter.summaries.result_sums import ResultSums
    from trajmeter.summaries.result_tables import Tables

__all__ = [
    "ComparedScores",
    "ComparisonOptions",
    "SystemPair",
    "compare_scores",
    "comparison_of",
]

Pairs: TypeAlias = Literal["first", "all"]
"""Which systems are compared: each with the first, or all with each other."""


class ComparisonOptions(Record):
    """Options of a comparison."""

    figures: tuple[str, ...] | None
    """Names and patterns of the figures; ``None`` for all with a direction."""
    by: tuple[str, ...]
    """Columns that identify a system."""
    interval: IntervalChoice
    """Method of the intervals."""
    level: float
    """Confidence level of the intervals."""
    cluster: str
    """Column of the clusters."""
    seed: int
    """Seed of the random draws."""
    resamples: int
    """Number of replicates, or of sign patterns, drawn."""
    missing: Missing
    """How attempts that were not measured are treated."""
    margin: float | dict[str, float] | None
    """Largest difference that does not matter."""
    pairs: Pairs
    """Which systems were compared."""

    @property
    def intervals(self) -> IntervalOptions:
        """How intervals are computed."""
        return IntervalOptions(self.interval, self.level, self.seed, self.resamples)


class SystemPair(Record):
    """Two systems."""

    a: str
    """Name of the first, the baseline."""
    b: str
    """Name of the second."""
    figures: tuple[Difference, ...]
    """Every figure, in the order of the columns."""
    tasks: dict[str, tuple[TaskDifference, ...]]
    """The tasks of each figure that lists them, with the largest losses of the second system
    first."""
    left_out: dict[str, tuple[str, ...]]
    """Tasks on which some figure could not be compared, by reason."""


class ComparedScores(Record):
    """Systems compared by their scores."""

    trajmeter_version: str
    """Version of this package."""
    options: ComparisonOptions
    """The options."""
    pairs: tuple[SystemPair, ...]
    """Every pair of systems that was compared."""

    _repr_html_ = shown_by("comparison_html")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each pair and figure, ready for polars and pandas."""
        return [
            {"a": pair.a, "b": pair.b, **figure.model_dump(mode="json")}
            for pair in self.pairs
            for figure in pair.figures
        ]


def compare_scores(
    tables: Tables,
    *,
    figures: str | Sequence[str] | None = None,
    by: Sequence[str] | str | None = None,
    interval: IntervalChoice = "auto",
    level: float = 0.95,
    cluster: str = "task_id",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    better: Mapping[str, str] | None = None,
    missing: Missing = "drop",
    margin: float | Mapping[str, float] | None = None,
    pairs: Pairs = "first",
    tasks_of: str | Sequence[str] | None = None,
    duplicates: Literal["first", "last"] | None = None,
    mixed_settings: bool = False,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> ComparedScores:
    """Compare systems on the tasks they share.

    With several tables, each table is a system; in a single table, each agent and model. The first
    system is the baseline; systems of one table are ordered by name.

    Args:
        tables: Results tables: paths, rows, or anything that provides Arrow batches; a mapping
            gives each its name.
        figures: Names and patterns of figures; by default all with a direction.
        by: Columns that identify a system; ``file`` may be one.
        interval: ``t`` (also ``auto``) or ``bootstrap``.
        level: Confidence level of the intervals.
        cluster: Column whose equal values mark rows that are not independent, such as the
            repository.
        seed: Seed of the random draws.
        resamples: Number of replicates, or of sign patterns, to draw.
        ranges: Lowest and highest value of figures that declare no range.
        better: ``"higher"`` or ``"lower"``, for figures that declare no direction.
        missing: ``drop`` omits attempts that were not measured; ``worst`` and ``best`` give them
            the figure's worst or best value.
        margin: Largest difference that does not matter, for all figures or by name.
        pairs: ``first`` compares each system with the first, ``all`` all with each other.
        tasks_of: Names and patterns of the figures whose tasks are listed; all by default.
        duplicates: Which of several equal attempts to count; by default they are an error.
        mixed_settings: Whether a metric may have several versions or settings.
        on_problem: Called with every row that cannot be read and is skipped. Without it, the first
            one raises.

    Returns:
        Every pair with its figures, and the tasks they are computed from.

    Raises:
        ConfigurationError: There is only one system, two share no task, or an option is wrong.
        UnknownNameError: No table has a requested figure.
        ReadError: A table cannot be read.
        ExtraMissingError: pyarrow is not installed, or scipy if Student's t is needed.

    Example:
        >>> import trajmeter
        >>> def rows(agent, values):
        ...     for task, value in enumerate(values):
        ...         yield {"task_id": f"t{task}", "agent": agent, "turns.run.passed": value}
        >>> old = [*rows("old", [False] * 6 + [True])]
        >>> new = [*rows("new", [True] * 6 + [False])]
        >>> compared = trajmeter.compare_scores([old, new], figures=["turns.run.passed"])
        >>> compared.pairs[0].figures[0].p_value
        0.125
    """
    from trajmeter.summaries.result_tables import open_tables
    from trajmeter.summaries.table_sums import read_sums

    check_interval_options(IntervalOptions(interval, level, seed, resamples))
    if missing not in ("drop", "worst", "best"):
        raise ConfigurationError(f"missing is {missing!r}, expected drop, worst or best")
    if pairs not in ("first", "all"):
        raise ConfigurationError(f"pairs is {pairs!r}, expected first or all")
    figures = listed_figures(figures)
    opened = open_tables(tables, on_problem=on_problem)
    columns = group_columns(by) if by is not None else None
    are_systems = columns is None and len(opened) > 1
    if columns is None:
        columns = (FILE, "agent", "model") if are_systems else ("agent", "model")
    results = read_sums(
        opened,
        Reading(
            figures=figures,
            by=columns,
            cluster=cluster,
            ranges=ranges or {},
            better=better or {},
            duplicates=duplicates,
            mixed_settings=mixed_settings,
            uses_t=True,
        ),
    )
    if are_systems:
        named = results.by_table()
        if named is None:
            raise ConfigurationError(
                "one of several tables contains several agents or models; say what a system is "
                "with --by agent,model,file"
            )
        results = named
    options = ComparisonOptions(
        figures=figures,
        by=results.by,
        interval=interval,
        level=level,
        cluster=cluster,
        seed=seed,
        resamples=resamples,
        missing=missing,
        margin=dict(margin) if isinstance(margin, Mapping) else margin,
        pairs=pairs,
    )
    return comparison_of(results, options, tasks_of=listed_figures(tasks_of))


def comparison_of(
    results: ResultSums,
    options: ComparisonOptions,
    *,
    figures: Sequence[str] | None = None,
    tasks_of: Sequence[str] | None = None,
) -> ComparedScores:
    """Compare the groups of some sums as systems.

    Args:
        results: The sums.
        options: How to compare them.
        figures: Columns of the figures; by default all requested ones.
        tasks_of: As in :func:`compare_scores`.

    Raises:
        ConfigurationError: As in :func:`compare_scores`.
    """
    from trajmeter.metrics.rows import package_version

    names = results.requested if figures is None else figures
    systems = systems_of(results)
    margins = _margins(options.margin, names)
    is_all = options.pairs == "all"
    chosen = combinations(systems, 2) if is_all else ((systems[0], b) for b in systems[1:])
    listed = {*(names if tasks_of is None else matching_figures(tasks_of, names))}
    compared = [
        _compare(results, a, b, options, figures=names, margins=margins, listed=listed)
        for a, b in chosen
    ]
    return ComparedScores(
        trajmeter_version=package_version(), options=options, pairs=_adjusted(compared)
    )


def _margins(margin: float | Mapping[str, float] | None, names: Sequence[str]) -> dict[str, float]:
    if margin is None:
        return {}
    given = margin if isinstance(margin, Mapping) else dict.fromkeys(names, margin)
    margins = {}
    for name, value in given.items():
        if not value >= 0.0:
            raise ConfigurationError(f"margin {value} of {name}: expected 0 or more")
        for column in matching_figures([name], names):
            margins[column] = float(value)
    return margins


def _compare(
    results: ResultSums,
    a: System,
    b: System,
    options: ComparisonOptions,
    *,
    figures: Sequence[str],
    margins: Mapping[str, float],
    listed: Collection[str],
) -> SystemPair:
    rows = [set(results.units.task[results.units_of(each.group)].tolist()) for each in (a, b)]
    if not any(results.keys.tasks[task] is not None for task in rows[0] & rows[1]):
        raise ConfigurationError(
            f"{a.name} and {b.name} share no task id, so no task can be paired"
        )
    differences = []
    left_out: dict[str, set[str]] = {}
    tasks: dict[str, Any] = {}
    for name in figures:
        figure = results.figures[name]
        sides = (side_of(figure, results, a.group), side_of(figure, results, b.group))
        paired = difference(
            name,
            figure.info,
            sides,
            results,
            options.intervals,
            missing=options.missing,
            margin=margins.get(name),
            with_tasks=name in listed,
        )
        differences.append(paired.difference)
        if name in listed:
            tasks[name] = paired.tasks
        for reason, ids in paired.left_out.items():
            left_out.setdefault(reason, set()).update(ids)
    return SystemPair(
        a=a.name,
        b=b.name,
        figures=tuple(differences),
        tasks=tasks,
        left_out={reason: tuple(sorted(ids)) for reason, ids in left_out.items()},
    )


def _adjusted(pairs: Sequence[SystemPair]) -> tuple[SystemPair, ...]:
    """The pairs with p-values adjusted for all of them."""
    values = [f.p_value for pair in pairs for f in pair.figures if f.p_value is not None]
    adjusted = iter(holm(values))
    return tuple(
        pair.model_copy(
            update={
                "figures": tuple(
                    figure
                    if figure.p_value is None
                    else figure.model_copy(update={"p_holm": next(adjusted)})
                    for figure in pair.figures
                )
            }
        )
        for pair in pairs
    )
