"""Splits the input into pieces that any process can read separately.

A large JSON lines or Parquet file is cut at line or row-group boundaries. Its first records decide
for all pieces whether its records are recognised.
"""

from __future__ import annotations

import stat
from dataclasses import replace
from hashlib import sha256
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from trajmeter.errors import ReadError
from trajmeter.json_input import LONGEST_LINE
from trajmeter.pipes import STDIN
from trajmeter.readers._columns.ahead import MOST_ROWS
from trajmeter.readers._columns.piece import FoundFile, Piece
from trajmeter.readers._columns.reader_process import FilesRead
from trajmeter.readers._files.containers import PARQUET_MAGIC, entries, is_json_lines
from trajmeter.readers._files.content import is_compressed_file
from trajmeter.readers._files.identities import (
    FileIdentity,
    content_identity,
    files_below,
    folder_about,
)
from trajmeter.readers._files.inputs import (
    FolderNotes,
    FolderTally,
    Input,
    inputs,
)
from trajmeter.readers._files.ranges import LineRange, Range, RowRange
from trajmeter.readers._files.scanning import footer, line_cuts, next_line, scan
from trajmeter.readers._read import EntryReader
from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers._recognition.registry import format_named
from trajmeter.readers.column_types import checked_footer
from trajmeter.records import ReadProblem, Trajectory
from trajmeter.remote import is_remote, path_of

if TYPE_CHECKING:
    import os
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
_PACKED = 8
"""A compressed file is split at an eighth of that size."""

