"""The folder of a run: a part and a state for each unit, the plan, and locks.

A unit is committed by renaming its part, after its state: each is written to a temporary file,
flushed to disk, and renamed. A killed process therefore leaves either a complete part or a
temporary file, and the rows of a unit are in the results exactly once or not at all.
"""

from __future__ import annotations

import glob
import json
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.remote import arrow_source, is_remote
from trajmeter.scoring.folder_lock import holding, is_held, take
from trajmeter.scoring.part_file import DigestingStream, file_digest, part_metadata
from trajmeter.scoring.plan_file import LOST_PLAN, foreign_files, read_plan_file
from trajmeter.scoring.states import read_state, write_state
from trajmeter.scoring.work import Receipt, make_rows
from trajmeter.summaries.summary import Summary
from trajmeter.system import locks
from trajmeter.writers import json_document, json_pieces
from trajmeter.writers.atomic import remove_abandoned, replacing
from trajmeter.writers.files import finishing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pydantic import BaseModel

    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.work import OpenedWork, UnitWork

__all__ = ["RunFolder", "old_folders"]

_RUN, _UNIT, _PLAN = "trajmeter.run_key", "trajmeter.unit", "trajmeter.plan"
_LOCK = "lock-"
_OLD_SECONDS = 7 * 24 * 3600


