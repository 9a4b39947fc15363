"""Reports of results: tables that ``score`` wrote, or frameworks' results of one scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trajmeter.arguments import as_iterable
from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.report_turns import report_turns
from trajmeter.writers import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.records import ReadProblem, Task, Trajectory
    from trajmeter.reports.page.document import Document
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.summaries.estimates import IntervalChoice
    from trajmeter.writers.provenance import Provenance

__all__ = ["Report", "check_report", "report"]

_SUFFIXES = (".md", ".html")


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """A report, and the formats in which it can be written.

    Its table of attempts is read while the page is created, so a page can be created only once.
    """

    document: Document
    """The report's model: headlines, parts, attempts, provenance."""

    def __repr__(self) -> str:
        """The title."""
        return f"<Report: {self.document.title}>"

    def _repr_markdown_(self) -> str:
        """Headlines and tables, as notebooks show them."""
        return self.markdown()

    def html(self) -> str:
        """One HTML document that opens offline, with charts and a table of attempts.

        Raises:
            ExtraMissingError: jinja2 is not installed.
        """
        from trajmeter.reports.page.rendering import html_document

        return html_document(self.document)

    def markdown(self) -> str:
        """Headlines and tables as Markdown, without charts and attempts."""
        from trajmeter.reports.page.outline import outline
        from trajmeter.reports.sections import to_markdown

        return to_markdown(outline(self.document))

    def write(self, path: str | Path) -> None:
        """Write the report in the format of the file's suffix: ``.html`` or ``.md``.

        Raises:
            ConfigurationError: The file cannot be written, or its suffix is unknown.
            ExtraMissingError: The format needs an extra that is not installed.
        """
        check_report(path)
        is_page = Path(path).suffix.lower() == ".html"
        write_text(self.html() if is_page else self.markdown(), Path(path))


def check_report(path: str | Path) -> None:
    """Check, before anything is read, that a report can be written to a file.

    Raises:
        ConfigurationError: The suffix is unknown, or the file cannot be written.
        ExtraMissingError: The format needs an extra that is not installed.
    """
    from trajmeter.writers import check_place

    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ConfigurationError(f"{path}: a report file must end in {' or '.join(_SUFFIXES)}")
    check_place(path)
    if suffix == ".html":
        from trajmeter.reports.page.rendering import require_jinja

        require_jinja()


