"""The two ways in which ``trajmeter score`` scores: everything in one pass, or in units."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.cli import _gates as gate
from trajmeter.cli import _units as units
from trajmeter.cli._process import PrintedTable, Unreadable, print_message
from trajmeter.cli._progress import tracked
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.scoring.job import Job, OpenedJob
    from trajmeter.scoring.stream import StreamScorer
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.summaries.gates import Gate
    from trajmeter.summaries.summary import Summary
    from trajmeter.writers import TableWriter

__all__ = ["Done", "Format", "Wanted", "score_at_once", "score_in_units"]


class Format(str, Enum):
    """What is printed."""

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


class Wanted(NamedTuple):
    """What becomes of the rows."""

    output: Path | None
    """Where they are written."""
    format: Format
    """What is printed."""
    thresholds: Sequence[Gate]
    """Gates that check them."""

    def gated(self, layout: RowLayout) -> gate.GatedRows | None:
        """What keeps the rows for the gates."""
        return gate.GatedRows(layout, self.thresholds) if self.thresholds else None

    def printed(self, layout: RowLayout) -> TableWriter | None:
        """What prints the rows, if they are what is printed."""
        from trajmeter.writers import CsvWriter, JsonLinesWriter

        printers: dict[Format, type[CsvWriter | JsonLinesWriter]] = {
            Format.JSONL: JsonLinesWriter,
            Format.CSV: CsvWriter,
        }
        if self.format not in printers:
            return None
        printed: TableWriter = printers[self.format](sys.stdout.buffer, layout)
        # The output file is completed even if stdout is closed early.
        return PrintedTable(printed) if self.output is not None else printed


class Done(NamedTuple):
    """What was scored."""

    summary: Summary
    """Averages over the rows."""
    gated: gate.GatedRows | None
    """The rows for the gates, if there are any and all rows are there."""
    store: SnapshotStore | None
    """The snapshots that were looked into."""
    problems: int
    """Files and records that could not be read."""
    has_failed: bool = False
    """Whether units are missing, because their workers died."""


def score_at_once(job: Job, files: Sequence[Path], wanted: Wanted) -> Done:
    """Score everything in one pass."""
    from trajmeter.metrics import create
    from trajmeter.readers import read_tasks
    from trajmeter.readers.batches import TrajectoryBatches
    from trajmeter.scoring.columns import columns_read
    from trajmeter.scoring.stream import StreamScorer

    unreadable = Unreadable()
    report = unreadable.report
    reading = job.reading
    store = job.open_store(report)
    made = create(job.metrics, snapshots=store, profiles=reading.profiles, judge=job.judge)
    attempts = TrajectoryBatches(
        files,
        columns=columns_read(made),
        input_format=reading.input_format,
        mapping=reading.mapping,
        profiles=reading.profiles,
        on_problem=report,
    )
    with closing(attempts):
        attempts.start()  # on a thread, while the tasks are read
        tasks = [path for path in job.tasks if isinstance(path, Path)]
        scorer = StreamScorer(made, tasks=read_tasks(tasks, on_problem=report))
        gated = wanted.gated(scorer.layout)
        with tracked(attempts, files) as batches:
            _write_rows(scorer, batches, wanted, gated)
    unreadable.report_total()
    # Of lines that could not be read at all, everything has been said.
    if attempts.note is not None and unreadable.count < attempts.lines_as_records / 2:
        print_message(f"trajmeter: {attempts.note}")
    return Done(scorer.summary(), gated, store, unreadable.count)


def score_in_units(
    job: Job, files: Sequence[Path], wanted: Wanted, options: units.UnitOptions
) -> Done:
    """Score in units."""
    is_printed = wanted.format in (Format.JSONL, Format.CSV)
    if options.shard is not None and (wanted.thresholds or is_printed):
        raise ConfigurationError(
            "a shard has neither gates nor rows to print; merge the shards first"
        )
    unreadable = Unreadable()
    opened: list[OpenedJob] = []
    tables: list[TableWriter] = []
    gated: list[gate.GatedRows] = []

    def make_tables(layout: RowLayout) -> list[TableWriter]:
        keeper, printed = wanted.gated(layout), wanted.printed(layout)
        gated.extend([keeper] if keeper is not None else [])
        tables.extend([printed] if printed is not None else [])
        return [*gated, *tables]

    done = units.score_units(
        job,
        files,
        wanted.output,
        options,
        on_problem=unreadable.report,
        on_opened=opened.append,
        tables=make_tables,
    )
    for table in tables:
        table.finish()
    unreadable.report_total()
    earlier = done.problems - unreadable.count
    if earlier > 0:
        print_message(f"trajmeter: unreadable: {earlier:,} more that the earlier run reported")
    return Done(
        done.summary,
        gated[0] if gated and done.is_complete else None,
        opened[0].store,
        max(done.problems, unreadable.count),
        has_failed=bool(done.failed),
    )


def _write_rows(
    scorer: StreamScorer,
    batches: Iterable[pa.RecordBatch],
    wanted: Wanted,
    gated: gate.GatedRows | None,
) -> None:
    """Score everything, writing each row to the file, to stdout, or to both; and to the gates."""
    from trajmeter.writers import open_table

    with ExitStack() as stack:
        tables: list[TableWriter] = [gated] if gated is not None else []
        if wanted.output is not None:
            tables.append(stack.enter_context(open_table(wanted.output, scorer.layout)))
        printed = wanted.printed(scorer.layout)
        if printed is not None:
            tables.append(printed)
            stack.callback(printed.finish)
        for each in scorer.score(batches):
            for table in tables:
                table.write_batch(each.scored)
