"""Batches from mini-swe-agent logs, many files at a time."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonColumns, JsonReader
    from trajmeter.readers._columns.batch_maker import BatchMaker
    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import Trajectory

    _Item: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]

__all__ = ["LogBatches"]

_FORMATS = ("mini-swe-agent-1", "mini-swe-agent-2")


class LogBatches:
    """Reads logs into columns.

    Args:
        choice: How files are read, including their formats.
        rows_of: Makes batches with every column.
        read_others: Yields the items of files that are not plain logs.
    """

    def __init__(
        self,
        choice: Choice[Trajectory],
        rows_of: BatchMaker,
        read_others: Callable[[list[Input]], Iterator[_Item]],
    ) -> None:
        self._choice = choice
        self._rows_of = rows_of
        self._read_others = read_others

    def items(self, logs: list[Input], reader: JsonReader) -> Iterator[_Item]:
        """Yield the logs in parts; calling a part yields its batches."""
        as_contextbench = self._choice.has_own_read_of(_FORMATS)
        while logs:
            files = [str(log.place) for log in logs]
            pieces, count = reader.read_logs(files, as_contextbench=as_contextbench)
            items = self._piece_items(pieces, logs[:count])
            # Together, so that the next logs are read while the batches of these are waiting.
            is_whole = not any(columns.refused for columns in pieces)
            yield from [partial(_in_order, [*items])] if is_whole else items
            logs = logs[count:]

    def _piece_items(self, pieces: list[JsonColumns], logs: list[Input]) -> Iterator[_Item]:
        """The rows of logs, and the logs left to the record reader, in order."""
        unread = {number for columns in pieces for _, number, *_ in columns.refused}
        for number, log in enumerate(logs):
            if number not in unread:
                log.note_read()
        for columns in pieces:
            batch = self._rows_of.in_schema(columns)
            versions = (columns.version_1, batch.num_rows - columns.version_1)
            counts = dict(zip(_FORMATS, versions, strict=True))
            done = 0
            for row, refused in groupby(columns.refused, itemgetter(0)):
                yield partial(iter, [batch.slice(done, row - done)])
                done = row
                yield from self._read_others([logs[number] for _, number, *_ in refused])
            yield partial(self._counted, batch.slice(done), counts)

    def _counted(self, batch: pa.RecordBatch, rows: Mapping[str, int]) -> Iterator[pa.RecordBatch]:
        self._choice.count(rows)
        return iter([batch])


def _in_order(items: Iterable[_Item]) -> Iterator[pa.RecordBatch]:
    for item in items:
        yield from item()
