"""Runs: inputs of any size to a folder of parts or to one file, resumable at any time."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trajmeter.errors import ConfigurationError
from trajmeter.metrics import TrialMetric
from trajmeter.readers.pieces import FolderTally, check_patterns
from trajmeter.remote import is_remote
from trajmeter.scoring.engines.local import score_here
from trajmeter.scoring.engines.workers import choose_workers
from trajmeter.scoring.parts import RunFolder, old_folders
from trajmeter.scoring.plan import PlanSizes, found_files, make_plan, shard_of
from trajmeter.scoring.publishing import manifest_of, read_rows
from trajmeter.scoring.run_key import cuts_alike, differences, key_of, settings_of
from trajmeter.scoring.stream import StreamScorer
from trajmeter.writers import check_is_apart, check_output, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from trajmeter.metrics import RowLayout
    from trajmeter.records import ReadProblem
    from trajmeter.scoring.job import Job, OpenedJob
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.summaries.summary import Summary
    from trajmeter.writers import TableWriter

__all__ = ["Progress", "RunListener", "RunOptions", "RunResult", "is_folder", "run"]

_WHOLE = (1, 1)
_FILES = frozenset({".csv", ".jsonl", ".parquet"})
_MANY = 10


@dataclass(frozen=True)
class RunOptions:
    """How a run is carried out; its results do not depend on it."""

    workers: int | Literal["auto"] = 1
    """Processes that score."""
    shard: tuple[int, int] | None = None
    """Which part of the units to score, counted from 1, and of how many."""
    resume: bool = True
    """Whether to take up what an earlier run of the same key has done."""
    overwrite: bool = False
    """Whether to replace the results of another run."""
    sizes: PlanSizes = field(default_factory=PlanSizes)
    """How large units are; other sizes make other plans."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    units: int
    """Units that are done."""
    of_units: int
    """Units of the run, or of its shard."""
    rows: int
    """Rows that were scored."""
    size: int
    """Bytes of the units that are done."""
    of_size: int
    """Bytes of all."""


@dataclass(frozen=True)
class RunListener:
    """Receives what happens."""

    on_problem: Callable[[ReadProblem], None] | None = None
    """Called with every file and record that cannot be read, as it is found."""
    on_message: Callable[[str], None] = lambda _: None
    """Called with what is worth saying."""
    on_progress: Callable[[Progress], None] = lambda _: None
    """Called when a unit is done."""
    on_opened: Callable[[OpenedJob], None] = lambda _: None
    """Called with the metrics, tasks and snapshots, before anything is scored."""
    about: Callable[[], Mapping[str, str]] | None = None
    """Gives what the metadata of a single output in Parquet say beside."""
    tables: Callable[[RowLayout], AbstractContextManager[Sequence[TableWriter]]] | None = None
    """Opens further writers of the rows, which get them in order once all are there."""


@dataclass(frozen=True)
class RunResult:
    """What a run gave."""

    output: Path | None
    """The file, or the folder of parts; ``None`` if no rows were kept."""
    rows: int
    """Rows of the run, or of its shard."""
    parts: tuple[Path, ...]
    """Files of the parts, in the order of the rows; none where one file was asked for."""
    resumed: int
    """Units that an earlier run had done."""
    problems: int
    """Files and records that could not be read, those of the earlier run included."""
    failed: tuple[str, ...]
    """Units that could not be scored because their workers died, with the reason."""
    is_complete: bool
    """Whether every unit of the plan is done."""
    summary: Summary
    """Averages over the rows."""


def is_folder(output: Path) -> bool:
    """Whether an output is a folder of parts rather than one file.

    The suffix of a file has letters only; that of a folder such as ``run.2026`` has not.
    """
    is_file = output.suffix.lower() in _FILES or output.suffix[1:].isalpha()
    return is_remote(output) or output.is_dir() or not is_file


def run(
    job: Job,
    inputs: Sequence[Path],
    *,
    output: Path | None,
    options: RunOptions | None = None,
    listener: RunListener | None = None,
) -> RunResult:
    """Score inputs unit by unit.

    Args:
        job: Metrics, and what they score against.
        inputs: Files, folders and patterns.
        output: A folder of parts, or a file; ``None`` to keep no rows.
        options: How to carry it out.
        listener: Receives what happens.

    Raises:
        ConfigurationError: Options contradict each other, the output belongs to another run or
            cannot be written, or an input changed while it was read.
        ReadError: Without ``on_problem``: something cannot be read.
    """
    return _Run(job, inputs, output, options or RunOptions(), listener or RunListener()).result()


