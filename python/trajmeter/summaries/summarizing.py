"""Summarizes results tables: each figure, its uncertainty, and how much is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.figure_names import listed_figures, matching_figures
from trajmeter.statistics.draws import DEFAULT_RESAMPLES
from trajmeter.summaries.estimates import IntervalChoice, IntervalOptions
from trajmeter.summaries.estimating import estimate
from trajmeter.summaries.gate_checks import GateChecks
from trajmeter.summaries.gates import DEFAULT_MIN_TASKS, Gate, gated_figures
from trajmeter.summaries.options import Reading, check_interval_options, group_columns, read_success
from trajmeter.summaries.repeat_estimates import RepeatEstimate, check_ks, repeat_estimates
from trajmeter.summaries.table_estimates import Estimates, GroupEstimates, SummaryOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from trajmeter.readers.results import ResultsTable
    from trajmeter.records import ReadProblem, Task
    from trajmeter.summaries.figure_sums import FigureSums
    from trajmeter.summaries.options import SuccessCondition
    from trajmeter.summaries.result_sums import ResultSums
    from trajmeter.summaries.result_tables import Tables

__all__ = ["estimates_of", "summarize", "summary_reading"]


def summarize(
    tables: Tables,
    *,
    figures: str | Sequence[str] | None = None,
    by: Sequence[str] | str = ("agent", "model"),
    interval: IntervalChoice = "auto",
    level: float = 0.95,
    cluster: str = "task_id",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    success: str | None = None,
    ks: Sequence[int] | None = None,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    better: Mapping[str, str] | None = None,
    tasks: str | Path | Iterable[Task] | None = None,
    gates: Sequence[Gate] = (),
    min_tasks: int = DEFAULT_MIN_TASKS,
    duplicates: Literal["first", "last"] | None = None,
    mixed_settings: bool = False,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Estimates:
    """Summarize results tables: means with intervals, counts, bounds and repeats.

    Args:
        tables: Results tables: paths, rows, or anything that provides Arrow batches; a mapping
            gives each its name.
        figures: Names and patterns of figures; by default all with a direction.
        by: Columns of the groups, possibly including ``file``; none for all attempts together.
        interval: ``auto``, ``t``, ``bootstrap`` or ``wilson``.
        level: Confidence level of the intervals.
        cluster: Column whose equal values mark rows that are not independent, such as the
            repository.
        seed: Seed of the random draws.
        resamples: Number of bootstrap replicates to draw.
        success: Figure that defines a success, or ``"rules.tool_usage>=8"``.
        ks: Numbers of attempts to draw for pass@k; by default those that every task allows.
        ranges: Lowest and highest value of figures that declare no range.
        better: ``"higher"`` or ``"lower"``, for figures that declare no direction.
        tasks: Tasks that should have been attempted: if a group has no row for one, it counts as an
            attempt that could not be scored.
        gates: Thresholds to check.
        min_tasks: Clusters that a gate on an interval needs.
        duplicates: Which of several equal attempts to count; by default they are an error.
        mixed_settings: Whether a metric may have several versions or settings.
        on_problem: Called with every row that cannot be read and is skipped. Without it, the first
            one raises.

    Returns:
        Every group with its figures, and what the gates found.

    Raises:
        ConfigurationError: An option is wrong, an attempt occurs twice, or a metric has two
            settings.
        UnknownNameError: No table has a requested figure.
        ReadError: A table cannot be read.
        ExtraMissingError: pyarrow is not installed, or scipy if Student's t is needed.

    Example:
        >>> import trajmeter
        >>> rows = [
        ...     {"task_id": task, "attempt": str(number), "context.final.line.f1": value}
        ...     for task, values in {"t1": [0.2, 0.4], "t2": [0.9], "t3": [0.5, 0.7]}.items()
        ...     for number, value in enumerate(values)
        ... ]
        >>> (group,) = trajmeter.summarize(rows).groups
        >>> figure = group.figures[0]
        >>> figure.mean, round(figure.std_error, 5), figure.n_tasks
        (0.54, 0.14988, 3)
    """
    from trajmeter.summaries.result_tables import open_tables
    from trajmeter.summaries.table_sums import read_sums

    check_interval_options(IntervalOptions(interval, level, seed, resamples))
    check_ks(ks)
    options = SummaryOptions(
        figures=listed_figures(figures),
        by=group_columns(by),
        interval=interval,
        level=level,
        cluster=cluster,
        seed=seed,
        resamples=resamples,
        success=success,
        min_tasks=min_tasks,
    )
    reading = summary_reading(
        options,
        gates,
        ranges=ranges,
        better=better,
        duplicates=duplicates,
        mixed_settings=mixed_settings,
    )
    opened = open_tables(tables, on_problem=on_problem)
    results = read_sums(opened, reading)
    return estimates_of(results, options, reading, tables=opened, ks=ks, tasks=tasks, gates=gates)


def summary_reading(
    options: SummaryOptions,
    gates: Sequence[Gate] = (),
    *,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    better: Mapping[str, str] | None = None,
    duplicates: Literal["first", "last"] | None = None,
    mixed_settings: bool = False,
) -> Reading:
    """How tables are read for a summary; the arguments are those of :func:`summarize`.

    Raises:
        ConfigurationError: The definition of a success is wrong.
    """
    named = gated_figures(gates)
    return Reading(
        figures=None if options.figures is None else (*options.figures, *named),
        by=options.by,
        cluster=options.cluster,
        ranges=ranges or {},
        better=better or {},
        duplicates=duplicates,
        mixed_settings=mixed_settings,
        extra_figures=tuple(named),
        success=None if options.success is None else read_success(options.success),
        uses_t=options.interval not in ("bootstrap", "none"),
    )


def estimates_of(
    results: ResultSums,
    options: SummaryOptions,
    reading: Reading,
    *,
    tables: Sequence[ResultsTable],
    ks: Sequence[int] | None = None,
    tasks: str | Path | Iterable[Task] | None = None,
    gates: Sequence[Gate] = (),
) -> Estimates:
    """Compute a summary from sums.

    Args:
        results: The sums.
        options: How to compute it.
        reading: How the tables were read, and a baseline is.
        tables: The tables, which gates against a baseline read again.
        ks: As in :func:`summarize`.
        tasks: As in :func:`summarize`.
        gates: As in :func:`summarize`.

    Raises:
        ConfigurationError: As in :func:`summarize`.
    """
    from trajmeter.metrics.rows import package_version

    intervals = options.intervals
    condition, named = reading.success, gated_figures(gates)
    succeeding = None if condition is None else _success_figure(condition, results)
    shown = [*dict.fromkeys((*results.requested, *matching_figures(named, results.figures)))]
    missing = _not_made(results, tasks)
    groups = []
    for group in results.groups:
        not_made = missing.get(group, 0)
        estimates = [
            estimate(name, results.figures[name], results, group, intervals, not_made=not_made)
            for name in shown
            if _has_rows(results, name, group)
        ]
        repeats: tuple[RepeatEstimate, ...] = ()
        if succeeding is not None:
            repeats = repeat_estimates(succeeding, results, group, intervals, ks)
        groups.append(
            GroupEstimates(
                group=results.key(group),
                attempts=results.rows_of[group],
                figures=tuple(estimates),
                repeats=repeats,
            )
        )
    checker = GateChecks(gates, tables, groups, shown, reading, intervals, options.min_tasks)
    return Estimates(
        trajmeter_version=package_version(),
        options=options,
        groups=tuple(groups),
        gates=tuple(checker.checks(results)),
    )


def _success_figure(condition: SuccessCondition, results: ResultSums) -> FigureSums:
    """The figure that defines a success.

    Raises:
        UnknownNameError: No table has it.
        ConfigurationError: There are several, or it is not a boolean, though the condition needs
            one.
    """
    name, *others = matching_figures([condition.figure], results.figures)
    if others:
        raise ConfigurationError(
            f"--success {condition.figure} matches {len(others) + 1} figures; name one, such as "
            f"{name}"
        )
    figure = results.figures[name]
    if condition.needs_boolean and figure.info.kind != "boolean":
        raise ConfigurationError(
            f"--success {name} is not a boolean; say when it is a success, such as '{name}>=0.8'"
        )
    return figure


def _has_rows(results: ResultSums, name: str, group: int) -> bool:
    """Whether any table of a group has the figure."""
    from trajmeter.summaries.figure_sums import ROWS

    return bool(results.figures[name].counts.column(ROWS, results.units_of(group)).any())


def _not_made(results: ResultSums, tasks: str | Path | Iterable[Task] | None) -> dict[int, int]:
    """Number of tasks for which each group has no attempt."""
    if tasks is None:
        return {}
    from os import PathLike

    from trajmeter.metrics import TaskIndex
    from trajmeter.readers import read_tasks

    gold = [*read_tasks(tasks)] if isinstance(tasks, (str, PathLike)) else [*tasks]
    index, known = TaskIndex(gold), {task.id for task in gold}
    missing = {}
    for group in results.groups:
        found = set()
        for task in set(results.units.task[results.units_of(group)].tolist()):
            name = results.keys.tasks[task]
            own = index.find(name) if name is not None else None
            if own is not None:
                found.add(own.id)
        missing[group] = len(known - found)
    return missing
