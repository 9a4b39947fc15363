"""Folders of fc-eval: of runs, trials and agents, and what their names say."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from trajmeter.readers.fceval.config import is_run
from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = [
    "AGENT_FOLDER",
    "RESULTS",
    "TRIAL_FOLDER",
    "Place",
    "folders_in",
    "runs_in",
    "trial_of",
    "with_folder_name",
]

RESULTS = "results.json"
"""Name of the file with the results of a run, a trial or an agent."""
AGENT_FOLDER = re.compile(r"(?P<trial>.+?)\.agent-(?P<number>\d+)-(?P<agent>.*)", re.DOTALL)
"""Name of an agent's folder."""
TRIAL_FOLDER = re.compile(r"(?P<task>.+)\.(?P<attempt>\d+-of-(?P<of>\d+))\..*", re.DOTALL)
"""Name of a trial's folder."""


def with_folder_name(path: Path) -> Path:
    """The path with its folder's name, which names the trial and the agent."""
    folder = path if path.is_dir() else path.parent
    return path.resolve() if folder.name in ("", "..") else path


def runs_in(path: Path) -> list[Path]:
    """The runs in a folder of runs; none in a run itself, or in part of one."""
    if is_run(path):
        return []
    with os.scandir(path) as found:
        # Only links need a lookup of their type.
        names = [each.name for each in found if each.is_symlink() or each.is_dir()]
    folders = (path / name for name in sorted(names))
    runs = [folder for folder in folders if folder.is_dir() and is_run(folder)]
    # A link to the latest run is next to it.
    return list({run.resolve(): run for run in reversed(runs)}.values())[::-1]


def folders_in(path: Path) -> Iterator[Path]:
    """Folders of trials and agents, in a run or in part of one."""
    for level, folders in enumerate(_levels(path)):
        for folder in folders:
            if AGENT_FOLDER.fullmatch(folder.name):
                is_one = folder.is_dir()
            else:
                is_trial_folder = level > 1 or TRIAL_FOLDER.fullmatch(folder.name)
                is_one = bool(is_trial_folder) and (folder / RESULTS).is_file()
            if is_one:
                yield folder


def _levels(path: Path) -> Iterator[Iterable[Path]]:
    """A folder and two levels of subfolders; one level if it is remote."""
    yield [path]
    if is_remote(path):
        yield sorted(path.iterdir())
        return
    below = _below(path)
    yield below
    yield chain.from_iterable(map(_below, below))


def _below(path: Path) -> list[Path]:
    """Subfolders of a folder, and links, which may lead to folders; none if it cannot be listed."""
    try:
        with os.scandir(path) as found:
            names = [each.name for each in found if each.is_symlink() or each.is_dir()]
    except OSError:
        return []
    return [path / name for name in sorted(names)]


def trial_of(folder: Path) -> tuple[Path, str]:
    """The parent folder and name of a trial."""
    match = AGENT_FOLDER.fullmatch(folder.name)
    return folder.parent, match["trial"] if match else folder.name


@dataclass(frozen=True, slots=True)
class Place:
    """Data about an attempt from the location of its result."""

    trial: str
    """Unique name of the trial."""
    task_id: str
    """The task, if the result does not name it."""
    attempt: str | None
    """Number of the repeated attempt."""

    @classmethod
    def of(cls, where: Path, name: str, task_id: str) -> Place:
        """The place of a trial by its parent folder and name."""
        match = TRIAL_FOLDER.fullmatch(name)
        if match is None:
            return cls(str(where / name), task_id, None)
        return cls(
            str(where / name), match["task"], match["attempt"] if match["of"] != "1" else None
        )
