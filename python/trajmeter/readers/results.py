"""Results tables written by ``trajmeter score``, as batches of the requested columns.

A table is a JSON lines, CSV or Parquet file, a folder of Parquet parts with their manifest, rows in
memory, or any exporter of Arrow batches. Texts are returned as texts and figures as numbers,
however the file stores them: booleans become 0 and 1, and NaN and infinities, which JSON stores as
text, become numbers again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from trajmeter import json_input
from trajmeter.errors import ConfigurationError, InputError, ReadError
from trajmeter.readers._files.containers import is_parquet
from trajmeter.readers._results.table import ResultRows, ResultsTable, TableKind
from trajmeter.schemas import require_pyarrow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pyarrow as pa

    from trajmeter.records import ReadProblem

    OnProblem: TypeAlias = Callable[[ReadProblem], None]

__all__ = [
    "ResultRows",
    "ResultsSource",
    "ResultsTable",
    "TableKind",
    "is_results_table",
    "open_results",
    "parameters_of",
    "rows_by_column",
]

ResultsSource: TypeAlias = "str | Path | Iterable[Mapping[str, Any]] | pa.Table | ResultsTable"
"""One table: a path, rows, an exporter of Arrow batches, or a table that is open already."""

_MANIFEST, _PARTS = "manifest.json", "rows"
_IDENTITY = "task_id"
_BEGUN = 10
"""Lines of a file of JSON lines among which one must be a row; the others may be broken."""


def open_results(
    source: ResultsSource, *, name: str = "rows", on_problem: OnProblem | None = None
) -> ResultsTable:
    """Open a results table.

    Args:
        source: A file, a folder of parts, rows, or an exporter of Arrow batches; a table that is
            open already is returned unchanged.
        name: Name for a table that is not a file.
        on_problem: Called with every unreadable row, which is skipped. Without it, the first one
            raises.

    Raises:
        ConfigurationError: A folder has no manifest, or the table has no column ``task_id``.
        ReadError: The file cannot be read.
        InputError: The source has another type.
        ExtraMissingError: pyarrow is not installed.
    """
    if isinstance(source, ResultsTable):
        return source
    require_pyarrow("results tables")
    report = on_problem or _raise
    table: ResultsTable
    if isinstance(source, (str, PathLike)):
        table = _open_path(Path(source), report)
    elif hasattr(source, "__arrow_c_stream__"):
        table = _ArrowTable(name, source)
    else:
        table = _RowsTable(name, source)
    if table.columns and _IDENTITY not in table.columns:
        raise ConfigurationError(
            f"{table.name}: not a results table: it has no column task_id; logs are scored first, "
            "with trajmeter score LOGS --output FILE"
        )
    return table


def rows_by_column(
    table: ResultsTable, texts: Sequence[str], numbers: Sequence[str], *, repeating: Sequence[str]
) -> Iterator[ResultRows]:
    """Read columns as :meth:`ResultsTable.batches` does, but Parquet numbers only on demand.

    A caller that takes one column of numbers after another then needs memory for only one. Several
    threads may take columns.
    """
    from trajmeter.readers._results.parquet import ParquetTable  # needs pyarrow

    if isinstance(table, ParquetTable):
        return table.rows_by_column(texts, numbers, repeating=repeating)
    return table.batches(texts, numbers, repeating=repeating)


def is_results_table(path: Path) -> bool:
    """Whether the content of a path looks like a results table.

    False for an unreadable file; its reader reports what is wrong.
    """
    if path.is_dir():
        return (path / _MANIFEST).exists() or (path / _PARTS).is_dir()
    try:
        with path.open("rb") as file:
            if is_parquet(file):
                return True
            lines = [*islice(json_input.lines(file), _BEGUN)]
    except (OSError, ReadError):
        return False
    if not lines:
        return False
    first, *others = (line.content for line in lines)
    if json_input.first_byte(first) == b"{":  # an indented object is one of a document
        return _is_row(first) or any(not each[:1].isspace() and _is_row(each) for each in others)
    header = first.decode(errors="replace").lstrip("\ufeff")
    return _IDENTITY in next(csv.reader([header]), [])


def _is_row(line: bytes) -> bool:
    try:
        row = json_input.parse(line)
    except ReadError:
        return False
    return isinstance(row, dict) and _IDENTITY in row


def _open_path(path: Path, report: OnProblem) -> ResultsTable:
    from trajmeter.readers._results.parquet import ParquetTable  # needs pyarrow

    if path.is_dir():
        return ParquetTable(str(path), _parts(path), _settings_of(path))
    try:
        with path.open("rb") as file:
            json_input.refuse_archive(file)
            first = None
            is_in_parquet = is_parquet(file)
            if not is_in_parquet:
                first = next(iter(islice(json_input.lines(file), 1)), None)
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror or error}") from error
    except ReadError as error:
        raise ReadError(f"{path}: {error}") from error
    if is_in_parquet:
        return ParquetTable(str(path), [path])
    from trajmeter.readers._results.lines import CsvTable, JsonLinesTable  # needs pyarrow

    if first is None:
        raise ReadError(f"{path}: the file is empty, expected a results table")
    if json_input.first_byte(first.content) == b"{":
        return JsonLinesTable(path, report)
    if not _may_be_header(first):
        raise ReadError(f"{path}: expected a results table in JSON lines, CSV or Parquet")
    return CsvTable(path, report)


def _may_be_header(line: json_input.Line) -> bool:
    """Whether a line may be the header of a CSV table: text that does not begin a JSON list."""
    try:
        text = line.content.decode()
    except UnicodeDecodeError:
        return False
    return "\0" not in text and not text.startswith("[")


def _parts(folder: Path) -> list[Path]:
    if not (folder / _MANIFEST).is_file():
        raise ConfigurationError(
            f"{folder}: no {_MANIFEST}, so the results in this folder are incomplete; finish the "
            "run that writes them, or name a file"
        )
    parts = sorted((folder / _PARTS).glob("*.parquet"))
    if not parts:
        raise ConfigurationError(f"{folder}: no Parquet parts in {_PARTS}/")
    return parts


def _settings_of(folder: Path) -> dict[str, str]:
    """The manifest's metadata on how the parts were made; empty if it cannot be read."""
    try:
        settings = json.loads((folder / _MANIFEST).read_bytes()).get("settings")
    except (OSError, ValueError, AttributeError):
        return {}
    return {"trajmeter.settings": json.dumps(settings)} if isinstance(settings, dict) else {}


