"""Benchmark tables as JSON lines, read into record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from trajmeter import json_input
from trajmeter.arrays import filled
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.lines import bounded_blocks
from trajmeter.readers.benchmark_rows.attempts import ENTRY_FIELDS, OF_A_RECORD, AttemptIdentity
from trajmeter.readers.benchmark_rows.batches import (
    ABOUT,
    AttemptColumns,
    AttemptIdentityColumns,
    attempt_batches,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

__all__ = ["read_lines"]

_BLOCK_BYTES = 16 << 20


def read_lines(path: Path, columns: Collection[str]) -> Iterator[pa.RecordBatch] | None:
    """Read every attempt; ``None`` if the file must be read in the record form.

    Args:
        path: The file.
        columns: Names of the columns to fill.
    """
    from trajmeter.kernels._rust import BenchmarkLines

    fields = [(name, field, name != "significant") for name, field in ENTRY_FIELDS.items()]
    lines = BenchmarkLines(fields, ABOUT, OF_A_RECORD)
    number = 1
    try:
        with open_content(path) as file:
            for block in bounded_blocks(file, _BLOCK_BYTES):
                following = None if block.error else lines.read(block.content, number)
                if following is None:
                    return None
                number = following
    except OSError:
        return None
    found = lines.attempts()
    if found is None:
        return None
    attempts = pa.record_batch(found)
    if not len(attempts):  # a problem with the whole file
        return None
    about = {name: _values(attempts.column(name)) for name in ABOUT}
    return attempt_batches(
        str(path),
        AttemptColumns(
            AttemptIdentityColumns(*(attempts.column(name) for name in AttemptIdentity._fields)),
            attempts.column("line").to_pylist(),
            None,
            filled(attempts.column("size"), 0),
            lambda start, stop: pa.record_batch(lines.take_tables(start, stop)).column(0),
            None,
            {name: values for name, values in about.items() if values is not None},
        ),
        columns,
    )


def _values(texts: Any) -> list[object] | None:  # noqa: ANN401 - an array of texts
    """Parse JSON texts; ``None`` if there are none."""
    if texts.null_count == len(texts):
        return None
    parsed: dict[str | None, object] = {None: None}
    for text in texts.unique().to_pylist():
        if text is not None:
            parsed[text] = json_input.parse(text.encode())
    return [parsed[text] for text in texts.to_pylist()]
