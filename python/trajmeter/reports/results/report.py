"""Builds a report from results tables: once their sums are read, their attempts are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.figure_names import listed_figures, matching_figures, principal_figures
from trajmeter.reports.page.document import Document
from trajmeter.reports.results.attempts import attempt_table
from trajmeter.reports.results.comparisons import comparison_part
from trajmeter.reports.results.developments import (
    NUMBERS,
    development_part,
    spread_part,
    tradeoff_part,
)
from trajmeter.reports.results.developments import VALUES as STEP_VALUES
from trajmeter.reports.results.failures import VALUES as FAILURE_VALUES
from trajmeter.reports.results.failures import failure_part, outcome_columns
from trajmeter.reports.results.families import family_parts, repeats_part
from trajmeter.reports.results.findings import Findings, System, attempts_of, system_labels
from trajmeter.reports.results.headlines import headlines
from trajmeter.reports.results.provenance import provenance_part, text_columns
from trajmeter.reports.results.ranking import ranking_part
from trajmeter.summaries.attempt_keys import FILE
from trajmeter.summaries.attempt_rows import read_attempts
from trajmeter.summaries.comparing import ComparisonOptions, comparison_of
from trajmeter.summaries.estimates import IntervalOptions
from trajmeter.summaries.gates import DEFAULT_MIN_TASKS
from trajmeter.summaries.options import check_interval_options, group_columns
from trajmeter.summaries.repeat_estimates import check_ks
from trajmeter.summaries.result_tables import open_tables
from trajmeter.summaries.summarizing import estimates_of, summary_reading
from trajmeter.summaries.systems import system_name
from trajmeter.summaries.table_estimates import SummaryOptions
from trajmeter.summaries.table_sums import read_sums
from trajmeter.writers.provenance import Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.readers.results import ResultsTable
    from trajmeter.records import ReadProblem
    from trajmeter.reports.page.attempts import Detail
    from trajmeter.summaries.attempt_rows import AttemptRows
    from trajmeter.summaries.comparing import ComparedScores
    from trajmeter.summaries.gates import Gate
    from trajmeter.summaries.result_sums import ResultSums
    from trajmeter.summaries.result_tables import Tables
    from trajmeter.summaries.table_estimates import Estimates

__all__ = ["ReportOptions", "results_document"]

_OF_ONE, _OF_SEVERAL = ("agent", "model"), (FILE, "agent", "model")
"""Columns that define a system in one table, and in several."""
_COMPARED = 50
"""Maximum number of systems for which each is compared with the first."""
_NAMED = 4
"""Maximum number of systems named in the title."""
_IDENTITY = ("agent", "model", "attempt")
_ALL = ("task_id", *_IDENTITY)


class ReportOptions(NamedTuple):
    """Options shared by estimates and comparisons."""

    figures: Sequence[str] | None = None
    """Names and patterns of figures; all with a direction by default."""
    by: Sequence[str] | str | None = None
    """Columns that define a system; by default the table, or agent and model."""
    interval: Any = "auto"
    """Method of the intervals."""
    level: float = 0.95
    """Confidence level of the intervals."""
    cluster: str = "task_id"
    """Column of the clusters."""
    seed: int = 0
    """Seed of the random draws."""
    resamples: int = 9999
    """Number of replicates to draw."""
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None
    """Ranges of figures that do not declare one."""
    better: Mapping[str, str] | None = None
    """Directions of figures that do not declare one."""
    duplicates: Any = None
    """Which of several attempts with the same identity counts."""
    mixed_settings: bool = False
    """Whether a metric may have several versions or settings."""


def results_document(
    tables: Tables,
    options: ReportOptions | None = None,
    *,
    title: str | None = None,
    estimates: Estimates | None = None,
    compared: ComparedScores | None = None,
    success: str | None = None,
    ks: Sequence[int] | None = None,
    tasks: Any = None,  # noqa: ANN401 - as summarize takes them
    gates: Sequence[Gate] = (),
    min_tasks: int = DEFAULT_MIN_TASKS,
    turns: Callable[[Mapping[str, str | None]], Detail] | None = None,
    made: Provenance | None = None,
    has_files: bool = True,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Document:
    """Build the report of results tables.

    Args:
        tables: Results tables, the baseline first.
        options: What to report, and how.
        title: Heading of the page.
        estimates: Result of :func:`~trajmeter.summaries.summarizing.summarize`, if known.
        compared: Result of :func:`~trajmeter.summaries.comparing.compare_scores`, if known.
        success: Figure that defines success, for pass@k.
        ks: Numbers of attempts, k, for it.
        tasks: Tasks that should have been attempted.
        gates: Thresholds to check.
        min_tasks: Minimum number of clusters for a gate on an interval.
        turns: Returns the details of an attempt's turns, given its row's identity.
        made: Provenance of the report; by default that of this process.
        has_files: Whether the tables are files that readers can open, rather than temporary ones.
        on_problem: Called with every row or value that cannot be read and is skipped. Without it,
            the first one raises.

    Raises:
        ConfigurationError: See :func:`~trajmeter.summaries.summarizing.summarize`.
        ReadError: A table cannot be read.
    """
    chosen = options or ReportOptions()
    opened = open_tables(tables, on_problem=on_problem)
    check_interval_options(
        IntervalOptions(chosen.interval, chosen.level, chosen.seed, chosen.resamples)
    )
    check_ks(ks)
    by = _columns(chosen, estimates, compared)
    are_systems = by is None and len(opened) > 1
    asked = SummaryOptions(
        figures=listed_figures(chosen.figures),
        by=by if by is not None else (_OF_SEVERAL if are_systems else _OF_ONE),
        interval=chosen.interval,
        level=chosen.level,
        cluster=chosen.cluster,
        seed=chosen.seed,
        resamples=chosen.resamples,
        success=success if estimates is None else estimates.options.success,
        min_tasks=min_tasks,
    )
    reading = summary_reading(
        asked,
        gates,
        ranges=chosen.ranges,
        better=chosen.better,
        duplicates=chosen.duplicates,
        mixed_settings=chosen.mixed_settings,
    )
    if estimates is not None:  # its gates may have read further figures
        found = (each.figure for group in estimates.groups for each in group.figures)
        reading = replace(reading, extra_figures=tuple(dict.fromkeys(found)))
    results = read_sums(opened, reading)
    if are_systems:
        results = results.by_table() or results
        asked = asked.model_copy(update={"by": results.by})
    if estimates is None or estimates.options.by != asked.by:
        estimates = estimates_of(
            results, asked, reading, tables=opened, ks=ks, tasks=tasks, gates=gates
        )
    rows = _rows(opened, results, estimates, chosen)
    systems = _systems(estimates, results)
    if compared is None and _is_comparable(rows, systems):
        compared = _compared(results, systems, asked)
    if compared is not None:
        compared = _relabelled(compared, results, systems)
    findings = Findings(estimates, compared, rows, tuple(systems))
    parts = (
        ranking_part(findings),
        comparison_part(findings),
        *family_parts(findings),
        repeats_part(findings),
        tradeoff_part(findings),
        spread_part(findings),
        development_part(findings),
        failure_part(findings),
    )
    return Document(
        title=title or _title(systems),
        headlines=headlines(findings),
        parts=tuple(part for part in parts if part is not None),
        provenance=provenance_part(findings, made or Provenance.now(), has_files=has_files),
        attempts=attempt_table(findings, turns),
    )


def _columns(
    options: ReportOptions, estimates: Estimates | None, compared: ComparedScores | None
) -> tuple[str, ...] | None:
    """Columns that define a system, as far as known."""
    if compared is not None:
        return compared.options.by
    if estimates is not None:
        return estimates.options.by
    return None if options.by is None else group_columns(options.by)


def _compared(
    results: ResultSums, systems: Sequence[System], options: SummaryOptions
) -> ComparedScores:
    """The comparison of every system with the first, with the tasks that the report may list."""
    measured = dict.fromkeys(
        each.figure for s in systems for each in s.estimates.figures if each.mean is not None
    )
    figures = options.figures
    return comparison_of(
        results,
        ComparisonOptions(
            figures=figures,
            by=options.by,
            # Wilson's interval exists only for means.
            interval="auto" if options.interval == "wilson" else options.interval,
            level=options.level,
            cluster=options.cluster,
            seed=options.seed,
            resamples=options.resamples,
            missing="drop",
            margin=None,
            pairs="first",
        ),
        figures=None if figures is None else matching_figures(figures, results.figures),
        tasks_of=[*principal_figures(measured), *[*measured][:1]],
    )


def _rows(
    opened: Sequence[ResultsTable],
    results: ResultSums,
    estimates: Estimates,
    options: ReportOptions,
) -> AttemptRows:
    figures = tuple(
        dict.fromkeys(each.figure for group in estimates.groups for each in group.figures)
    )
    families = dict.fromkeys(name.partition(".")[0] for name in figures)
    return read_attempts(
        opened,
        results.columns,
        by=results.by,
        texts=[*_ALL, *outcome_columns(figures), *text_columns(families)],
        numbers=[*figures, *NUMBERS, *(f"{family}.version" for family in families)],
        values=[*STEP_VALUES, *FAILURE_VALUES],
        duplicates=options.duplicates,
        keeps_text=True,
    )


def _systems(estimates: Estimates, results: ResultSums) -> list[System]:
    """The systems in order of comparison."""
    order = {label: place for place, label in enumerate(results.tables)}
    groups = list(estimates.groups)
    if FILE in results.by:
        groups.sort(key=lambda group: order.get(group.group[FILE] or "", 0))
    labels = system_labels([group.group for group in groups], results.tables)
    return [
        System(number, label, group)
        for number, (label, group) in enumerate(zip(labels, groups, strict=True))
    ]


def _relabelled(
    compared: ComparedScores, results: ResultSums, systems: Sequence[System]
) -> ComparedScores:
    """The comparison with short names of systems."""
    labels = {
        system_name(system.estimates.group, results.by, results.tables): system.label
        for system in systems
    }
    pairs = (
        pair.model_copy(update={"a": labels[pair.a], "b": labels[pair.b]})
        for pair in compared.pairs
    )
    return compared.model_copy(update={"pairs": tuple(pairs)})


def _is_comparable(rows: AttemptRows, systems: Sequence[System]) -> bool:
    """Whether there are several systems, but not too many, each sharing a task with the first."""
    if not 1 < len(systems) <= _COMPARED:
        return False
    own = [set(rows.task[attempts_of(rows, system)].tolist()) for system in systems]
    return all(own[0] & tasks for tasks in own[1:])


def _title(systems: Sequence[System]) -> str:
    if not systems:
        raise ConfigurationError("the tables contain no attempts")
    if len(systems) == 1:
        return f"Scores of {systems[0].label}"
    if len(systems) > _NAMED:
        return f"Scores of {len(systems):,} systems"
    return f"Scores of {', '.join(system.label for system in systems)}"