def _raise(problem: ReadProblem) -> None:
    raise ReadError(str(problem))


class _ArrowTable:
    """An exporter of Arrow batches."""

    is_columnar = True

    label: str | None = None

    def __init__(self, name: str, source: Any) -> None:  # noqa: ANN401 - types of many libraries
        import pyarrow as pa

        from trajmeter.readers._results.batches import described

        self.name = name
        self._table = source if isinstance(source, pa.Table) else pa.table(source)
        self.columns, self.metadata = described(self._table.schema)

    def batches(
        self,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str] = (),
        *,
        repeating: Sequence[str] = (),  # noqa: ARG002 - used by Parquet only
        required: Collection[str] | None = None,  # noqa: ARG002 - used by text formats only
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        from trajmeter.readers._results.batches import arrow_batch, rows_at_once

        rows = rows_at_once([*texts, *numbers, *values])
        for batch in self._table.to_batches(rows):
            yield arrow_batch(batch, texts, numbers, self.name, values)


class _RowsTable:
    """Rows in memory."""

    metadata: Mapping[str, str]

    is_columnar = True

    label: str | None = None

    def __init__(self, name: str, source: object) -> None:
        from trajmeter.readers._results.batches import kinds_of

        expected = "a path, rows, or a table of Arrow"
        if isinstance(source, Mapping) or not isinstance(source, Iterable):
            raise InputError(f"a results table is {source!r}, expected {expected}")
        rows = list(source)
        for index, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise InputError(f"{name}[{index}] is {row!r}, expected a mapping from columns")
        self.name = name
        self._rows = cast("list[Mapping[str, Any]]", rows)
        self.metadata = {}
        self.columns: dict[str, TableKind] = kinds_of(self._rows)

    def batches(
        self,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str] = (),
        *,
        repeating: Sequence[str] = (),  # noqa: ARG002 - used by Parquet only
        required: Collection[str] | None = None,  # noqa: ARG002 - used by text formats only
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns."""
        from trajmeter.readers._results.batches import row_batch, rows_at_once

        most = rows_at_once([*texts, *numbers, *values])
        for start in range(0, len(self._rows), most):
            rows = self._rows[start : start + most]
            batch, problems = row_batch(rows, texts, numbers, values)
            for index, message in problems:
                raise ReadError(f"{self.name}[{start + index}]: {message}")
            yield batch


def parameters_of(metadata: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Version and parameters of each metric from a table's metadata; empty if absent."""
    try:
        metrics = json.loads(metadata.get("trajmeter.metrics", "{}"))
    except ValueError:
        return {}
    return metrics if isinstance(metrics, dict) else {}
