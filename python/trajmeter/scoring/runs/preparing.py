"""Preparation of a run: its plan, and the folder that it writes to, which it locks."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from trajmeter.errors import ConfigurationError
from trajmeter.scoring.runs.differences import differences
from trajmeter.scoring.runs.folder import RunFolder
from trajmeter.scoring.runs.key import cuts_alike, key_of
from trajmeter.scoring.runs.plan import found_files, shard_of
from trajmeter.scoring.runs.planning import make_plan
from trajmeter.scoring.runs.request import WHOLE
from trajmeter.scoring.runs.spill import remove_abandoned_spills
from trajmeter.scoring.runs.work_folders import abandoned_work_folders, work_folder

if TYPE_CHECKING:
    from contextlib import ExitStack

    from pydantic import BaseModel

    from trajmeter.scoring.runs.plan import Plan
    from trajmeter.scoring.runs.request import RunRequest
    from trajmeter.scoring.runs.work import OpenedWork

__all__ = ["PreparedRun", "prepare"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")

_SHOWN = 10
"""Maximum number of differences from another run to list."""


@dataclass(frozen=True)
class PreparedRun(Generic[SummaryT]):
    """A run that is ready to process its units."""

    opened: OpenedWork[SummaryT]
    """The work, such as metrics, tasks and snapshots."""
    plan: Plan
    """The units."""
    settings: dict[str, Any]
    """Everything that the rows depend on, in readable form."""
    folder: RunFolder
    """Where parts are stored."""


def prepare(
    request: RunRequest[SummaryT], opened: OpenedWork[SummaryT], stack: ExitStack
) -> PreparedRun[SummaryT]:
    """Plan a run, and lock and claim its folder.

    Args:
        request: The arguments of the run.
        opened: The work.
        stack: Releases the folder at the end of the run.

    Raises:
        ConfigurationError: The folder belongs to another run, or cannot be written.
        ReadError: Without ``on_problem``: something cannot be read.
    """
    output_folder = request.output_folder()
    known = None
    if output_folder is not None:
        if output_folder.state.is_dir():  # before inputs are read, which is slow if there are many
            stack.enter_context(output_folder.locked(request.shard))
        earlier = output_folder.read_plan()
        if earlier is not None and cuts_alike(
            earlier["settings"], request.work.reading, request.options.sizes
        ):
            known = found_files(earlier["plan"])
    plan = make_plan(
        request.inputs,
        request.work.reading,
        identifies=request.output is not None,
        trial_of=opened.trial_of,
        known=known,
        sizes=request.options.sizes,
    )
    if output_folder is not None:
        plan.check_is_no_output(output_folder.folder)
    settings = opened.settings(plan)
    key = key_of(settings)
    if output_folder is None:
        folder = _temporary_folder(request, key, stack)
    else:
        folder = output_folder
        folder.units.run_key = key
    folder.make()
    if not folder.is_locked:
        stack.enter_context(folder.locked(request.shard))
    _claim(request, folder, plan, settings)
    if plan.unidentified is not None and request.output is not None:
        request.listener.on_message(
            f"{plan.unidentified} cannot be read again: this run cannot be resumed"
        )
    return PreparedRun(opened, plan, settings, folder)


def _temporary_folder(request: RunRequest[SummaryT], key: str, stack: ExitStack) -> RunFolder:
    """The folder of a run whose output is a file, or that keeps no rows."""
    if request.output is None:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trajmeter-")))
        return RunFolder(place, key, keeps_rows=request.listener.tables is not None)
    output = request.output.resolve()
    folder = work_folder(output, key)
    for message in abandoned_work_folders(output, own=folder):
        request.listener.on_message(message)
    return RunFolder(folder, key, replaces=True)


def _claim(
    request: RunRequest[SummaryT], folder: RunFolder, plan: Plan, settings: dict[str, Any]
) -> None:
    """Make the folder that of this run, or check that it is.

    Raises:
        ConfigurationError: It belongs to another run.
    """
    earlier = folder.read_plan()
    if earlier is None:
        if not request.is_folder:
            folder.clear()  # remains of a work folder whose removal was interrupted
    elif earlier["run_key"] != folder.units.run_key:
        if request.is_folder and not request.options.overwrite:
            differs = [*differences(earlier["settings"], settings)]
            shown = "; ".join(differs[:_SHOWN]) + (" …" if len(differs) > _SHOWN else "")
            raise ConfigurationError(
                f"{folder.folder} contains the results of another run ({shown}); choose "
                "another output, or replace them with --overwrite"
            )
        remove_abandoned_spills(folder)  # before the plan, without which they are foreign files
        folder.clear()
    elif not request.options.resume:
        if request.shard == WHOLE:
            folder.clear()
        else:
            folder.clear_shard(shard_of(plan.units, request.shard))
    about = request.work.about([notes.folder for notes in plan.folders])
    folder.write_plan(plan, settings, about)
