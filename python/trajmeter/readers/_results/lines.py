"""Results tables in text formats: JSON lines and CSV."""

from __future__ import annotations

import io
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json

from trajmeter import json_input
from trajmeter.arrays import MatchSubstringOptions, call_function, cast
from trajmeter.errors import ReadError
from trajmeter.readers._files.lines import line_blocks
from trajmeter.readers._results.batches import (
    arrow_batch,
    kinds_of,
    number_of,
    refuse_key,
    row_batch,
    with_nulls,
)
from trajmeter.readers._results.json_blocks import is_row_by_line
from trajmeter.records import ReadProblem
from trajmeter.text import from_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from trajmeter.arrays import Array
    from trajmeter.readers._results.table import TableKind

__all__ = ["CsvTable", "JsonLinesTable"]

_BLOCK = 1 << 24
"""Bytes to parse at a time."""
_PROBED = 100
"""Number of rows from which the columns of text formats are detected."""


class JsonLinesTable:
    """A table with an object on each line.

    Args:
        path: The file.
        report: Called with every skipped line.
    """

    metadata: Mapping[str, str]

    is_columnar = False

    label: str | None = None

    def __init__(self, path: Path, report: Callable[[ReadProblem], None]) -> None:
        self.name = str(path)
        self._path = path
        self._report = report
        self.metadata = {}
        with path.open("rb") as file:
            probed = [*islice(json_input.lines(file), _PROBED)]
            self.columns: dict[str, TableKind] = kinds_of(_objects(probed))
            if len(probed) == _PROBED:
                file.seek(probed[-1].offset)
                nulls = [name for name, kind in self.columns.items() if kind == "unknown"]
                self.columns |= _further_kinds(file, nulls)

    def batches(
        self,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str] = (),
        *,
        repeating: Sequence[str] = (),  # noqa: ARG002 - used by Parquet only
        required: Collection[str] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Read selected columns."""
        fields: list[pa.Field[Any]] = [pa.field(name, pa.string()) for name in texts]
        for name in numbers:
            is_boolean = self.columns.get(name) == "boolean"
            fields.append(pa.field(name, pa.bool_() if is_boolean else pa.float64()))
        options = pa_json.ParseOptions(
            explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
        )
        line = 1
        try:
            with self._path.open("rb") as file:
                for block in line_blocks(file, _BLOCK):
                    batch = None
                    if not values:  # which Arrow does not convert to text
                        batch = self._parsed(block, options, texts, numbers)
                    if batch is None:
                        batch = self._read_lines(block, line, texts, numbers, values, required)
                    yield batch
                    line += block.count(b"\n")
        except OSError as error:
            raise ReadError(f"{self.name}: {error.strerror or error}") from error

    def _parsed(
        self,
        block: bytes,
        options: pa_json.ParseOptions,
        texts: Sequence[str],
        numbers: Sequence[str],
    ) -> pa.RecordBatch | None:
        """Read with Arrow; ``None`` if a column mixes types or a line may not be a JSON object."""
        reading = pa_json.ReadOptions(use_threads=True, block_size=len(block) + 1)
        try:
            table = pa_json.read_json(
                io.BytesIO(block), read_options=reading, parse_options=options
            )
        except (pa.ArrowException, ValueError):
            return None
        if not is_row_by_line(block, table.num_rows):
            return None
        columns = [table.column(field.name).combine_chunks() for field in table.schema]
        batch = pa.record_batch(columns, names=table.schema.names)
        return arrow_batch(batch, texts, numbers, self.name)

    def _read_lines(
        self,
        block: bytes,
        first: int,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str],
        required: Collection[str] | None,
    ) -> pa.RecordBatch:
        rows: list[dict[str, Any]] = []
        places: list[int] = []
        for line in json_input.lines(io.BytesIO(block)):
            number = first - 1 + line.number
            try:
                row = json_input.parse(line.content)
            except ReadError as error:
                self._report(ReadProblem(file=self.name, line=number, message=str(error)))
                continue
            if not isinstance(row, dict):
                message = f"expected an object, got {json_input.type_name(row)}"
                self._report(ReadProblem(file=self.name, line=number, message=message))
                continue
            rows.append(row)
            places.append(number)
        batch, problems = row_batch(rows, texts, numbers, values, required=required)
        for index, message in problems:
            self._report(ReadProblem(file=self.name, line=places[index], message=message))
        return batch


def _further_kinds(file: BinaryIO, names: Sequence[str]) -> dict[str, TableKind]:
    """Types of columns that are null in the first rows, by their first value in the next block."""
    found: dict[str, TableKind] = {}
    left, searched, pattern = set(names), len(names), _value_of(names)
    block, at = next(line_blocks(file, _BLOCK), b""), 0
    while left:
        if len(left) <= searched // 2:  # not for each name, as there may be many
            searched, pattern = len(left), _value_of(left)
        if (value := pattern.search(block, at)) is None:
            break
        first = block.rfind(b"\n", 0, value.start()) + 1
        at = block.find(b"\n", value.end()) + 1 or len(block)
        line = json_input.Line(0, 0, block[first:at])
        for name, kind in kinds_of(_objects([line])).items():
            if name in left and kind != "unknown":
                found[name] = kind
                left.discard(name)
    return found


def _value_of(names: Iterable[str]) -> re.Pattern[bytes]:
    """Finds a value other than null of a key, which may also be one of a nested object."""
    keys = (re.escape(json.dumps(name, ensure_ascii=False).encode()) for name in sorted(names))
    return re.compile(rb"(?:%b)\s*:(?!\s*null)" % b"|".join(keys))


def _objects(lines: Iterable[json_input.Line]) -> Iterator[dict[str, Any]]:
    """The objects among some lines."""
    for line in lines:
        try:
            row = json_input.parse(line.content)
        except ReadError:
            continue
        if isinstance(row, dict):
            yield row


class CsvTable:
    """A CSV table with a header.

    Args:
        path: The file.
        report: Called with every skipped row.
    """

    metadata: Mapping[str, str]

    is_columnar = False

    label: str | None = None

    def __init__(self, path: Path, report: Callable[[ReadProblem], None]) -> None:
        self.name = str(path)
        self._path = path
        self._report = report
        self.metadata = {}
        self.columns: dict[str, TableKind] = {}
        with path.open("rb") as file:
            head = next(line_blocks(file, 1 << 20), b"")
        try:
            reader = self._open(io.BytesIO(head), None)
            self.columns = dict.fromkeys(reader.schema.names, "unknown")
            table = reader.read_next_batch()
        except StopIteration:
            table = None
        except pa.ArrowException as error:
            raise ReadError(
                f"{path}: expected a table of comma-separated values: {error}"
            ) from error
        if table is not None:
            for name, column in zip(table.schema.names, table.columns, strict=True):
                known = column.slice(0, _PROBED).drop_null().to_pylist()
                self.columns[name] = _kind_of_text([str(cell) for cell in known])

    def batches(
        self,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str] = (),
        *,
        repeating: Sequence[str] = (),  # noqa: ARG002 - used by Parquet only
        required: Collection[str] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Read selected columns; CSV has no lists."""
        for name in numbers:
            refuse_key(name, texts)
        wanted = [name for name in (*texts, *numbers) if name in self.columns]
        before = 0
        try:
            with self._path.open("rb") as file:
                for batch in self._open(file, wanted):
                    read = self._converted(batch, before, texts, numbers, required)
                    yield with_nulls(read, values)
                    before += batch.num_rows
        except OSError as error:
            raise ReadError(f"{self.name}: {error.strerror or error}") from error
        except pa.ArrowException as error:
            raise ReadError(f"{self.name}: {error}") from error

    def _open(self, file: BinaryIO, wanted: list[str] | None) -> pa_csv.CSVStreamingReader:
        """Read every column as text; empty fields are null."""
        names = wanted if wanted is not None else list(self.columns)
        return pa_csv.open_csv(
            file,
            read_options=pa_csv.ReadOptions(block_size=_BLOCK),
            parse_options=pa_csv.ParseOptions(
                newlines_in_values=True, invalid_row_handler=self._skip
            ),
            convert_options=pa_csv.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=True,
                null_values=[""],
                true_values=[],
                false_values=[],
            ),
        )

    def _skip(self, row: pa_csv.InvalidRow) -> Literal["skip"]:
        message = f"{row.actual_columns} fields, expected {row.expected_columns}"
        self._report(ReadProblem(file=self.name, line=row.number, message=message))
        return "skip"

    def _converted(
        self,
        batch: pa.RecordBatch,
        before: int,
        texts: Sequence[str],
        numbers: Sequence[str],
        required: Collection[str] | None,
    ) -> pa.RecordBatch:
        names = batch.schema.names
        columns: list[Any] = []
        skipped: dict[int, str] = {}
        problems: list[tuple[int, str]] = []
        for name in (*texts, *numbers):
            if name not in names:
                columns.append(
                    pa.nulls(batch.num_rows, pa.string() if name in texts else pa.float64())
                )
                continue
            cells = batch.column(name)
            plain = _unmarked(cells) if name in texts else _parsed(cells)
            if plain is not None:
                columns.append(plain)
                continue
            encoded = cells.dictionary_encode()
            known = [from_cell(str(cell)) for cell in encoded.dictionary.to_pylist()]
            if name in texts:
                columns.append(pa.array(known, pa.string()).take(encoded.indices))
                continue
            values, wrong = _numbers(known, name)
            for code, message in wrong.items():
                found = encoded.indices.to_numpy(zero_copy_only=False) == code
                for row in found.nonzero()[0].tolist():
                    if required is None or name in required:
                        skipped.setdefault(row, message)
                    else:
                        problems.append((row, message))
            columns.append(pa.array(values, pa.float64()).take(encoded.indices))
        converted = pa.record_batch(columns, names=[*texts, *numbers])
        others = [each for each in problems if each[0] not in skipped]
        for row, message in sorted([*skipped.items(), *others]):
            problem = ReadProblem(file=self.name, record=f"row {before + row + 1}", message=message)
            self._report(problem)
        if not skipped:
            return converted
        kept = [row for row in range(batch.num_rows) if row not in skipped]
        return converted.take(pa.array(kept, pa.int64()))


def _unmarked(cells: Array) -> Array | None:
    """Cells of text as they are; ``None`` if any may have a mark."""
    marked = call_function("starts_with", [cells], MatchSubstringOptions("'"))
    return None if call_function("any", [marked]).as_py() else cells


def _parsed(cells: Array) -> Array | None:
    """Cells as numbers; ``None`` if any is written as only Python reads it."""
    try:
        found = cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return None
    is_nan = call_function("is_nan", [found])
    return None if call_function("any", [is_nan]).as_py() else found  # Arrow also reads nan(1)


def _numbers(cells: list[str], name: str) -> tuple[list[float | None], dict[int, str]]:
    values: list[float | None] = []
    wrong: dict[int, str] = {}
    for code, cell in enumerate(cells):
        try:
            values.append(number_of(cell, name))
        except ValueError as error:
            values.append(None)
            wrong[code] = str(error)
    return values, wrong


def _kind_of_text(cells: list[str]) -> TableKind:
    if not cells:
        return "unknown"
    if all(cell in ("true", "false") for cell in cells):
        return "boolean"
    try:
        for cell in cells:
            float(cell)
    except ValueError:
        return "text"
    return "integer" if all(cell.lstrip("-").isdigit() for cell in cells) else "number"
