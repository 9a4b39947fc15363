"""Runs: process inputs of any size into a folder of parts or one file; always resumable."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from trajmeter.errors import ConfigurationError
from trajmeter.readers.patterns import check_patterns
from trajmeter.remote import is_remote
from trajmeter.scoring.engines.local import score_here
from trajmeter.scoring.engines.workers import check_shareable, choose_workers
from trajmeter.scoring.plan import found_files, shard_of
from trajmeter.scoring.planning import make_plan
from trajmeter.scoring.publishing import manifest_of, read_rows
from trajmeter.scoring.run_folder import RunFolder, old_folders
from trajmeter.scoring.run_key import cuts_alike, differences, key_of
from trajmeter.scoring.run_options import Engine, Progress, RunListener, RunOptions, RunResult
from trajmeter.scoring.run_totals import totals_of
from trajmeter.scoring.spill import remove_abandoned_spills, spilled
from trajmeter.writers import OutputWatch, check_is_apart, check_output
from trajmeter.writers.files import check_folder, is_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import BaseModel

    from trajmeter.scoring.engines.processes import ProcessPool
    from trajmeter.scoring.engines.ray import RayPool
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.work import BatchWriter, OpenedWork, Receipt, UnitWork, Work

__all__ = ["Progress", "RunListener", "RunOptions", "RunResult", "run"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")

_WHOLE = (1, 1)
_FILES = frozenset({".csv", ".jsonl", ".parquet"})
_MANY = 10


def run(
    work: Work[SummaryT],
    inputs: Sequence[Path],
    *,
    output: Path | None,
    options: RunOptions | None = None,
    listener: RunListener | None = None,
) -> RunResult[SummaryT]:
    """Score or convert inputs unit by unit.

    Args:
        work: What to do with the units, such as scoring with some metrics.
        inputs: Files, folders and patterns.
        output: A folder of parts, or a file; ``None`` to keep no rows.
        options: How to execute the run.
        listener: Receives events.

    Raises:
        ConfigurationError: Options contradict each other, the output belongs to another run or
            cannot be written, or an input changed while it was read.
        ReadError: Without ``on_problem``: something cannot be read.
    """
    return _Run(work, inputs, output, options or RunOptions(), listener or RunListener()).result()


class _Run(Generic[SummaryT]):
    def __init__(
        self,
        work: Work[SummaryT],
        inputs: Sequence[Path],
        output: Path | None,
        options: RunOptions,
        listener: RunListener,
    ) -> None:
        self._work, self._inputs, self._output = work, inputs, output
        self._options, self._listener = options, listener
        self._shard = options.shard or _WHOLE
        self._is_folder = output is not None and is_folder(output)
        self._check_engine()
        self._check()
        self._watch = None if output is None else OutputWatch(output)

    def _check_engine(self) -> None:
        engine, known = self._options.engine, get_args(Engine)
        if engine not in known:
            raise ConfigurationError(f"engine {engine!r}: expected {' or '.join(known)}")
        if engine == "ray":
            from trajmeter.scoring.engines.ray import import_ray

            import_ray()  # before anything is read

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
            raise ConfigurationError("a shard needs a folder as its output, such as scores/")
        if output is None:
            return
        check_is_apart(output, self._inputs)
        if not is_folder(output):
            check_output(output)
            return
        if is_remote(output) and output.suffix.lower() in _FILES:
            raise ConfigurationError(
                f"{output}: remote results are written as a folder of parts; give the name of a "
                "folder"
            )
        self._own_folder(output).check_is_no_other()
        check_folder(output)

    def result(self) -> RunResult[SummaryT]:
        """Execute the run."""
        opened = self._work.open(self._listener.on_problem)
        self._listener.on_opened(opened)
        with ExitStack() as stack:
            plan, settings, folder = self._prepare(opened, stack)
            units = tuple(shard_of(plan.units, self._shard))
            done = [unit for unit in units if folder.is_done(unit, plan)]
            if not self._is_folder:  # every part is read in the end
                done = [unit for unit in done if folder.is_intact(unit)]
            if done:
                self._listener.on_message(
                    f"resuming: {len(done):,} of {len(units):,} units are done"
                )
            failed = self._score_whole_tasks(opened, plan, folder, units, done)
            left = {number for number, _ in failed}
            scored = tuple(unit for unit in units if unit.number not in left)
            totals = totals_of(opened, folder, scored)
            is_alone = len(units) == len(plan.units)
            is_complete = not failed and (
                is_alone or all(folder.is_done(unit, plan) for unit in plan.units)
            )
            if is_alone or is_complete:
                whole = totals if is_alone else totals_of(opened, folder, plan.units)
                totals.problems += whole.end(plan, self._listener.on_problem)
                if is_complete:
                    self._publish(opened, plan, settings, folder, whole.summary)
        keeps = self._output is not None and is_folder(self._output)
        if is_complete and not keeps:
            folder.remove_lock()
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

    def _own_folder(self, output: Path) -> RunFolder:
        return RunFolder(output, "", replaces=self._options.overwrite)

    def _prepare(
        self, opened: OpenedWork[SummaryT], stack: ExitStack
    ) -> tuple[Plan, dict[str, Any], RunFolder]:
        """Plan the run and claim its folder."""
        output = self._output
        known = None
        own = self._own_folder(output) if output is not None and self._is_folder else None
        if own is not None:
            if own.state.is_dir():  # before inputs are read, which is slow if there are many
                stack.enter_context(own.locked(self._shard))
            earlier = own.read_plan()
            if earlier is not None and cuts_alike(
                earlier["settings"], self._work.reading, self._options.sizes
            ):
                known = found_files(earlier["plan"])
        plan = make_plan(
            self._inputs,
            self._work.reading,
            identifies=output is not None,
            trial_of=opened.trial_of,
            known=known,
            sizes=self._options.sizes,
        )
        if own is not None:
            plan.check_is_no_output(own.folder)
        settings = opened.settings(plan)
        key = key_of(settings)
        if output is None:
            import tempfile

            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trajmeter-")))
            folder = RunFolder(place, key, keeps_rows=self._listener.tables is not None)
        elif own is not None:
            folder = own
            folder.key = key
        else:
            target = output.resolve()
            place = target.with_name(f".{target.name}.{key}.work")
            folder = RunFolder(place, key, replaces=True)
            for message in old_folders(target, but=folder.folder):
                self._listener.on_message(message)
        folder.make()
        if not folder.is_locked:
            stack.enter_context(folder.locked(self._shard))
        self._take(folder, plan, settings)
        if plan.unidentified is not None and output is not None:
            self._listener.on_message(
                f"{plan.unidentified} cannot be read again: this run cannot be resumed"
            )
        return plan, settings, folder

    def _take(self, folder: RunFolder, plan: Plan, settings: dict[str, Any]) -> None:
        """Create the folder for this run, or check that it belongs to it.

        Raises:
            ConfigurationError: It belongs to another run.
        """
        earlier = folder.read_plan()
        if earlier is not None and earlier["run_key"] != folder.key:
            if self._is_folder and not self._options.overwrite:
                differs = [*differences(earlier["settings"], settings)]
                shown = "; ".join(differs[:_MANY]) + (" …" if len(differs) > _MANY else "")
                raise ConfigurationError(
                    f"{folder.folder} contains the results of another run ({shown}); choose "
                    "another output, or replace them with --overwrite"
                )
            remove_abandoned_spills(folder)  # before the plan, without which they are foreign files
            folder.clear()
        elif earlier is not None and not self._options.resume:
            is_alone = self._shard == _WHOLE
            folder.clear(None if is_alone else shard_of(plan.units, self._shard))
        elif earlier is None and not self._is_folder:
            folder.clear()  # remains of a work folder whose removal was interrupted
        about = self._work.about([notes.folder for notes in plan.folders])
        folder.write_plan(plan, settings, about)

    def _score_whole_tasks(
        self,
        opened: OpenedWork[SummaryT],
        plan: Plan,
        folder: RunFolder,
        units: tuple[Unit, ...],
        done: list[Unit],
    ) -> list[tuple[int, str]]:
        """Score the unfinished units of a run with task shares, after sorting."""
        if plan.shares is None:
            return self._score(opened, plan, folder, units, done)
        if self._options.engine == "ray" and is_remote(folder.folder):
            raise ConfigurationError(
                f"{folder.folder}: with Ray, metrics that compare attempts need an output that all "
                "nodes see as a folder, as so large an input is sorted by task first"
            )
        todo = _not_done(units, done)

        def reader(unit: Unit) -> UnitWork:
            self._listener.on_message(
                f"sorting {plan.size >> 20:,} MiB by task, because a metric compares them; the "
                f"parts are {plan.shares:,} shares of the tasks"
            )
            return opened.unit_work(unit, plan, self._listener.on_problem)

        with spilled(plan, todo, folder, self._shard, reader) as sorted_plan:
            return self._score(opened, sorted_plan, folder, units, done)

    def _score(
        self,
        opened: OpenedWork[SummaryT],
        plan: Plan,
        folder: RunFolder,
        units: tuple[Unit, ...],
        done: list[Unit],
    ) -> list[tuple[int, str]]:
        """Score the unfinished units; return those whose workers died."""
        todo = _not_done(units, done)
        by_number = {unit.number: unit for unit in units}
        of_size = sum(unit.size for unit in units)
        size = sum(unit.size for unit in done)
        if not todo:
            return []
        folder.manifest.unlink(missing_ok=True)  # the results are no longer complete
        pool, receipts = self._engine(todo, opened, plan, folder)
        rows, finished = 0, len(done)
        for receipt in receipts:
            rows += receipt.rows
            finished += 1
            size += by_number[receipt.number].size
            self._listener.on_progress(Progress(finished, len(units), rows, size, of_size))
        return [] if pool is None else pool.failed

    def _engine(
        self,
        units: Sequence[Unit],
        opened: OpenedWork[SummaryT],
        plan: Plan,
        folder: RunFolder,
    ) -> tuple[ProcessPool | RayPool | None, Iterator[Receipt]]:
        """The engine that distributes the units, if not this process, and the units' receipts."""
        asked, report = self._options.workers, self._listener.on_problem
        pool: ProcessPool | RayPool
        if self._options.engine == "ray":
            from trajmeter.scoring.engines.ray import RayPool

            check_shareable(plan, self._work)
            actors = None if asked == "auto" else asked
            pool = RayPool(self._work, plan, folder, actors, report)
            return pool, pool.score(units)
        workers = choose_workers(asked, plan, self._work)
        if workers == 1:
            return None, score_here(units, opened, plan, folder, report)
        from trajmeter.scoring.engines.processes import ProcessPool

        pool = ProcessPool(self._work, plan, folder, workers, report)
        return pool, pool.score(units)

    def _publish(
        self,
        opened: OpenedWork[SummaryT],
        plan: Plan,
        settings: dict[str, Any],
        folder: RunFolder,
        summary: SummaryT,
    ) -> None:
        """Write the manifest, or the single output file."""
        output = self._output
        with ExitStack() as stack:
            tables: list[BatchWriter] = []
            if self._listener.tables is not None:
                tables += stack.enter_context(self._listener.tables())
            if output is not None and not is_folder(output):
                opening = opened.open_output(output, self._listener.about)
                tables.append(stack.enter_context(opening))
            if tables:
                for batch in read_rows(folder, plan.units, opened):
                    for table in tables:
                        table.write_batch(batch)
            message = self._watch and self._watch.message()
            if message:
                self._listener.on_message(message)
        if output is None:
            return
        if is_folder(output):
            folder.write_summary(summary)
            folder.write_manifest(manifest_of(folder, plan, settings, opened.columns))
            folder.remove_abandoned()
            remove_abandoned_spills(folder)
        else:
            # Some file systems keep the lock while it is open.
            shutil.rmtree(folder.folder, ignore_errors=True)


def _not_done(units: Sequence[Unit], done: Sequence[Unit]) -> list[Unit]:
    finished = {unit.number for unit in done}
    return [unit for unit in units if unit.number not in finished]
