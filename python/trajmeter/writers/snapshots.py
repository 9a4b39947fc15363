"""Writes files of snapshots: JSON lines, or Parquet with one row per snapshot."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Protocol

from trajmeter.schemas import require_pyarrow
from trajmeter.snapshots.parquet import snapshot_schema
from trajmeter.writers.atomic import replacing
from trajmeter.writers.files import FileWriter, check_place, check_suffix, finishing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = ["JsonLinesSnapshots", "SnapshotWriter", "check_snapshot_output", "open_snapshot_file"]


class SnapshotWriter(FileWriter, Protocol):
    """Writes snapshots to a stream that the caller opened and closes."""

    def write(self, repo: str | None, commit: str | None, entries: Mapping[str, bytes]) -> None:
        """Write one snapshot.

        Args:
            repo: Its repository.
            commit: Its commit.
            entries: Entry of each file as JSON, by path.
        """


class JsonLinesSnapshots:
    """Writes snapshots as JSON lines.

    Args:
        stream: Stream to write to.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, repo: str | None, commit: str | None, entries: Mapping[str, bytes]) -> None:
        """Write one snapshot."""
        head = json.dumps({"repo": repo, "commit": commit}, ensure_ascii=False)
        files = b",".join(b"%s:%s" % (_text(path), entry) for path, entry in entries.items())
        self._stream.write(b'%s,"files":{%s}}\n' % (head[:-1].encode(), files))

    def finish(self) -> None:
        """Do nothing, because nothing is buffered."""

    def abandon(self) -> None:
        """Do nothing, because nothing is buffered."""


class _ParquetSnapshots:
    """Writes snapshots as Parquet, each as a row group, so that it can be read individually."""

    def __init__(self, stream: BinaryIO) -> None:
        require_pyarrow("Parquet files")
        from pyarrow import parquet

        self._schema = snapshot_schema()
        self._writer = parquet.ParquetWriter(stream, self._schema, compression="zstd")

    def write(self, repo: str | None, commit: str | None, entries: Mapping[str, bytes]) -> None:
        """Write one snapshot."""
        import pyarrow as pa

        files = [{"path": path, **_columns(entry)} for path, entry in entries.items()]
        row = {"repo": repo, "commit": commit, "files": files}
        self._writer.write_table(pa.Table.from_pylist([row], self._schema))

    def finish(self) -> None:
        """Write the footer."""
        self._writer.close()

    def abandon(self) -> None:
        """Keep pyarrow from closing the file at garbage collection, on a closed stream."""
        self._writer.is_open = False


def _columns(entry: bytes) -> dict[str, object]:
    values: dict[str, object] = json.loads(entry)
    found = values.get("definitions")
    if isinstance(found, list):
        names = ("kind", "start", "end", "name")
        values["definitions"] = [dict(zip(names, each, strict=True)) for each in found]
    return values


_WRITERS: dict[str, Callable[[BinaryIO], SnapshotWriter]] = {
    ".jsonl": JsonLinesSnapshots,
    ".parquet": _ParquetSnapshots,
}


def check_snapshot_output(path: Path) -> None:
    """Check, before reading, that snapshots can be written to this file.

    Raises:
        ConfigurationError: The suffix belongs to no known format, or see
            :func:`~trajmeter.writers.check_place`.
    """
    check_suffix(path, _WRITERS)
    check_place(path)


@contextmanager
def open_snapshot_file(path: Path) -> Iterator[SnapshotWriter]:
    """Write snapshots to a file in the format of its suffix: JSON lines or Parquet.

    The file appears once all snapshots are written.

    Raises:
        ConfigurationError: See :func:`check_snapshot_output`; or the file cannot be written.
        ExtraMissingError: The format needs an extra that is not installed.
    """
    check_snapshot_output(path)
    with replacing(path) as stream, finishing(_WRITERS[path.suffix.lower()](stream)) as writer:
        yield writer


def _text(value: str) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
