"""Runs: process inputs of any size into a folder of parts or one file; always resumable."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar

from trajmeter.scoring.runs.engines.dispatch import score_units
from trajmeter.scoring.runs.options import Progress, RunListener, RunOptions, RunResult
from trajmeter.scoring.runs.plan import shard_of
from trajmeter.scoring.runs.preparing import prepare
from trajmeter.scoring.runs.publishing import publish
from trajmeter.scoring.runs.request import RunRequest
from trajmeter.scoring.runs.totals import totals_of
from trajmeter.writers import OutputWatch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from trajmeter.scoring.runs.plan import Unit
    from trajmeter.scoring.runs.preparing import PreparedRun
    from trajmeter.scoring.runs.work import Work

__all__ = ["Progress", "RunListener", "RunOptions", "RunResult", "run"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")


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
    request = RunRequest(work, inputs, output, options or RunOptions(), listener or RunListener())
    request.check()
    watch = None if output is None else OutputWatch(output)
    opened = work.open(request.listener.on_problem)
    request.listener.on_opened(opened)
    with ExitStack() as stack:
        prepared = prepare(request, opened, stack)
        plan, folder = prepared.plan, prepared.folder
        units = tuple(shard_of(plan.units, request.shard))
        done = _finished(prepared, units, are_read=not request.is_folder)
        if done:
            request.listener.on_message(f"resuming: {len(done):,} of {len(units):,} units are done")
        failed = dict(score_units(request, prepared, units, done))
        scored = tuple(unit for unit in units if unit.number not in failed)
        totals = totals_of(opened, folder.units, scored)
        is_alone = len(units) == len(plan.units)
        is_complete = not failed and (
            is_alone or all(folder.units.is_done(unit, plan) for unit in plan.units)
        )
        if is_alone or is_complete:
            whole = totals if is_alone else totals_of(opened, folder.units, plan.units)
            totals.problems += whole.end(plan.folders, request.listener.on_problem)
            if is_complete:
                publish(request, prepared, whole.summary, watch)
    if is_complete and not request.is_folder:
        folder.remove_lock()
    return RunResult(
        output=output,
        rows=totals.rows,
        parts=(
            tuple(folder.units.part(unit.number) for unit in scored) if request.is_folder else ()
        ),
        resumed=len(done),
        problems=totals.problems,
        failed=tuple(failed.values()),
        is_complete=is_complete,
        summary=totals.summary,
    )


def _finished(
    prepared: PreparedRun[SummaryT], units: Sequence[Unit], *, are_read: bool
) -> list[Unit]:
    """The units that an earlier run finished.

    Args:
        prepared: The run.
        units: Units of the run, or of its shard.
        are_read: Whether their parts are read in the end, so that damaged ones must be replaced.
    """
    files = prepared.folder.units
    done = [unit for unit in units if files.is_done(unit, prepared.plan)]
    return [unit for unit in done if files.is_intact(unit)] if are_read else done
