"""Gates of the commands that score and summarize: options, output and exit code."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from trajmeter.cli._process import ExitCode, print_message
from trajmeter.cli._tables import margins, named, number
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.summaries.gates import Gate, GateCheck, GateKind
    from trajmeter.summaries.table_estimates import Estimates

__all__ = [
    "FailOver",
    "FailOverUpper",
    "FailUnder",
    "FailUnderLower",
    "GateOptions",
    "GatedRows",
    "Inconclusive",
    "JUnitFile",
    "Margin",
    "MaxNotScored",
    "MinTasks",
    "NoRegression",
    "StepSummary",
    "exit_code",
    "report_found",
    "report_gates",
]

GATE_PANEL = "Gates"
_STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


class Inconclusive(str, Enum):
    """How to treat a gate without enough evidence."""

    PASS = "pass"  # noqa: S105 - not a password
    """It passes."""
    FAIL = "fail"
    """It fails."""


def _threshold(option: str, text: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        option, metavar="FIGURE=X", show_default=False, rich_help_panel=GATE_PANEL, help=text
    )
    return found


FailUnder = Annotated[
    list[str] | None, _threshold("--fail-under", "Fail if the mean is below X. May be repeated.")
]
FailOver = Annotated[
    list[str] | None, _threshold("--fail-over", "Fail if the mean is above X. May be repeated.")
]
FailUnderLower = Annotated[
    list[str] | None,
    _threshold("--fail-under-lower", "Pass only if the whole interval is at least X."),
]
FailOverUpper = Annotated[
    list[str] | None,
    _threshold("--fail-over-upper", "Pass only if the whole interval is at most X."),
]
MaxNotScored = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        show_default=False,
        rich_help_panel=GATE_PANEL,
        help="Pass only if at most this share could not be scored: 5% or 0.05.",
    ),
]
NoRegression = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        metavar="BASELINE",
        show_default=False,
        rich_help_panel=GATE_PANEL,
        help="Fail if worse than this results table by more than --margin.",
    ),
]
Margin = Annotated[
    list[str] | None,
    typer.Option(
        "--margin",
        metavar="M|FIGURE=M",
        show_default=False,
        rich_help_panel=GATE_PANEL,
        help="Largest difference that does not matter, in the figure's unit. May be repeated by "
        "figure.",
    ),
]
MinTasks = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=GATE_PANEL,
        help="Minimum number of tasks for gates on intervals.",
    ),
]
InconclusiveOption = Annotated[
    Inconclusive | None,
    typer.Option(
        "--inconclusive",
        show_default=False,
        rich_help_panel=GATE_PANEL,
        help="Let gates without enough evidence pass or fail, instead of exit code 5.",
    ),
]
JUnitFile = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="FILE",
        show_default=False,
        rich_help_panel=GATE_PANEL,
        help="Write the gates as JUnit XML.",
    ),
]
StepSummary = Annotated[
    bool,
    typer.Option(
        "--step-summary",
        rich_help_panel=GATE_PANEL,
        help="Append gates and summary to the file named by GITHUB_STEP_SUMMARY.",
    ),
]


class GateOptions(NamedTuple):
    """The options of gates, unparsed."""

    fail_under: Sequence[str] | None = None
    fail_over: Sequence[str] | None = None
    fail_under_lower: Sequence[str] | None = None
    fail_over_upper: Sequence[str] | None = None
    max_not_scored: str | None = None
    no_regression: Path | None = None
    margin: Sequence[str] | None = None
    inconclusive: Inconclusive | None = None
    junit: Path | None = None
    step_summary: bool = False

    def gates(self) -> list[Gate]:
        """The requested gates.

        Raises:
            ConfigurationError: An option is wrong, or requires another.
        """
        if self == GateOptions():  # no option was given, so nothing is imported
            return []
        from trajmeter.summaries.gates import Gate
        from trajmeter.writers import check_place

        if self.junit is not None:
            check_place(self.junit)
        if self.step_summary and not os.environ.get(_STEP_SUMMARY):
            raise ConfigurationError(f"--step-summary: {_STEP_SUMMARY} names no file")
        thresholds: dict[GateKind, Sequence[str] | None] = {
            "fail_under": self.fail_under,
            "fail_over": self.fail_over,
            "fail_under_lower": self.fail_under_lower,
            "fail_over_upper": self.fail_over_upper,
        }
        gates = [
            Gate(kind=kind, figure=figure, threshold=number(text, f"--{kind.replace('_', '-')}"))
            for kind, values in thresholds.items()
            for figure, text in named(values, f"--{kind.replace('_', '-')}").items()
        ]
        if self.max_not_scored is not None:
            share = number(self.max_not_scored, "--max-not-scored")
            gates.append(Gate(kind="max_not_scored", threshold=share))
        gates += self._regressions()
        if not gates and (self.junit is not None or self.inconclusive is not None):
            raise ConfigurationError("--junit and --inconclusive are for gates, but none was given")
        return gates

    def _regressions(self) -> list[Gate]:
        from trajmeter.summaries.gates import Gate

        margin = margins(self.margin)
        if (margin is None) != (self.no_regression is None):
            missing = "--margin M" if margin is None else "--no-regression BASELINE"
            given = "--no-regression" if margin is None else "--margin"
            raise ConfigurationError(f"{given} needs {missing}")
        if margin is None or self.no_regression is None:
            return []
        by_figure = margin if isinstance(margin, dict) else {None: margin}
        return [
            Gate(kind="no_regression", figure=figure, threshold=each, baseline=self.no_regression)
            for figure, each in by_figure.items()
        ]


class GatedRows:
    """Keeps the columns that gates check, until all attempts are scored.

    Args:
        layout: Columns of the rows.
        gates: The gates.

    Raises:
        UnknownNameError: No metric has a figure; the nearest is named.
        ConfigurationError: A gate is on the wrong side of a figure.
    """

    def __init__(self, layout: RowLayout, gates: Sequence[Gate]) -> None:
        from trajmeter.metrics.figures import figures_of_layout, matching_figures
        from trajmeter.summaries.gates import check_directions

        self._layout = layout
        self._gates = gates
        self._names = [
            column.name
            for column in layout.columns
            if column.name in ("task_id", "agent", "model", "attempt", "source")
            or column.role in ("outcome", "cause")
            or (column.role == "figure" and column.shape.kind in ("boolean", "integer", "number"))
        ]
        self._batches: list[pa.RecordBatch] = []
        known = figures_of_layout(layout)
        for each in gates:
            figures = matching_figures([each.figure] if each.figure is not None else [], known)
            check_directions(each, {name: known[name].higher_is_better for name in figures})

    def write(self, values: Sequence[Any]) -> None:
        """Keep one row."""
        from trajmeter.writers.arrow import arrow_schema, rows_batch

        self.write_batch(rows_batch(self._layout, [values], arrow_schema(self._layout)))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Keep some rows."""
        self._batches.append(batch.select(self._names))

    def finish(self) -> None:
        """Do nothing, as nothing is buffered."""

    def abandon(self) -> None:
        """Do nothing, as nothing is buffered."""

    def found(self, min_tasks: int) -> Estimates:
        """The results of the gates on the rows, and the figures they check."""
        import pyarrow as pa

        from trajmeter.summaries.gates import gated_figures, need_intervals
        from trajmeter.summaries.summarizing import summarize
        from trajmeter.writers.arrow import arrow_schema

        schema = arrow_schema(self._layout)
        kept = pa.schema([schema.field(name) for name in self._names])
        kept = kept.with_metadata(dict(schema.metadata or {}))
        rows = pa.Table.from_batches([each.cast(kept) for each in self._batches], kept)
        named = gated_figures(self._gates)
        return summarize(
            rows,
            figures=named or None,
            interval="auto" if need_intervals(self._gates) else "none",
            gates=self._gates,
            min_tasks=min_tasks,
        )


