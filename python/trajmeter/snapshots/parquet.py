"""Snapshots in a Parquet file, a row for each repository and commit."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.errors import ReadError
from trajmeter.records import ReadProblem
from trajmeter.remote import arrow_source
from trajmeter.schemas import require_pyarrow
from trajmeter.snapshots._indexed import IndexedSnapshots, Place
from trajmeter.snapshots._lines import checked_file
from trajmeter.snapshots.snapshot import Definitions, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyarrow import parquet

    from trajmeter.snapshots.snapshot import FileSnapshot

__all__ = ["ParquetSnapshots", "snapshot_schema"]


@cache
def snapshot_schema() -> pa.Schema:
    """Columns of a file of snapshots; they are those of a line of JSON, files as a list.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """
    require_pyarrow("Parquet files")
    import pyarrow as pa

    definition = pa.struct(
        [("kind", pa.string()), ("start", pa.int64()), ("end", pa.int64()), ("name", pa.string())]
    )
    file = pa.struct(
        [
            ("path", pa.string()),
            ("size", pa.int64()),
            ("line_starts", pa.list_(pa.int64())),
            ("definitions", pa.list_(definition)),
        ]
    )
    return pa.schema([("repo", pa.string()), ("commit", pa.string()), ("files", pa.list_(file))])


class ParquetSnapshots(IndexedSnapshots):
    """The snapshots of one Parquet file."""

    unit = "row"

    def index(self, on_problem: Callable[[ReadProblem], None]) -> None:
        """Note the row group of each row."""
        name = str(self.path)
        with self._open() as file:
            if not file.schema_arrow.equals(snapshot_schema()):
                columns = ", ".join(snapshot_schema().names)
                message = (
                    "not a file of snapshots, which trajmeter snapshot writes, with the columns "
                    f"{columns}"
                )
                on_problem(ReadProblem(file=name, message=message))
                return
            number = 0
            for group in range(file.num_row_groups):
                size = file.metadata.row_group(group).total_byte_size
                for head in self._heads(file, group):
                    try:
                        self.note(head["commit"], Place(head["repo"], group, size, number))
                    except ReadError as error:
                        on_problem(ReadProblem(file=name, record=f"[{number}]", message=str(error)))
                    number += 1
            if not number:
                on_problem(ReadProblem(file=name, message="the file is empty, expected snapshots"))

    def read(self, place: Place) -> Snapshot:
        """Read one row."""
        import pyarrow as pa

        with self._open() as file:
            before = sum(file.metadata.row_group(each).num_rows for each in range(place.offset))
            try:
                rows: Any = file.read_row_group(place.offset)
                row = rows.slice(place.number - before, 1).to_batches()[0]
                files = dict(_files(_without_nulls(row.column("files"))))
            except (pa.ArrowException, OSError, UnicodeDecodeError, ReadError) as error:
                raise ReadError(f"{self.path}[{place.number}]: {error}") from error
        return Snapshot(row.column("repo")[0].as_py(), row.column("commit")[0].as_py(), files)

    def _heads(self, file: parquet.ParquetFile, group: int) -> list[dict[str, Any]]:
        """Repository and commit of each row of a row group."""
        import pyarrow as pa

        try:
            return file.read_row_group(group, columns=["repo", "commit"]).to_pylist()
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ReadError(f"{self.path}: damaged: {error}") from error

    @contextmanager
    def _open(self) -> Iterator[parquet.ParquetFile]:
        require_pyarrow("Parquet files")
        import pyarrow as pa
        from pyarrow import parquet

        with ExitStack() as stack:
            source = stack.enter_context(arrow_source(self.path))
            try:
                file = stack.enter_context(parquet.ParquetFile(source))
            except (pa.ArrowException, UnicodeDecodeError) as error:
                raise ReadError(f"{self.path}: not a Parquet file: {error}") from error
            yield file


def _without_nulls(column: Any) -> Any:  # noqa: ANN401 - an array of lists of records
    """The files of a row, of which only definitions and their names may be null.

    Raises:
        ReadError: Another value is null.
    """
    files = column.flatten()
    found = files.field("definitions").flatten()
    parts = [("files", column), ("files", files), ("files.definitions", found)]
    parts += [(f"files.{name}", files.field(name)) for name in ("path", "size", "line_starts")]
    parts += [("files.line_starts", files.field("line_starts").flatten())]
    parts += [(f"files.definitions.{name}", found.field(name)) for name in ("kind", "start", "end")]
    for name, values in parts:
        if values.null_count:
            raise ReadError(f"{name}: expected no null")
    return files


def _files(files: Any) -> Iterator[tuple[str, FileSnapshot]]:  # noqa: ANN401 - an array of records
    starts, definitions = files.field("line_starts"), files.field("definitions")
    columns = zip(files.field("path").to_pylist(), files.field("size").to_pylist(), strict=True)
    for at, (path, size) in enumerate(columns):
        known = definitions[at]
        found = None
        if known.is_valid:
            values = known.values
            kind, name = (tuple(values.field(each).to_pylist()) for each in ("kind", "name"))
            start, end = (_column(values.field(each)) for each in ("start", "end"))
            found = Definitions(kind, start, end, name)
        yield path, checked_file(path, size, _column(starts[at].values), found)


def _column(values: Any) -> np.ndarray[Any, np.dtype[np.int64]]:  # noqa: ANN401 - an array
    return np.array(values.to_numpy(zero_copy_only=False), np.int64)
