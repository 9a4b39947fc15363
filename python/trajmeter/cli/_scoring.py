"""The two modes of ``trajmeter score``: everything in one pass, or in units."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.cli import _units as units
from trajmeter.cli._gates import GatedRows
from trajmeter.cli._inputs import Unreadable
from trajmeter.cli._libraries import prepare_libraries, preparing_libraries
from trajmeter.cli._process import PrintedTable, print_message
from trajmeter.cli._progress import tracked
from trajmeter.cli._streams import stdout_bytes
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.cli._outputs import ScoreOutputs
    from trajmeter.metrics import RowLayout
    from trajmeter.scoring.runs.job import Job, OpenedJob
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.summaries.gates import Gate
    from trajmeter.summaries.summary import Summary
    from trajmeter.writers import TableWriter

__all__ = ["Done", "Format", "Wanted", "score_at_once", "score_in_units"]


class Format(str, Enum):
    """What to print."""

    TABLE = "table"
    """The summary as tables for a terminal."""
    MARKDOWN = "markdown"
    """The same tables as Markdown."""
    MD = "md"
    """Short for markdown."""
    JSON = "json"
    """The summary as one JSON document."""
    JSONL = "jsonl"
    """The rows as JSON lines."""
    CSV = "csv"
    """The rows as CSV."""
    INSPECT = "inspect"
    """One figure of each row, for Inspect's scorer precomputed_scores."""


_ROWS = (Format.JSONL, Format.CSV, Format.INSPECT)
"""Formats that print rows."""


class Wanted(NamedTuple):
    """The requested outputs."""

    outputs: ScoreOutputs
    """Files that are written."""
    format: Format
    """What to print."""
    thresholds: Sequence[Gate]
    """Gates that check the rows."""
    min_tasks: int
    """Minimum number of clusters for a gate on an interval."""
    figure: str | None = None
    """The figure to print, for formats that print one."""

    def gated(self, layout: RowLayout) -> GatedRows | None:
        """A writer that keeps the rows for the gates."""
        return GatedRows(layout, self.thresholds) if self.thresholds else None

    def printed(self, layout: RowLayout) -> TableWriter | None:
        """A writer that prints the rows, if requested."""
        stdout = stdout_bytes()
        printed: TableWriter
        if self.format is Format.JSONL:
            from trajmeter.writers import JsonLinesWriter

            printed = JsonLinesWriter(stdout, layout)
        elif self.format is Format.CSV:
            from trajmeter.writers import CsvWriter

            printed = CsvWriter(stdout, layout)
        elif self.figure is not None:
            from trajmeter.hosts._inspect_lines import InspectLines

            printed = InspectLines(stdout, layout, layout.figure(self.figure))
        else:
            return None
        # The output file is completed even if stdout is closed early.
        return PrintedTable(printed) if self.outputs.tables else printed

    @contextmanager
    def open_tables(
        self, layout: RowLayout, gated: GatedRows | None, *, but: Path | None = None
    ) -> Iterator[list[TableWriter]]:
        """Open all writers of rows, except that of one file."""
        from trajmeter.writers import open_table

        with ExitStack() as stack:
            tables: list[TableWriter] = [gated] if gated is not None else []
            tables += [
                stack.enter_context(open_table(path, layout, self.outputs.about))
                for path in self.outputs.tables
                if path != but
            ]
            printed = self.printed(layout)
            if printed is not None:
                tables.append(printed)
                stack.callback(printed.finish)
            yield tables

    def write_page(self, job: Job, files: Sequence[Path]) -> None:
        """Write the report, if requested."""
        self.outputs.write_page(
            files,
            [path for path in job.tasks if isinstance(path, Path)],
            gates=self.thresholds,
            min_tasks=self.min_tasks,
            snapshots=job.snapshots if isinstance(job.snapshots, Path) else None,
            repos=job.repos,
            **job.reading.recognition(),
        )