def report_gates(rows: GatedRows | None, options: GateOptions, min_tasks: int) -> ExitCode:
    """Check the gates of scored attempts, print the results, and return the exit code.

    Args:
        rows: The attempts; ``None`` if there are no gates.
        options: The options of the gates.
        min_tasks: Minimum number of clusters for a gate on an interval.
    """
    return ExitCode.OK if rows is None else report_found(rows.found(min_tasks), options)


def report_found(found: Estimates, options: GateOptions, *, printed: bool = False) -> ExitCode:
    """Print the results of gates, and return the exit code.

    Args:
        found: The results, and the figures they checked.
        options: The options of the gates.
        printed: Whether the results are already part of stdout.
    """
    from trajmeter.reports.estimates import gate_lines, summary_sections
    from trajmeter.reports.junit import junit_document
    from trajmeter.reports.sections import to_markdown
    from trajmeter.writers import write_text

    if not printed:
        for line in gate_lines(found.gates):
            print_message(line)
    let = options.inconclusive
    if options.junit is not None:
        document = junit_document(found.gates, inconclusive=None if let is None else let.value)
        write_text(document, options.junit)
    if options.step_summary:
        with Path(os.environ[_STEP_SUMMARY]).open("a", encoding="utf-8") as file:
            file.write(to_markdown(summary_sections(found)) + "\n")
    return exit_code(found.gates, let)


def exit_code(checks: Sequence[GateCheck], inconclusive: Inconclusive | None) -> ExitCode:
    """Exit code of gates: of a failed gate, or else of an inconclusive one."""
    outcomes = {check.outcome for check in checks}
    if "failed" in outcomes:
        return ExitCode.GATE_FAILED
    if "inconclusive" not in outcomes or inconclusive is Inconclusive.PASS:
        return ExitCode.OK
    return ExitCode.INCONCLUSIVE if inconclusive is None else ExitCode.GATE_FAILED