_FIRST_RECORDS = 20


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
        self._piece_bytes = piece_bytes
        self._piece_rows = piece_rows
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
            elif each.whole is not None:
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
            if folder in each.path.parents and self._is_recognised(each.path, is_named=False):
                each.note_read()
                break
        return summary.is_repetition()

    def _is_recognised(self, path: Path, *, is_named: bool) -> bool:
        """Whether a format recognises the file, or one of its first records.

        For a file found in a folder, the format must also be able to read the record.
        """
        try:
            if self._choice.file_format(path) is not None:
                return True
        except ReadError:
            return False
        notes = None if is_named else FolderNotes(path.parent)
        reader = EntryReader(Input(path, notes=notes), self._choice, _ignore)
        found = entries(path, longest=self._choice.max_line)
        for entry in islice(found, _FIRST_RECORDS):
            reader.read(entry)
            if reader.is_known:
                return True
        return False

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
        whole = each.whole.name if each.whole is not None else None
        return Piece(name, size=size, whole=whole, folder=folder)

    def _identity(self, path: Path) -> FileIdentity | None:
        """Identity of a file in a folder; ``None`` if it cannot be read."""
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                return None
            content = self._name(path)
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
                known = self._found(path, about, is_named=folder is None)
        except OSError:  # reported by its reader
            yield Piece(name, folder=folder)
            return
        self.identities[name] = known.identity
        for piece in known.pieces:
            yield replace(piece, folder=folder)

    def _found(self, path: Path, about: os.stat_result, *, is_named: bool) -> FoundFile:
        """Examine a file."""
        size, time = about.st_size, about.st_mtime_ns
        whole = (Piece(str(path), size=size),)
        with path.open("rb", buffering=0) as file:
            if file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC:
                found = footer(file, size)
                if found is not None:
                    known = f"footer:{sha256(found).hexdigest()}"
                    name = self._name(path) if is_remote(path) else known
                    identity = FileIdentity(size, time, name)
                    rows = self._row_pieces(path, size, is_named=is_named)
                    return FoundFile(identity, rows or whole)
            elif (
                self._is_large(path, size)
                and self._is_cut(path, is_named=is_named)
                and self._holds_lines(path)
            ):
                whole_format = self._choice.file_format(path)
                name = None if whole_format is None else whole_format.name
                if is_remote(path) or is_compressed_file(path):
                    parts = tuple(self._streamed_pieces(path, size, name))
                    return FoundFile(FileIdentity(size, time, self._name(path)), parts)
                lines, sums = self._line_pieces(path, file, size, name)
                known = f"crc32:{','.join(f'{each:08x}' for each in sums)}"
                return FoundFile(FileIdentity(size, time, known), lines)
        return FoundFile(FileIdentity(size, time, self._name(path)), whole)

    def _is_large(self, path: Path, size: int) -> bool:
        if size > self._piece_bytes:
            return True
        return size > self._piece_bytes // _PACKED and is_compressed_file(path)

    def _holds_lines(self, path: Path) -> bool:
        return is_json_lines(path, self._choice.max_line)

    def _name(self, path: Path) -> str | None:
        return content_identity(path) if self._identifies else None

    def _streamed_pieces(self, path: Path, size: int, whole: str | None) -> Iterator[Piece]:
        """Split a file that is read or decompressed from its beginning by line number.

        The part that cannot be decompressed belongs to the last piece.
        """
        cuts = [*line_cuts(path, self._piece_rows)]
        held = max(cuts[-1].offset, 1)
        is_streamed = is_compressed_file(path)
        for begin, end in pairwise(cuts):
            is_last = end is cuts[-1]
            yield Piece(
                str(path),
                size=size * end.offset // held - size * begin.offset // held,
                rows=end.line - begin.line,
                within=LineRange(begin.offset, None if is_last else end.offset, begin.line),
                whole=whole,
                is_streamed=is_streamed,
            )

    def _is_cut(self, path: Path, *, is_named: bool) -> bool:
        """Whether any part of a large file can be read record by record or line by line."""
        if self._choice.mapping is not None:  # reading it scans the whole file for its columns
            return False
        try:
            whole = self._choice.file_format(path)
        except ReadError:
            return False
        if whole is not None:
            return whole.lines is not None and whole.lines.are_in(path)
        return self._is_recognised(path, is_named=is_named)

    def _line_pieces(
        self, path: Path, file: BinaryIO, size: int, whole: str | None
    ) -> tuple[tuple[Piece, ...], list[int]]:
        """Split a file by the byte range in which lines begin; also the CRC-32 of each piece."""
        pieces: list[Piece] = []
        sums: list[int] = []
        begin, first = 0, 1
        while begin < size:
            end = next_line(file, (begin // self._piece_bytes + 1) * self._piece_bytes, size)
            file.seek(begin)
            content = scan(file, end - begin)
            pieces.append(
                Piece(
                    str(path),
                    size=end - begin,
                    rows=content.lines,
                    within=LineRange(begin, end, first),
                    whole=whole,
                )
            )
            sums.append(content.crc)
            begin, first = end, first + content.lines
        return tuple(pieces), sums

    def _row_pieces(self, path: Path, size: int, *, is_named: bool) -> tuple[Piece, ...]:
        """Combine row groups into pieces; empty if the file is small or is read whole.

        Raises:
            ConfigurationError: The type of a column does not fit its field.
        """
        about = checked_footer(path, self._choice, is_named=is_named)
        if about is None:
            return ()
        is_small = size <= self._piece_bytes and about.num_rows <= self._piece_rows
        if is_small or not self._is_cut(path, is_named=is_named):
            return ()
        pieces = []
        first = stop = held = 0
        for number in range(about.num_row_groups):
            group = about.row_group(number)
            stop += group.num_rows
            held += sum(
                group.column(each).total_compressed_size for each in range(group.num_columns)
            )
            is_full = held >= self._piece_bytes or stop - first >= self._piece_rows
            if stop > first and (is_full or number == about.num_row_groups - 1):
                within = RowRange(first, stop)
                pieces.append(Piece(str(path), size=held, rows=stop - first, within=within))
                first, held = stop, 0
        return tuple(pieces)


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


def _ignore(_: ReadProblem) -> None:
    """Report nothing."""