class Done(NamedTuple):
    """The results of scoring."""

    summary: Summary
    """Averages over the rows."""
    gated: GatedRows | None
    """The rows for the gates, if there are gates and the rows are complete."""
    store: SnapshotStore | None
    """The snapshots that were used."""
    problems: int
    """Files and records that could not be read."""
    has_failed: bool = False
    """Whether units are missing because their workers died."""
    is_complete: bool = True
    """Whether the rows are those of all units, not only of a shard."""


def score_at_once(job: Job, files: Sequence[Path], wanted: Wanted) -> Done:
    """Score everything in one pass."""
    unreadable = Unreadable()
    report = unreadable.report
    reading = job.reading
    with ExitStack() as stack:
        with preparing_libraries():
            from trajmeter.metrics import create
            from trajmeter.metrics.columns_read import columns_to_fill, presence_read
            from trajmeter.readers.batches import TrajectoryBatches
            from trajmeter.readers.column_types import check_column_types

            store = job.open_store(report)
            profiles, judge = reading.profiles, job.judge
            metrics = create(job.metrics, snapshots=store, profiles=profiles, judge=judge)
            # Before attempts are read, because standard input is copied only once.
            mapped = [*job.read_mapped_tasks(report)]
            attempts = TrajectoryBatches(
                files,
                columns=columns_to_fill(metrics),
                presence=presence_read(metrics),
                on_problem=report,
                **reading._asdict(),
            )
            stack.callback(attempts.close)
            attempts.start()  # on a thread, while other imports run and tasks are read
        check_column_types(files, **reading.recognition())
        from trajmeter.scoring.stream import StreamScorer

        tasks = chain(job.read_tasks(report), mapped)
        scorer = StreamScorer(metrics, tasks=tasks, quantiles=job.quantiles)
        gated = wanted.gated(scorer.layout)
        with (
            tracked(attempts, files) as batches,
            wanted.open_tables(scorer.layout, gated) as tables,
        ):
            for each in scorer.score(batches):
                for table in tables:
                    table.write_batch(each.scored)
            wanted.outputs.report_others()
        wanted.write_page(job, files)
    unreadable.report_total()
    # Unreadable lines have already been reported in full.
    if attempts.note is not None and unreadable.count < attempts.lines_as_records / 2:
        print_message(f"trajmeter: {attempts.note}")
    return Done(scorer.summary(), gated, store, unreadable.count)


def score_in_units(
    job: Job, files: Sequence[Path], wanted: Wanted, options: units.UnitOptions
) -> Done:
    """Score in units."""
    is_printed = wanted.format in _ROWS
    is_shown = wanted.thresholds or is_printed or wanted.outputs.page is not None
    if options.shard is not None and is_shown:
        raise ConfigurationError(
            "a shard has neither gates nor a report nor rows to print; merge the shards first"
        )
    prepare_libraries()
    unreadable = Unreadable()
    opened: list[OpenedJob] = []
    gated: list[GatedRows] = []
    rows = wanted.outputs.rows

    def begin(work: OpenedJob) -> None:
        opened.append(work)
        unreadable.begin_inputs()

    @contextmanager
    def open_tables() -> Iterator[list[TableWriter]]:
        layout = opened[0].layout
        keeper = wanted.gated(layout)
        gated.extend([keeper] if keeper is not None else [])
        with wanted.open_tables(layout, keeper, but=rows) as tables:
            yield tables

    done = units.run_units(
        job,
        files,
        rows,
        options,
        on_problem=unreadable.report,
        on_opened=begin,
        about=wanted.outputs.about,
        tables=open_tables if is_shown else None,
    )
    if done.is_complete:
        wanted.write_page(job, files)
    unreadable.report_total(done.problems)
    return Done(
        done.summary,
        gated[0] if gated and done.is_complete else None,
        opened[0].store,
        max(done.problems, unreadable.count),
        has_failed=bool(done.failed),
        is_complete=done.is_complete,
    )
