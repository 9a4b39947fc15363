"""The files of a run's units: a part with the rows of each, and a state with everything else.

A unit is committed by renaming its part, after its state: each is written to a temporary file,
flushed to disk, and renamed. A killed process therefore leaves either a complete part or a
temporary file, and the rows of a unit are in the results exactly once or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, cast

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.remote import arrow_source
from trajmeter.scoring.runs.part_file import DigestingStream, file_digest, part_metadata
from trajmeter.scoring.runs.states import read_state, write_state
from trajmeter.scoring.runs.work import Receipt, make_rows
from trajmeter.writers.atomic import remove, replacing, sync_folder
from trajmeter.writers.files import finishing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

    from trajmeter.readers.pieces import FileIdentity
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.work import OpenedWork, UnitWork

__all__ = ["UnitFiles"]

_RUN, _UNIT, _PLAN = "trajmeter.run_key", "trajmeter.unit", "trajmeter.plan"


class UnitFiles:
    """The parts and states of a run's units.

    Args:
        rows: Folder that contains only the parts.
        state: Folder of everything except rows.
        run_key: Key of the run; empty until it is planned.
        keeps_rows: Whether units have parts as well as states; not if no rows are requested.
    """

    def __init__(self, rows: Path, state: Path, run_key: str, *, keeps_rows: bool) -> None:
        self.rows = rows
        """Folder that contains only the parts."""
        self.run_key = run_key
        """Key of the run; empty until it is planned."""
        self._state = state
        self._keeps_rows = keeps_rows

    def part(self, number: int) -> Path:
        """The file with the rows of a unit."""
        return self.rows / f"part-{number:06}.parquet"

    def state_file(self, number: int) -> Path:
        """The file with everything else about a unit."""
        return self._state / f"{number:06}.parquet"

    def commit(self, work: UnitWork, opened: OpenedWork[Any]) -> Receipt:
        """Produce the rows of a unit, and store its state and part.

        Raises:
            ConfigurationError: A file cannot be written, or an input changed.
        """
        number = work.unit.number
        if not self._keeps_rows:
            self._write_state(number, make_rows(work, None))
            return work.receipt
        about = {
            _RUN: self.run_key,
            _UNIT: str(number),
            _PLAN: work.unit.place.encode("utf-8", "backslashreplace").decode(),
        }
        with replacing(self.part(number), folder=self._state) as stream:
            digesting = DigestingStream(stream)
            with finishing(opened.open_part(cast("BinaryIO", digesting))) as table:
                table.describe(about)
                state = make_rows(work, table)
            remove(self.part(number))  # must never be paired with the new state
            self._write_state(number, {**state, "sha256": digesting.digest.hexdigest()})
        sync_folder(self.rows)
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
        is_of_unit = about.get(_RUN) == self.run_key and about.get(_UNIT) == str(unit.number)
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

    def states(self, units: Iterable[Unit]) -> Iterator[dict[str, Any]]:
        """States of units, in their order.

        Raises:
            ReadError: One cannot be read.
        """
        for unit in units:
            yield read_state(self.state_file(unit.number))

    def digest(self, number: int) -> str:
        """SHA-256 of a unit's part on disk."""
        return file_digest(self.part(number))

    def remove(self, units: Iterable[Unit]) -> None:
        """Remove the files of units, if there are any."""
        for unit in units:
            self.part(unit.number).unlink(missing_ok=True)
            self.state_file(unit.number).unlink(missing_ok=True)

    def _write_state(self, number: int, state: Mapping[str, Any]) -> None:
        with replacing(self.state_file(number), folder=self._state) as file:
            write_state(state, file)
        sync_folder(self._state)


def _is_same(identity: FileIdentity, mtime: int) -> bool:
    """Whether a planned file is the one that a unit read, modified at this time.

    The plan compares files by content, but Parquet files only by their footers, so their
    modification times have to match as well.
    """
    return identity.mtime_ns == mtime or not (identity.content or "").startswith("footer:")