class _Run:
    def __init__(
        self,
        job: Job,
        inputs: Sequence[Path],
        output: Path | None,
        options: RunOptions,
        listener: RunListener,
    ) -> None:
        self._job, self._inputs, self._output = job, inputs, output
        self._options, self._listener = options, listener
        self._shard = options.shard or _WHOLE
        self._is_folder = output is not None and is_folder(output)
        self._check()

    def _check(self) -> None:
        check_patterns(self._inputs)
        number, count = self._shard
        if not 1 <= number <= count:
            raise ConfigurationError(
                f"shard {number}/{count}: expected a number from 1 to the number of shards"
            )
        if self._options.workers != "auto" and self._options.workers < 1:
            raise ConfigurationError(f"workers is {self._options.workers}, expected at least 1")
        output = self._output
        if self._options.shard is not None and (output is None or not is_folder(output)):
            raise ConfigurationError("a shard needs a folder as its output")
        if output is None:
            return
        check_is_apart(output, self._inputs)
        if not is_folder(output):
            check_output(output)
            return
        if is_remote(output) and output.suffix.lower() in _FILES:
            raise ConfigurationError(
                f"{output}: results are written to another machine as a folder of parts; give the "
                "name of a folder"
            )
        RunFolder(output, "").check_is_no_other()

    def result(self) -> RunResult:
        """Carry out the run."""
        opened = self._job.open(self._listener.on_problem)
        self._listener.on_opened(opened)
        with ExitStack() as stack:
            plan, settings, folder = self._prepare(opened, stack)
            units = tuple(shard_of(plan.units, self._shard))
            done = [unit for unit in units if folder.is_done(unit, plan)]
            if done:
                self._listener.on_message(
                    f"resuming: {len(done):,} of {len(units):,} units are done"
                )
            failed = self._score(opened, plan, folder, units, done)
            left = {number for number, _ in failed}
            scored = tuple(unit for unit in units if unit.number not in left)
            totals = _totals(opened, folder, scored)
            if len(units) == len(plan.units):
                totals.end(plan, self._listener.on_problem)
            is_complete = not failed and (
                len(units) == len(plan.units)
                or all(folder.is_done(unit, plan) for unit in plan.units)
            )
            if is_complete:
                self._publish(opened, plan, settings, folder, totals)
            keeps = self._output is not None and is_folder(self._output)
            return RunResult(
                output=self._output,
                rows=totals.rows,
                parts=tuple(folder.part(unit.number) for unit in scored) if keeps else (),
                resumed=len(done),
                problems=totals.problems,
                failed=tuple(text for _, text in failed),
                is_complete=is_complete,
                summary=totals.summary,
            )

    def _prepare(
        self, opened: OpenedJob, stack: ExitStack
    ) -> tuple[Plan, dict[str, Any], RunFolder]:
        """Plan the run, and take its folder."""
        output = self._output
        known = None
        if output is not None and is_folder(output):
            earlier = RunFolder(output, "").read_plan()
            if earlier is not None and cuts_alike(
                earlier["settings"], self._job, self._options.sizes
            ):
                known = found_files(earlier["plan"])
        plan = make_plan(
            self._inputs,
            self._job.reading,
            identifies=output is not None,
            is_whole=any(isinstance(metric, TrialMetric) for metric in opened.metrics),
            known=known,
            sizes=self._options.sizes,
        )
        if self._is_folder and output is not None:
            plan.check_is_no_output(output)
        settings = settings_of(self._job, opened.layout, plan)
        key = key_of(settings)
        if output is None:
            import tempfile

            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="trajmeter-"))
            folder = RunFolder(Path(place), key, keeps_rows=self._listener.tables is not None)
        elif is_folder(output):
            folder = RunFolder(output, key)
        else:
            target = output.resolve()
            folder = RunFolder(target.with_name(f".{target.name}.{key}.work"), key)
            for message in old_folders(target, but=folder.folder):
                self._listener.on_message(message)
        folder.make()
        stack.enter_context(folder.locked(self._shard))
        self._take(folder, plan, settings)
        if plan.unidentified is not None and output is not None:
            self._listener.on_message(
                f"{plan.unidentified} cannot be read again: this run cannot be resumed"
            )
        return plan, settings, folder

    def _take(self, folder: RunFolder, plan: Plan, settings: dict[str, Any]) -> None:
        """Make a folder that of this run, or see that it is.

        Raises:
            ConfigurationError: It is that of another run.
        """
        earlier = folder.read_plan()
        if earlier is not None and earlier["run_key"] != folder.key:
            if not self._options.overwrite:
                differs = [*differences(earlier["settings"], settings)]
                shown = "; ".join(differs[:_MANY]) + (" …" if len(differs) > _MANY else "")
                raise ConfigurationError(
                    f"{folder.folder} holds the results of another run ({shown}); choose another "
                    "output, or replace them with --overwrite"
                )
            folder.clear()
        elif earlier is not None and not self._options.resume:
            is_alone = self._shard == _WHOLE
            folder.clear(None if is_alone else shard_of(plan.units, self._shard))
        elif earlier is None and not self._is_folder:
            folder.clear()  # what is left of a work folder that was being removed
        about = self._job.about([notes.folder for notes in plan.folders])
        folder.write_plan(plan, settings, about)

    def _score(
        self,
        opened: OpenedJob,
        plan: Plan,
        folder: RunFolder,
        units: tuple[Unit, ...],
        done: list[Unit],
    ) -> list[tuple[int, str]]:
        """Score the units that are not done; gives those whose workers died."""
        finished = {unit.number for unit in done}
        todo = [unit for unit in units if unit.number not in finished]
        by_number = {unit.number: unit for unit in units}
        of_size = sum(unit.size for unit in units)
        size = sum(unit.size for unit in done)
        if not todo:
            return []
        folder.manifest.unlink(missing_ok=True)  # the results are not complete any more
        pool = None
        workers = choose_workers(self._options.workers, plan, self._job)
        report = self._listener.on_problem
        if workers > 1:
            from trajmeter.scoring.engines.processes import ProcessPool

            pool = ProcessPool(self._job, plan, folder, workers, report)
            receipts = pool.score(todo)
        else:
            receipts = score_here(todo, opened, plan, folder, report)
        rows = 0
        for receipt in receipts:
            rows += receipt.rows
            finished.add(receipt.number)
            size += by_number[receipt.number].size
            self._listener.on_progress(Progress(len(finished), len(units), rows, size, of_size))
        return [] if pool is None else pool.failed

    def _publish(
        self,
        opened: OpenedJob,
        plan: Plan,
        settings: dict[str, Any],
        folder: RunFolder,
        totals: _Totals,
    ) -> None:
        """Write what says that the results are complete, or the one file that they become."""
        layout = opened.layout
        if self._shard != _WHOLE:
            totals = _totals(opened, folder, plan.units)
        output = self._output
        with ExitStack() as stack:
            tables: list[TableWriter] = []
            if self._listener.tables is not None:
                tables += stack.enter_context(self._listener.tables(layout))
            if output is not None and not is_folder(output):
                opening = open_table(output, layout, self._listener.about)
                tables.append(stack.enter_context(opening))
            if tables:
                for batch in read_rows(folder, plan.units, layout):
                    for table in tables:
                        table.write_batch(batch)
        if output is None:
            return
        if is_folder(output):
            folder.write_summary(totals.summary)
            folder.write_manifest(manifest_of(folder, plan, settings, layout))
            folder.remove_abandoned()
        else:
            shutil.rmtree(folder.folder)


@dataclass
class _Totals:
    """What units add up to."""

    rows: int
    problems: int
    folders: list[tuple[int, FolderTally]]
    summary: Summary

    def end(self, plan: Plan, on_problem: Callable[[ReadProblem], None] | None) -> None:
        """Say what is known of whole folders only now: what was left out of them."""
        for number, tally in self.folders:
            plan.folders[number].merge(tally)
        for notes in plan.folders:
            for problem in notes.end():
                self.problems += 1
                if on_problem is not None:
                    on_problem(problem)


def _totals(opened: OpenedJob, folder: RunFolder, units: tuple[Unit, ...]) -> _Totals:
    """Add up the states of units."""
    scorer = StreamScorer(opened.metrics, tasks=opened.tasks)
    rows = problems = 0
    folders = []
    for state in folder.states(units):
        rows += state["rows"]
        problems += state["problem_count"]
        scorer.merge(state["totals"])
        folders += [(number, FolderTally(*tally)) for number, *tally in state["folders"]]
    return _Totals(rows, problems, folders, scorer.summary())
