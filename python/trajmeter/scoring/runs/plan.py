"""The plan of a run: units of input, each scored as a whole.

It depends on the inputs, how they are read, and whether a metric compares attempts; not on threads,
workers, shards or batches. Two runs with the same plan produce the same bytes, whichever worker
scored which unit, in whatever order.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.readers.pieces import (
    FileIdentity,
    FolderNotes,
    FoundFile,
    LineRange,
    Piece,
    RowRange,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from trajmeter.readers.pieces import Range

__all__ = [
    "FORMAT",
    "Plan",
    "PlanSizes",
    "Unit",
    "found_files",
    "in_order",
    "plan_from_json",
    "shard_of",
    "shares_of",
]

FORMAT = 4
"""Version of plans: changes whenever the same inputs would yield different units."""


@dataclass(frozen=True, slots=True)
class PlanSizes:
    """Size limits of units: constants of the plan format, smaller in tests."""

    piece_bytes: int = 64 << 20
    """Size in bytes at which a file is split, and a unit of several files is full."""
    piece_rows: int = 100_000
    """Number of Parquet rows at which a file is split."""
    files: int = 1_000
    """Number of files at which a unit is full."""
    share_bytes: int = 256 << 20
    """Size in bytes of one share of the tasks, for larger input if a metric compares attempts."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Input that is scored as a whole, and becomes one part."""

    number: int
    """Its number, from 0."""
    pieces: tuple[Piece, ...]
    """Pieces to read, in this order."""
    shares: int | None = None
    """Number of task shares if it is one of them; ``None`` if it contains all tasks of its
    pieces."""

    @property
    def size(self) -> int:
        """Its size on disk in bytes."""
        return sum(piece.size for piece in self.pieces) // (self.shares or 1)

    @property
    def place(self) -> str:
        """Its location, for messages."""
        first, last = self.pieces[0], self.pieces[-1]
        if self.shares is not None:
            return f"share {self.number + 1} of {self.shares} of the tasks in {first.file} …"
        if len(self.pieces) == 1:
            return _place(first)
        return f"{_place(first)} to {_place(last)} ({len(self.pieces):,} files)"


def _place(piece: Piece) -> str:
    within = piece.within
    if isinstance(within, LineRange):
        lines = piece.rows or 0
        return f"{piece.file}, lines {within.first:,} to {within.first + lines - 1:,}"
    if isinstance(within, RowRange):
        return f"{piece.file}, rows [{within.first}] to [{within.stop - 1}]"
    return piece.file


