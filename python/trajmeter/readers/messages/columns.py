"""Reads files of message lists in Rust: documents and JSON lines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trajmeter.readers._columns.column_reader import lists_reader
from trajmeter.readers._columns.line_batches import BLOCK_BYTES, read_lines
from trajmeter.readers._files.containers import holds_lists
from trajmeter.readers._files.document_values import chunks
from trajmeter.readers._files.entries import Entry, read_line, read_value
from trajmeter.readers._files.list_documents import list_document
from trajmeter.readers._recognition.formats import Piece
from trajmeter.records import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._files.ranges import LineRange
    from trajmeter.readers.messages.attempts import Attempts
    from trajmeter.records import ReadProblem, Trajectory

__all__ = ["pieces_of", "pieces_of_lines"]

_OBJECT, _LIST = b"{["


def pieces_of(path: Path, columns: Collection[str], attempts: Attempts) -> Iterator[Piece] | None:
    """Read the attempts of a file into columns if that is faster.

    Args:
        path: The file.
        columns: Names of the columns to fill.
        attempts: Makes the skipped attempts.

    Returns:
        The pieces; ``None`` for a document that mixes lists and messages, for one message per line,
        and for unreadable files.
    """
    reader = lists_reader(frozenset(columns))
    document = list_document(path)
    if document is None:
        return _on_lines(path, reader, attempts) if holds_lists(path) else None
    begins = {document.content[begin] for begin, _ in document.items}
    if begins == {_OBJECT}:
        whole = [(None, document.content)]
        return _in_document([whole], path, reader, attempts)
    if begins != {_LIST}:
        return None
    parts = (
        [(f"[{number}]", document.item(number)) for number in numbers]
        for numbers in chunks(document)
    )
    return _in_document(parts, path, reader, attempts)


def pieces_of_lines(
    path: Path, lines: LineRange, columns: Collection[str], attempts: Attempts
) -> Iterator[Piece]:
    """Read some lines of a file into columns, as :func:`pieces_of` does for all lines."""
    return _on_lines(path, lists_reader(frozenset(columns)), attempts, lines)


def _in_document(
    parts: Iterable[Sequence[tuple[str | None, bytes]]],
    path: Path,
    reader: JsonReader,
    attempts: Attempts,
) -> Iterator[Piece]:
    file = str(path)
    for lists in parts:

        def read(
            number: int,
            report: Callable[[ReadProblem], None],
            lists: Sequence[tuple[str | None, bytes]] = lists,
        ) -> Iterator[Trajectory]:
            name, content = lists[number]
            return attempts.of([read_value(Source(file=file, record=name), content)], report)

        for found in reader.read_values(lists, file):
            yield Piece(found, read)


def _on_lines(
    path: Path, reader: JsonReader, attempts: Attempts, lines: LineRange | None = None
) -> Iterator[Piece]:
    for part in read_lines(path, reader, lines=lines, size=BLOCK_BYTES):
        if isinstance(part, Entry):
            yield Piece(None, partial(_left_out, attempts, part))
        else:
            places = {line: (begin, end) for _, line, begin, end in part.columns.refused}
            yield Piece(part.columns, partial(_line, attempts, str(path), part.block, places))
    yield Piece(None, lambda _, report: attempts.rest(report))


def _left_out(
    attempts: Attempts, entry: Entry, _: int, report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    return attempts.of([entry], report)


def _line(
    attempts: Attempts,
    file: str,
    block: bytes,
    places: Mapping[int, tuple[int, int]],
    number: int,
    report: Callable[[ReadProblem], None],
) -> Iterator[Trajectory]:
    """The content of a skipped line."""
    begin, end = places[number]
    return attempts.of([read_line(file, number, block[begin:end])], report)