class RunFolder:
    """The folder of a run.

    Args:
        folder: The folder.
        key: Key of the run.
        keeps_rows: Whether units have parts as well as states; not if no rows are requested.
        replaces: Whether a damaged plan is that of another run, whose results are replaced.
    """

    def __init__(
        self, folder: Path, key: str, *, keeps_rows: bool = True, replaces: bool = False
    ) -> None:
        self.folder = folder
        self.key = key
        """Key of the run; empty until it is planned."""
        self.keeps_rows = keeps_rows
        self.rows = folder / "rows"
        """Folder that contains only the parts."""
        self.state = folder / "state"
        """Folder of everything except rows."""
        self._replaces = replaces
        self._held = ""

    @property
    def manifest(self) -> Path:
        """The file whose existence marks the run as complete."""
        return self.folder / "manifest.json"

    def part(self, number: int) -> Path:
        """The file with the rows of a unit."""
        return self.rows / f"part-{number:06}.parquet"

    def state_file(self, number: int) -> Path:
        """The file with everything else about a unit."""
        return self.state / f"{number:06}.parquet"

    def check_is_no_other(self) -> None:
        """Check that the folder belongs to a run, is empty or does not exist.

        Raises:
            ConfigurationError: It contains other files, is a file, or is ``-``.
        """
        if str(self.folder) == "-":
            raise ConfigurationError("results are not written to -; name a file or a folder")
        if not self.folder.is_dir() and os.path.lexists(self.folder):
            raise ConfigurationError(f"{self.folder} is a file, expected a folder")
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
            ConfigurationError: They cannot be created.
        """
        try:
            self.rows.mkdir(parents=True, exist_ok=True)
            self.state.mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{self.folder}: {error.strerror or error}") from error

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
            "run_key": self.key,
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

    def commit(self, work: UnitWork, opened: OpenedWork[Any]) -> Receipt:
        """Produce the rows of a unit, and store its state and part.

        Raises:
            ConfigurationError: A file cannot be written, or an input changed.
        """
        number = work.unit.number
        if not self.keeps_rows:
            self._write_state(number, make_rows(work, None))
            return work.receipt
        about = {
            _RUN: self.key,
            _UNIT: str(number),
            _PLAN: work.unit.place.encode("utf-8", "backslashreplace").decode(),
        }
        with replacing(self.part(number), folder=self.state) as stream:
            digesting = DigestingStream(stream)
            with finishing(opened.open_part(cast("BinaryIO", digesting))) as table:
                table.describe(about)
                state = make_rows(work, table)
            self.part(number).unlink(missing_ok=True)  # must never be paired with the new state
            self._write_state(number, {**state, "sha256": digesting.digest.hexdigest()})
        _sync(self.rows)
        return work.receipt

    def is_done(self, unit: Unit, plan: Plan) -> bool:
        """Whether a unit has its part, created from the files as they are now."""
        if not self.has_part(unit):
            return False
        try:
            state = read_state(self.state_file(unit.number))
        except ReadError:
            return False
        return all(
            name not in plan.identities or _is_same(plan.identities[name], mtime)
            for name, mtime in state["mtimes"].items()
        )

    def has_part(self, unit: Unit) -> bool:
        """Whether a unit has both its part and its state, neither missing nor truncated."""
        about = part_metadata(self.part(unit.number)) or {}
        is_of_unit = about.get(_RUN) == self.key and about.get(_UNIT) == str(unit.number)
        return is_of_unit and part_metadata(self.state_file(unit.number)) is not None

    def is_intact(self, unit: Unit) -> bool:
        """Whether the part of a finished unit has the bytes that were written."""
        try:
            noted = read_state(self.state_file(unit.number)).get("sha256")
            return noted == self.digest(unit.number)
        except (OSError, ReadError):
            return False

    def check_schema(self, wanted: pa.Schema) -> None:
        """Check that the parts have this schema.

        Raises:
            ConfigurationError: They have another schema, such as that of another metric version.
        """
        from pyarrow.parquet import read_schema

        for part in sorted(self.rows.glob("part-*.parquet"))[:1]:
            with arrow_source(part) as source:
                found = read_schema(source)
            kept = {key: (found.metadata or {}).get(key) for key in wanted.metadata or {}}
            if not found.equals(wanted) or kept != (wanted.metadata or {}):
                raise ConfigurationError(
                    f"{part} was made with other metrics, or other versions of them, than those "
                    "installed here"
                )

    def states(self, units: tuple[Unit, ...]) -> Iterator[dict[str, Any]]:
        """States of units, in their order.

        Raises:
            ReadError: One cannot be read.
        """
        for unit in units:
            yield read_state(self.state_file(unit.number))

    def digest(self, number: int) -> str:
        """SHA-256 of a unit's part on disk."""
        return file_digest(self.part(number))

    def clear(self, units: Sequence[Unit] | None = None) -> None:
        """Remove only what runs wrote; the lock of a shard is held.

        Args:
            units: Units of this shard, to keep those scored by others; everything if ``None``.

        Raises:
            ConfigurationError: Another process writes here.
        """
        if units is None:
            for lock in self.state.glob(f"{_LOCK}*"):
                if lock.name != self._held:
                    with lock.open("a+") as held:
                        take(held, self.folder)
        self.manifest.unlink(missing_ok=True)  # first, because it marks the rest as complete
        (self.folder / "summary.json").unlink(missing_ok=True)
        if units is not None:
            for unit in units:
                self.part(unit.number).unlink(missing_ok=True)
                self.state_file(unit.number).unlink(missing_ok=True)
            return
        for file in self.rows.glob("part-*.parquet"):
            file.unlink()
        plan = self.state / "plan.json"
        for file in self.state.iterdir():
            if file != plan and not file.name.startswith(_LOCK):  # held by this process
                file.unlink()
        plan.unlink(missing_ok=True)  # last, because it marks the rest as part of a run

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

    def _write_state(self, number: int, state: Mapping[str, Any]) -> None:
        with replacing(self.state_file(number)) as file:
            write_state(state, file)
        _sync(self.state)

    def _write(self, file: Path, content: bytes) -> None:
        with replacing(file, folder=self.state) as stream:
            stream.write(content)
        _sync(file.parent)


def _is_same(identity: Any, mtime: int) -> bool:  # noqa: ANN401
    return identity.mtime_ns == mtime or not (identity.content or "").startswith("footer:")


def old_folders(target: Path, *, but: Path) -> Iterator[str]:
    """List abandoned work folders of other runs with the same output, and their sizes."""
    for other in target.parent.glob(f".{glob.escape(target.name)}.*.work"):
        if other != but and time.time() - other.stat().st_mtime > _OLD_SECONDS:
            size = sum(each.stat().st_size for each in other.rglob("*") if each.is_file())
            yield (
                f"{other}: {size >> 20:,} MiB left by an earlier run; remove the folder unless "
                "you want to resume it"
            )


def _sync(folder: Path) -> None:
    """Make a rename survive a power failure."""
    if locks.WINDOWS or is_remote(folder):  # cannot open folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # unsupported by some file systems
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