@dataclass(frozen=True, slots=True)
class Plan:
    """The units of a run."""

    units: tuple[Unit, ...]
    """The units, in the order of their rows."""
    identities: dict[str, FileIdentity]
    """Identity of each file."""
    folders: tuple[FolderNotes, ...] = field(default=(), compare=False)
    """Folders that were walked."""
    sizes: PlanSizes = field(default_factory=PlanSizes)
    """Size limits of its units."""
    has_whole_tasks: bool = False
    """Whether a unit holds all attempts at its tasks, which are adjacent in the input."""
    spill: Path | None = field(default=None, compare=False)
    """Folder of the attempts of each unit, if units are task shares."""
    notes: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Parts of the unit states that were determined when sorting attempts into that folder."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces without repetition."""
        if self.shares is not None:
            return self.units[0].pieces
        return tuple(piece for unit in self.units for piece in unit.pieces)

    @property
    def shares(self) -> int | None:
        """Number of task shares that its units are; ``None`` if they are pieces of input."""
        return self.units[0].shares if self.units else None

    @property
    def size(self) -> int:
        """Total size of the inputs on disk in bytes."""
        return sum(piece.size for piece in self.pieces)

    @property
    def unidentified(self) -> str | None:
        """A file without an identity, which another run could not recognise."""
        return next((name for name, each in self.identities.items() if each.content is None), None)

    def check_is_no_output(self, folder: Path) -> None:
        """Check that no input pattern matches what the run writes.

        Args:
            folder: The output folder.

        Raises:
            ConfigurationError: A pattern matches it.
        """
        own = os.path.join(os.path.abspath(folder), "")  # noqa: PTH100, PTH118 - as below
        for name in {piece.file for piece in self.pieces}:
            if os.path.abspath(name).startswith(own):  # noqa: PTH100 - quick, as names may be many
                raise ConfigurationError(
                    f"the inputs include {name}, which is in the output {folder}; write elsewhere"
                )

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON for its file."""
        units = self.units if self.shares is None else self.units[:1]
        return {
            "format": FORMAT,
            "units": [[_piece_to_json(piece) for piece in unit.pieces] for unit in units],
            "shares": self.shares,
            "has_whole_tasks": self.has_whole_tasks,
            "identities": {name: list(each) for name, each in self.identities.items()},
        }


def plan_from_json(plan: Mapping[str, Any]) -> Plan:
    """Restore the plan of an earlier run, without its folders."""
    units = tuple(
        Unit(number, tuple(map(_piece_from_json, pieces)))
        for number, pieces in enumerate(plan["units"])
    )
    if plan["shares"] is not None:
        units = shares_of(units[0].pieces, plan["shares"])
    identities = {name: FileIdentity(*each) for name, each in plan["identities"].items()}
    return Plan(units, identities, has_whole_tasks=plan["has_whole_tasks"])


def found_files(plan: Mapping[str, Any]) -> dict[tuple[str, bool], FoundFile]:
    """What an earlier plan recorded about each file, given its :meth:`Plan.to_json`.

    Returns:
        What was found by file and by whether it was found in a folder.
    """
    if plan["has_whole_tasks"]:  # Parquet files are quick to examine, and split elsewhere
        return {}
    # Keyed by range within the file, which may have been listed twice.
    pieces: dict[tuple[str, bool], dict[Range | None, Piece]] = {}
    for unit in plan["units"]:
        for each in map(_piece_from_json, unit):
            pieces.setdefault((each.file, each.folder is not None), {})[each.within] = each
    identities = {name: FileIdentity(*each) for name, each in plan["identities"].items()}
    return {
        key: FoundFile(identities[key[0]], tuple(found.values()))
        for key, found in pieces.items()
        if key[0] in identities and identities[key[0]].content is not None
    }


def shares_of(pieces: tuple[Piece, ...], count: int) -> tuple[Unit, ...]:
    """Units that are shares of the tasks, each read from all pieces."""
    return tuple(Unit(number, pieces, count) for number in range(count))


def _piece_to_json(piece: Piece) -> dict[str, Any]:
    """A piece without default values."""
    values = asdict(piece)
    values["within"] = None
    if isinstance(piece.within, LineRange):
        values["lines"] = list(piece.within)
    elif piece.within is not None:
        values["row_range"] = list(piece.within)
    return {name: each for name, each in values.items() if each is not None and each is not False}


def _piece_from_json(values: Mapping[str, Any]) -> Piece:
    within: Range | None = None
    if "lines" in values:
        within = LineRange(*values["lines"])
    elif "row_range" in values:
        within = RowRange(*values["row_range"])
    named = {name: each for name, each in values.items() if name not in ("lines", "row_range")}
    return Piece(**named, within=within)


def in_order(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Groups of units for one worker: those of a file that is read from its beginning.

    Every other unit is a group by itself.
    """
    held: list[Unit] = []
    for unit in units:
        piece = unit.pieces[0]
        is_streamed = piece.is_streamed and unit.shares is None
        if held and not (is_streamed and piece.file == held[-1].pieces[0].file):
            yield held
            held = []
        held.append(unit)
        if not is_streamed:
            yield held
            held = []
    if held:
        yield held


def shard_of(units: Sequence[Unit], shard: tuple[int, int]) -> list[Unit]:
    """The units of one shard of several, counted from 1."""
    number, count = shard
    return [unit for unit in units if unit.number % count == number - 1]
