"""Processes the unfinished units of a run with the engine and the workers that it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from trajmeter.errors import ConfigurationError
from trajmeter.remote import is_remote
from trajmeter.scoring.runs.engines.local import score_here
from trajmeter.scoring.runs.engines.workers import check_shareable, choose_workers
from trajmeter.scoring.runs.options import Progress
from trajmeter.scoring.runs.spill import spilled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import BaseModel

    from trajmeter.scoring.runs.engines.processes import ProcessPool
    from trajmeter.scoring.runs.engines.ray import RayPool
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.preparing import PreparedRun
    from trajmeter.scoring.runs.request import RunRequest
    from trajmeter.scoring.runs.work import Receipt, UnitWork

__all__ = ["score_units"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")


def score_units(
    request: RunRequest[SummaryT],
    prepared: PreparedRun[SummaryT],
    units: Sequence[Unit],
    done: Sequence[Unit],
) -> list[tuple[int, str]]:
    """Process and commit the unfinished units, sorted by task first if the plan says so.

    Args:
        request: The arguments of the run.
        prepared: The run.
        units: Units of the run, or of its shard.
        done: Those that an earlier run finished.

    Returns:
        Numbers of the units whose workers died at every try, with the reason.

    Raises:
        ConfigurationError: A unit cannot be written, an input changed, or workers cannot share the
            work.
    """
    finished = {unit.number for unit in done}
    todo = [unit for unit in units if unit.number not in finished]
    plan, folder = prepared.plan, prepared.folder
    if plan.shares is None:
        return _score(request, prepared, plan, todo, units) if todo else []
    if request.options.engine == "ray" and is_remote(folder.folder):
        raise ConfigurationError(
            f"{folder.folder}: with Ray, metrics that compare attempts need an output that all "
            "nodes see as a folder, as so large an input is sorted by task first"
        )

    def reader(unit: Unit) -> UnitWork:
        request.listener.on_message(
            f"sorting {plan.size >> 20:,} MiB by task, because a metric compares them; the "
            f"parts are {plan.shares:,} shares of the tasks"
        )
        return prepared.opened.unit_work(unit, plan, request.listener.on_problem)

    with spilled(plan, todo, folder, request.shard, reader) as sorted_plan:
        return _score(request, prepared, sorted_plan, todo, units) if todo else []


def _score(
    request: RunRequest[SummaryT],
    prepared: PreparedRun[SummaryT],
    plan: Plan,
    todo: Sequence[Unit],
    units: Sequence[Unit],
) -> list[tuple[int, str]]:
    """Process units, reporting progress; return those whose workers died."""
    prepared.folder.manifest.unlink(missing_ok=True)  # it marks a run as complete
    size_of = {unit.number: unit.size for unit in units}
    of_size = sum(size_of.values())
    size = of_size - sum(unit.size for unit in todo)
    finished, rows = len(units) - len(todo), 0
    pool, receipts = _engine(request, prepared, plan, todo)
    for receipt in receipts:
        rows += receipt.rows
        finished += 1
        size += size_of[receipt.number]
        request.listener.on_progress(Progress(finished, len(units), rows, size, of_size))
    return [] if pool is None else pool.failed


def _engine(
    request: RunRequest[SummaryT],
    prepared: PreparedRun[SummaryT],
    plan: Plan,
    units: Sequence[Unit],
) -> tuple[ProcessPool | RayPool | None, Iterator[Receipt]]:
    """The engine that distributes the units, if not this process, and the units' receipts."""
    work, folder = request.work, prepared.folder
    asked, report = request.options.workers, request.listener.on_problem
    pool: ProcessPool | RayPool
    if request.options.engine == "ray":
        from trajmeter.scoring.runs.engines.ray import RayPool

        check_shareable(plan, work)
        actors = None if asked == "auto" else asked
        pool = RayPool(work, plan, folder, actors, report)
        return pool, pool.score(units)
    workers = choose_workers(asked, plan, work)
    if workers == 1:
        return None, score_here(units, prepared.opened, plan, folder, report)
    from trajmeter.scoring.runs.engines.processes import ProcessPool

    pool = ProcessPool(work, plan, folder, workers, report)
    return pool, pool.score(units)
