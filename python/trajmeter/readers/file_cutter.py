"""Cuts a large file into pieces that any process can read separately.

A JSON lines or Parquet file is cut at line or row-group boundaries. Its first records decide for
all pieces whether its records are recognised.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import islice, pairwise
from typing import TYPE_CHECKING, BinaryIO

from trajmeter.errors import ReadError
from trajmeter.readers._columns.piece import FoundFile, Piece
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.containers import PARQUET_MAGIC, is_json_lines
from trajmeter.readers._files.content import is_compressed_file
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.folder_notes import FolderNotes
from trajmeter.readers._files.identities import FileIdentity, content_identity
from trajmeter.readers._files.inputs import Input
from trajmeter.readers._files.ranges import LineRange, RowRange
from trajmeter.readers._files.scanning import footer, line_cuts, next_line, scan
from trajmeter.readers.column_types import checked_footer
from trajmeter.remote import is_remote

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import ReadProblem, Trajectory

__all__ = ["FileCutter"]

_PACKED = 8
"""A compressed file is cut at an eighth of the size of others."""

_FIRST_RECORDS = 20


class FileCutter:
    """Cuts files into pieces.

    Args:
        choice: How the files are read.
        identifies: Whether to read every file to determine its identity.
        piece_bytes: Minimum size in bytes at which a file is cut.
        piece_rows: Minimum number of rows at which a file is cut.
    """

    def __init__(
        self,
        choice: Choice[Trajectory],
        *,
        identifies: bool,
        piece_bytes: int,
        piece_rows: int,
    ) -> None:
        self._choice = choice
        self._identifies = identifies
        self._piece_bytes = piece_bytes
        self._piece_rows = piece_rows

    def cut(self, path: Path, about: os.stat_result, *, is_named: bool) -> FoundFile:
        """Examine a file, and cut it if it is large.

        Args:
            path: The file.
            about: Its size and time.
            is_named: Whether it was named, and not found in a folder.

        Raises:
            OSError: It cannot be read.
            ConfigurationError: The type of a Parquet column does not fit its field.
        """
        size, time = about.st_size, about.st_mtime_ns
        whole = (Piece(str(path), size=size),)
        with path.open("rb", buffering=0) as file:
            if file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC:
                found = footer(file, size)
                if found is not None:
                    known = f"footer:{sha256(found).hexdigest()}"
                    name = self.content_of(path) if is_remote(path) else known
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
                    return FoundFile(FileIdentity(size, time, self.content_of(path)), parts)
                lines, sums = self._line_pieces(path, file, size, name)
                known = f"crc32:{','.join(f'{each:08x}' for each in sums)}"
                return FoundFile(FileIdentity(size, time, known), lines)
        return FoundFile(FileIdentity(size, time, self.content_of(path)), whole)

    def is_recognised(self, path: Path, *, is_named: bool) -> bool:
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

    def content_of(self, path: Path) -> str | None:
        """What identifies the content of a file; ``None`` if not requested."""
        return content_identity(path) if self._identifies else None

    def _is_large(self, path: Path, size: int) -> bool:
        if size > self._piece_bytes:
            return True
        return size > self._piece_bytes // _PACKED and is_compressed_file(path)

    def _holds_lines(self, path: Path) -> bool:
        return is_json_lines(path, self._choice.max_line)

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
        return self.is_recognised(path, is_named=is_named)

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


def _ignore(_: ReadProblem) -> None:
    """Report nothing."""
