"""The folder of a run: files of its units, the plan, summary and manifest, and locks of shards."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.remote import is_remote
from trajmeter.scoring.runs.folder_lock import holding, is_held, take
from trajmeter.scoring.runs.plan_file import LOST_PLAN, foreign_files, read_plan_file
from trajmeter.scoring.runs.unit_files import UnitFiles
from trajmeter.summaries.summary import Summary
from trajmeter.system import locks
from trajmeter.writers import json_document, json_pieces
from trajmeter.writers.atomic import remove_abandoned, replacing, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic import BaseModel

    from trajmeter.scoring.runs.plan import Plan, Unit

__all__ = ["RunFolder"]

_LOCK = "lock-"


class RunFolder:
    """The folder of a run.

    Args:
        folder: The folder.
        key: Key of the run; empty until it is planned.
        keeps_rows: Whether units have parts as well as states; not if no rows are requested.
        replaces: Whether a damaged plan is that of another run, whose results are replaced.
    """

    def __init__(
        self, folder: Path, key: str, *, keeps_rows: bool = True, replaces: bool = False
    ) -> None:
        self.folder = folder
        self.state = folder / "state"
        """Folder of everything except rows."""
        self.units = UnitFiles(folder / "rows", self.state, key, keeps_rows=keeps_rows)
        """Files of the units."""
        self._replaces = replaces
        self._held = ""

    @property
    def manifest(self) -> Path:
        """The file whose existence marks the run as complete."""
        return self.folder / "manifest.json"

    def check_is_no_other(self) -> None:
        """Check that the folder belongs to a run, is empty or does not exist.

        Raises:
            ConfigurationError: It contains other files or links to other folders, is a file, or is
                ``-``.
        """
        if str(self.folder) == "-":
            raise ConfigurationError("results are not written to -; name a file or a folder")
        if not self.folder.is_dir() and os.path.lexists(self.folder):
            raise ConfigurationError(f"{self.folder} is a file, expected a folder")
        self._check_has_no_links()
        plan = self.read_plan()
        if not self.folder.is_dir() or plan not in (None, LOST_PLAN):
            return
        # A run that has just started has no plan yet, and a damaged plan may be no plan at all.
        for other in foreign_files(self.folder, is_planned=plan is not None):
            raise ConfigurationError(
                f"{self.folder} contains other files, such as {other}; choose a folder that is "
                "empty or does not exist"
            )

    def make(self) -> None:
        """Create the folders.

        Raises:
            ConfigurationError: They cannot be created, or are links to other folders, whose files
                would be replaced.
        """
        self._check_has_no_links()
        try:
            self.units.rows.mkdir(parents=True, exist_ok=True)
            self.state.mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{self.folder}: {error.strerror or error}") from error

    def _check_has_no_links(self) -> None:
        for place in (self.units.rows, self.state):
            if not is_remote(place) and place.is_symlink():
                raise ConfigurationError(
                    f"{place} is a link, expected a folder; only {self.folder} may be a link"
                )

    def read_plan(self) -> dict[str, Any] | None:
        """Plan and settings of the folder's run; ``None`` if it does not belong to a run.

        Raises:
            ConfigurationError: They cannot be read.
        """
        return read_plan_file(self.state / "plan.json", replaces=self._replaces)

    def read_manifest(self) -> dict[str, Any]:
        """The manifest; empty if there is none.

        Raises:
            ConfigurationError: It cannot be read.
        """
        try:
            found: dict[str, Any] = json.loads(self.manifest.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{self.manifest}: not a manifest: {error}") from error
        return found

    def write_plan(self, plan: Plan, settings: Mapping[str, Any], job: Mapping[str, Any]) -> None:
        """Write the plan, the settings, and everything that a summary needs."""
        content = {
            "run_key": self.units.run_key,
            "settings": settings,
            "job": job,
            "plan": plan.to_json(),
        }
        self._write(self.state / "plan.json", json.dumps(content).encode())

    def write_summary(self, summary: BaseModel) -> None:
        """Write the summary."""
        if isinstance(summary, Summary):
            text = "".join(json_pieces(summary))
        else:
            text = json_document(summary)
        self._write(self.folder / "summary.json", f"{text}\n".encode())

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, which marks the results as complete."""
        text = json.dumps(manifest, indent=2) + "\n"
        self._write(self.manifest, text.encode())

    def clear(self) -> None:
        """Remove everything that runs wrote, and nothing else; the lock of a shard is held.

        Raises:
            ConfigurationError: Another process scores another shard.
        """
        for lock in self.state.glob(f"{_LOCK}*"):
            if lock.name != self._held:
                with lock.open("a+") as held:
                    take(held, self.folder)
        self._remove_totals()
        for file in self.units.rows.glob("part-*.parquet"):
            file.unlink()
        plan = self.state / "plan.json"
        for file in self.state.iterdir():
            if file != plan and not file.name.startswith(_LOCK):  # held by this process
                file.unlink()
        plan.unlink(missing_ok=True)  # last, because it marks the rest as part of a run

    def clear_shard(self, units: Iterable[Unit]) -> None:
        """Remove the files of a shard's units, and those of the complete run."""
        self._remove_totals()
        self.units.remove(units)

    def _remove_totals(self) -> None:
        self.manifest.unlink(missing_ok=True)  # first, because it marks the rest as complete
        (self.folder / "summary.json").unlink(missing_ok=True)

    def remove_lock(self) -> None:
        """Remove a released lock and its folder, if nothing else is left in it."""
        with suppress(OSError):  # already gone, or of the next run
            if locks.WINDOWS:
                for lock in self.state.glob(f"{_LOCK}*"):
                    lock.unlink()
            self.state.rmdir()
            self.folder.rmdir()

    def remove_abandoned(self) -> None:
        """Remove temporary files left by killed processes."""
        for folder in (self.state, self.folder):
            remove_abandoned(folder)

    def is_in_use(self, shard: str) -> bool:
        """Whether another process scores a shard, such as ``1-of-8``."""
        name = f"{_LOCK}{shard}"
        return name != self._held and is_held(self.state / name)

    @property
    def is_locked(self) -> bool:
        """Whether the lock of a shard is held, if the file system supports locks."""
        return bool(self._held)

    @contextmanager
    def locked(self, shard: tuple[int, int]) -> Iterator[None]:
        """Hold the lock of a shard, which the system releases when the process dies.

        Remote file systems may lack locks; two writers then write identical bytes.

        Raises:
            ConfigurationError: Another process holds it, or its file cannot be written.
        """
        number, count = shard
        if is_remote(self.folder):
            yield
            return
        name = f"{_LOCK}{number}-of-{count}"
        with holding(self.state / name, self.folder):
            self._held = name
            yield

    def _write(self, file: Path, content: bytes) -> None:
        with replacing(file, folder=self.state) as stream:
            stream.write(content)
        sync_folder(file.parent)
