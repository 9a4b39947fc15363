"""Batches from JSON documents that are lists of records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trajmeter.readers._columns.line_batches import ended
from trajmeter.readers._entry_reader import EntryReader
from trajmeter.readers._files.document_values import Document, chunks
from trajmeter.readers._files.list_documents import list_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._columns.certain_rows import CertainRows
    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import ReadProblem, Trajectory

__all__ = ["document_items"]


def document_items(
    file: Input,
    reader: JsonReader,
    choice: Choice[Trajectory],
    certain: CertainRows,
    report: Callable[[ReadProblem], None],
) -> Iterator[Callable[[], Iterator[pa.RecordBatch]]] | None:
    """Read the records of a document in parts; calling a part yields its batches.

    Args:
        file: The file.
        reader: Reads records into columns.
        choice: How files are read, including their formats.
        certain: Adds the rows that must be read as records.
        report: Called with everything that cannot be read.

    Returns:
        The parts; ``None`` if the file is not such a document or may be invalid JSON.
    """
    document = list_document(file.path) if file.within is None else None
    if document is None:
        return None
    return _items(file, document, reader, EntryReader(file, choice, report), certain)


def _items(
    file: Input,
    document: Document,
    reader: JsonReader,
    records: EntryReader[Trajectory],
    certain: CertainRows,
) -> Iterator[Callable[[], Iterator[pa.RecordBatch]]]:
    name = str(file.path)
    for numbers in chunks(document):
        values = [(f"[{number}]", document.item(number)) for number in numbers]
        for columns in reader.read_values(values, name):
            yield partial(certain.values, columns, values, name, records)
        if records.is_over:
            return
    yield partial(ended, records)
