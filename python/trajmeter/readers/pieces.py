"""Splits the input into pieces that any process can read separately."""

from __future__ import annotations

import stat
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from trajmeter.json_input import LONGEST_LINE
from trajmeter.readers._columns.ahead import MOST_ROWS
from trajmeter.readers._columns.piece import FoundFile, Piece
from trajmeter.readers._columns.reader_process import FilesRead
from trajmeter.readers._files.folder_notes import FolderNotes, FolderTally
from trajmeter.readers._files.identities import FileIdentity, files_below, folder_about
from trajmeter.readers._files.inputs import Input, inputs
from trajmeter.readers._files.ranges import LineRange, Range, RowRange
from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers._recognition.registry import format_named
from trajmeter.readers.file_cutter import FileCutter
from trajmeter.records import ReadProblem, Trajectory
from trajmeter.remote import path_of
from trajmeter.system.pipes import STDIN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.readers._recognition.formats import FileFormat
    from trajmeter.readers.batches import TrajectoryBatches

__all__ = [
    "MOST_ROWS",
    "PIECE_BYTES",
    "PIECE_ROWS",
    "FileIdentity",
    "FolderNotes",
    "FolderTally",
    "FoundFile",
    "LineRange",
    "Piece",
    "PieceMaker",
    "Range",
    "RowRange",
    "batches_of",
    "folder_about",
]

PIECE_BYTES = 64 << 20
"""Minimum size on disk, in bytes, at which a file is split. Part of the plan format: a run whose
pieces differ cannot be resumed."""
PIECE_ROWS = 100_000
"""Number of Parquet rows, or lines of a compressed or remote file, above which it is split."""


class PieceMaker:
    """Finds the input files, splits them into pieces, and records their identities.

    Args:
        input_format: As for :func:`trajmeter.readers.read_trajectories`.
        mapping: As for :func:`trajmeter.readers.read_trajectories`.
        profiles: As for :func:`trajmeter.readers.read_trajectories`.
        max_line: Maximum length of a JSON line in bytes.
        identifies: Whether to read every file to determine its identity.
        known: What an earlier run found, by file and by whether it was found in a folder; valid for
            files with the same size and modification time.
        piece_bytes: Minimum size in bytes at which a file is split.
        piece_rows: Minimum number of rows at which a file is split.

    Raises:
        UnknownNameError: No format is called ``input_format``.
        ConfigurationError: The mapping names an unknown trajectory field.
    """

    def __init__(
        self,
        *,
        input_format: str | None = None,
        mapping: Mapping[str, str] | None = None,
        profiles: Collection[str] = (),
        max_line: int = LONGEST_LINE,
        identifies: bool = True,
        known: Mapping[tuple[str, bool], FoundFile] | None = None,
        piece_bytes: int = PIECE_BYTES,
        piece_rows: int = PIECE_ROWS,
    ) -> None:
        self._choice = Choice(
            Trajectory,
            input_format=input_format,
            mapping=mapping,
            profiles=profiles,
            max_line=max_line,
        )
        self._identifies = identifies
        self._known = known or {}
        self._cutter = FileCutter(
            self._choice, identifies=identifies, piece_bytes=piece_bytes, piece_rows=piece_rows
        )
        self._candidates: list[Input] = []
        self.folders: list[FolderNotes] = []
        """Folders that were walked, with any predictions that repeat their logs."""
        self.identities: dict[str, FileIdentity] = {}
        """Identity of each file."""

    def pieces(self, paths: str | Path | Iterable[str | Path]) -> Iterator[Piece]:
        """Yield the pieces in reading order.

        Raises:
            InputError: An item is not a path.
            ConfigurationError: The type of a Parquet column does not fit its field.
        """
        for each in inputs(paths, self._choice):
            folder = self._folder(each)
            for problem in each.problems:
                yield Piece(problem.file, folder=folder, message=problem.message)
            if each.is_end:
                self._candidates.clear()
            elif each.problems or (each.is_summary and self._repeats(each)):
                continue
            elif each.format is not None:
                yield self._whole_folder(each, folder)
            else:
                if folder is not None:
                    self._candidates.append(each)
                yield from self._file(each, folder)

    def _folder(self, each: Input) -> int | None:
        if each.notes is None:
            return None
        if not self.folders or self.folders[-1] is not each.notes:
            self.folders.append(each.notes)
        return len(self.folders) - 1

    def _repeats(self, summary: Input) -> bool:
        """Whether predictions repeat logs next to or below them; records it if they do."""
        folder = summary.path.parent
        for each in self._candidates:
            if folder in each.path.parents and self._cutter.is_recognised(
                each.path, is_named=False
            ):
                each.note_read()
                break
        return summary.is_repetition()

    def _whole_folder(self, each: Input, folder: int | None) -> Piece:
        name = str(each.path)
        size, latest = folder_about(each.path)
        if self._identifies:
            found = [(path, self._identity(path)) for path in files_below(each.path)]
            text = repr(
                [
                    (str(path.relative_to(each.path)), known.size, known.content)
                    for path, known in found
                    if known is not None
                ]
            )
            digest = sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
            self.identities[name] = FileIdentity(size, latest, f"folder:{digest}")
        whole = each.format.name if each.format is not None else None
        return Piece(name, size=size, whole=whole, folder=folder)

    def _identity(self, path: Path) -> FileIdentity | None:
        """Identity of a file in a folder; ``None`` if it cannot be read."""
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                return None
            content = self._cutter.content_of(path)
        except OSError:
            return None
        return FileIdentity(about.st_size, about.st_mtime_ns, content)

    def _file(self, each: Input, folder: int | None) -> Iterator[Piece]:
        path, name = each.path, str(each.path)
        try:
            about = None if path == STDIN else path.stat()
            if about is None or not stat.S_ISREG(about.st_mode):
                self.identities[name] = FileIdentity(0, 0, None)
                yield Piece(name, folder=folder)
                return
            known = self._known.get((name, folder is not None))
            if known is None or not known.identity.is_unchanged(about):
                known = self._cutter.cut(path, about, is_named=folder is None)
        except OSError:  # reported by its reader
            yield Piece(name, folder=folder)
            return
        self.identities[name] = known.identity
        for piece in known.pieces:
            yield replace(piece, folder=folder)


def batches_of(
    pieces: Iterable[Piece],
    folders: Mapping[int, FolderNotes],
    settings: Mapping[str, Any],
    report: Callable[[ReadProblem], None],
) -> TrajectoryBatches:
    """The trajectories of some pieces.

    Args:
        pieces: The pieces.
        folders: What was found in their folders, by folder number.
        settings: Arguments of :class:`~trajmeter.readers.batches.TrajectoryBatches`.
        report: Called with every file and record that cannot be read.
    """
    return FilesRead(_inputs_of(pieces, folders), settings, report)


def _inputs_of(pieces: Iterable[Piece], folders: Mapping[int, FolderNotes]) -> Iterator[Input]:
    for piece in pieces:
        problem = ReadProblem(file=piece.file, message=piece.message or "")
        whole = None
        if piece.whole is not None:
            whole = cast("FileFormat[Trajectory]", format_named(piece.whole, Trajectory))
        yield Input(
            path_of(piece.file),
            whole,
            None if piece.folder is None else folders[piece.folder],
            (problem,) if piece.message is not None else (),
            within=piece.within,
        )
