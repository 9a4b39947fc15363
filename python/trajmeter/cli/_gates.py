"""Gates of the commands that score and summarize: their rows, output and exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.cli._gate_options import STEP_SUMMARY, Inconclusive
from trajmeter.cli._process import ExitCode, print_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from trajmeter.cli._gate_options import GateOptions
    from trajmeter.metrics import RowLayout
    from trajmeter.summaries.gates import Gate, GateCheck
    from trajmeter.summaries.table_estimates import Estimates

__all__ = ["GatedRows", "report_found", "report_gates"]


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
        from trajmeter.metrics.figure_names import matching_figures
        from trajmeter.metrics.figures import figures_of_layout
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


def report_found(estimates: Estimates, options: GateOptions, *, printed: bool = False) -> ExitCode:
    """Print the results of gates, and return the exit code.

    Args:
        estimates: The results, and the figures they checked.
        options: The options of the gates.
        printed: Whether the results are already part of stdout.
    """
    from trajmeter.reports.estimates import gate_lines, summary_sections
    from trajmeter.reports.junit import junit_document
    from trajmeter.reports.sections import to_markdown
    from trajmeter.writers import write_text

    if not printed:
        for line in gate_lines(estimates.gates):
            print_message(line)
    inconclusive = options.inconclusive
    if options.junit is not None:
        treated = None if inconclusive is None else inconclusive.value
        document = junit_document(estimates.gates, inconclusive=treated)
        write_text(document, options.junit)
    if options.step_summary:
        with Path(os.environ[STEP_SUMMARY]).open("a", encoding="utf-8") as file:
            file.write(to_markdown(summary_sections(estimates)) + "\n")
    return _exit_code(estimates.gates, inconclusive)


def _exit_code(checks: Sequence[GateCheck], inconclusive: Inconclusive | None) -> ExitCode:
    """Exit code of gates: of a failed gate, or else of an inconclusive one."""
    outcomes = {check.outcome for check in checks}
    if "failed" in outcomes:
        return ExitCode.GATE_FAILED
    if "inconclusive" not in outcomes or inconclusive is Inconclusive.PASS:
        return ExitCode.OK
    return ExitCode.INCONCLUSIVE if inconclusive is None else ExitCode.GATE_FAILED