def report(
    results: Any,  # noqa: ANN401 - a table or several, of any kind
    *,
    title: str | None = None,
    figures: str | Sequence[str] | None = None,
    by: Sequence[str] | str | None = None,
    success: str | None = None,
    ks: Sequence[int] | None = None,
    tasks: str | Path | Iterable[Task] | None = None,
    trajectories: str | Path | Iterable[str | Path] | Iterable[Trajectory] | None = None,
    snapshots: str | Path | SnapshotStore | None = None,
    repos: str | Path | None = None,
    interval: IntervalChoice = "auto",
    level: float = 0.95,
    cluster: str = "task_id",
    seed: int = 0,
    resamples: int = 9999,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    better: Mapping[str, str] | None = None,
    duplicates: Literal["first", "last"] | None = None,
    mixed_settings: bool = False,
    profile: str | None = None,
    made: Provenance | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Report:
    """Report on results: who is better, by how much, how certainly, on what, and why.

    Args:
        results: Results tables that ``trajmeter score`` wrote, the baseline first, or rows; a
            mapping gives each its name. Or frameworks' results of one scenario.
        title: Heading of the report.
        figures: Names and patterns of figures; by default all with a direction.
        by: Columns that identify a system; by default the table, or agent and model.
        success: Figure that defines a success, for pass@k.
        ks: Numbers of attempts to draw for it.
        tasks: Tasks that should have been attempted, with the gold to compare views with.
        trajectories: Logs or trajectories of the attempts; the report then shows their turns.
        snapshots: A file or folder of snapshots, or a store, for comparing views with gold in
            definitions and bytes too.
        repos: Git repositories to take them from instead.
        interval: ``auto``, ``t``, ``bootstrap`` or ``wilson``.
        level: Confidence level of the intervals.
        cluster: Column whose equal values mark rows that are not independent, such as the
            repository.
        seed: Seed of the random draws.
        resamples: Number of bootstrap replicates to draw.
        ranges: Lowest and highest value of figures that declare no range.
        better: ``"higher"`` or ``"lower"``, for figures that declare no direction.
        duplicates: Which of several equal attempts to count; by default they are an error.
        mixed_settings: Whether a metric may have several versions or settings.
        profile: ``framework-comparison`` for the original numbers of frameworks.
        made: How the report is made; by default the command line of this process.
        on_problem: Called with everything that cannot be read and is skipped. Without it, the first
            one raises.

    Returns:
        The report, to write as HTML or Markdown.

    Raises:
        ConfigurationError: An option is wrong, or there is nothing to report.
        UnknownNameError: No table has a requested figure.
        ReadError: A table cannot be read.
        ExtraMissingError: pyarrow is not installed, or scipy if Student's t is needed.

    Example:
        >>> import trajmeter
        >>> rows = [
        ...     {"task_id": f"t{task}", "agent": agent, "turns.run.passed": task < wins}
        ...     for agent, wins in {"wren": 9, "crane": 3}.items()
        ...     for task in range(12)
        ... ]
        >>> made = trajmeter.report(rows)
        >>> tone, text = made.document.headlines[0]
        >>> tone, text.partition(":")[0]
        ('good', 'wren is better than crane at turns.run.passed')
    """
    held = _held(results)
    if _are_frameworks(held):
        from trajmeter.frameworks.compare import compare

        _refuse(
            figures=figures,
            by=by,
            success=success,
            ks=ks,
            tasks=tasks,
            trajectories=trajectories,
            snapshots=snapshots,
            repos=repos,
        )
        compared = compare(held, profile=profile, on_problem=on_problem)
        return Report(compared.document(title=title, made=made))
    if profile is not None:
        raise ConfigurationError("a profile is for results of frameworks, not results tables")
    from trajmeter.metrics.figure_names import listed_figures
    from trajmeter.reports.results import ReportOptions, results_document

    options = ReportOptions(
        figures=listed_figures(figures),
        by=by,
        interval=interval,
        level=level,
        cluster=cluster,
        seed=seed,
        resamples=resamples,
        ranges=ranges,
        better=better,
        duplicates=duplicates,
        mixed_settings=mixed_settings,
    )
    known = [*_tasks(tasks, on_problem)]
    if (snapshots is not None or repos is not None) and (trajectories is None or not known):
        raise ConfigurationError(
            "snapshots and repos only compare views with gold: pass trajectories and tasks too"
        )
    turns = None
    if trajectories is not None:
        turns = report_turns(
            trajectories, known, snapshots=snapshots, repos=repos, on_problem=on_problem
        )
    document = results_document(
        held,
        options,
        title=title,
        success=success,
        ks=ks,
        tasks=known or None,
        turns=None if turns is None else turns.of,
        made=made,
        on_problem=on_problem,
    )
    return Report(document)


def _held(results: Any) -> Any:  # noqa: ANN401 - see report
    """Results that can be read several times."""
    if isinstance(results, (str, PathLike)):
        return [results]
    if hasattr(results, "rows"):  # the result of trajmeter.score
        return results
    if hasattr(results, "__arrow_c_stream__"):
        return _table(results)
    if isinstance(results, Mapping):
        return dict(zip(results, _held([*results.values()]), strict=True))
    listed = as_iterable(results, "a path, rows, or tables in a list or by name", name="results")
    return [_table(each) if hasattr(each, "__arrow_c_stream__") else each for each in listed]


def _table(source: Any) -> Any:  # noqa: ANN401 - of many libraries
    from trajmeter.schemas import require_pyarrow

    require_pyarrow("results tables")
    import pyarrow as pa

    return pa.table(source)


def _are_frameworks(held: Any) -> bool:  # noqa: ANN401 - see report
    """Whether results are those of frameworks.

    Raises:
        ConfigurationError: Some are, and some are not.
    """
    from trajmeter.frameworks.results import FrameworkEvaluation
    from trajmeter.readers.results import is_results_table

    if not isinstance(held, list):
        return False
    kinds: dict[bool, Any] = {}
    for each in held:
        is_path = isinstance(each, (str, PathLike))
        is_evaluation = isinstance(each, FrameworkEvaluation)
        kinds[is_evaluation or (is_path and not is_results_table(Path(each)))] = each
    if len(kinds) > 1:
        raise ConfigurationError(
            f"{kinds[False]} is a results table and {kinds[True]} is not; report files of one kind"
        )
    return True in kinds


def _refuse(**options: object) -> None:
    """Reject options that do not apply to results of frameworks."""
    refused = [name for name, value in options.items() if value is not None]
    if refused:
        raise ConfigurationError(
            f"{', '.join(refused)}: for results tables, not for results of frameworks"
        )


def _tasks(
    tasks: str | Path | Iterable[Task] | None, on_problem: Callable[[ReadProblem], None] | None
) -> Iterable[Task]:
    from trajmeter.readers import read_tasks

    if tasks is None:
        return ()
    return read_tasks(tasks, on_problem=on_problem) if isinstance(tasks, (str, PathLike)) else tasks
