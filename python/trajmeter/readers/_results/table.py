"""The interface of results tables and their rows, for every storage format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.arrays import Array

__all__ = ["ResultRows", "ResultsTable", "TableKind"]

TableKind: TypeAlias = Literal["boolean", "integer", "number", "text", "other", "unknown"]
"""Type of a column's values; *unknown* if those that were read are all null."""


class ResultRows(Protocol):
    """Some rows of a results table."""

    @property
    def num_rows(self) -> int:
        """Number of rows."""

    def column(self, name: str, /) -> Array:
        """Return a requested column."""

    def filter(self, kept: Any, /) -> ResultRows:  # noqa: ANN401 - a mask of Arrow
        """Return the rows where a mask is true."""


@runtime_checkable
class ResultsTable(Protocol):
    """One results table."""

    @property
    def name(self) -> str:
        """Path of the file, or the name of the table."""

    @property
    def label(self) -> str | None:
        """Name of the table in results; ``None`` for that of its file."""

    @property
    def columns(self) -> Mapping[str, TableKind]:
        """The type of each column, as far as known before reading."""

    @property
    def is_columnar(self) -> bool:
        """Whether some columns can be read without parsing the others."""

    @property
    def metadata(self) -> Mapping[str, str]:
        """Metadata of the file, under the keys of the Arrow schema."""

    def batches(
        self,
        texts: Sequence[str],
        numbers: Sequence[str],
        values: Sequence[str] = (),
        *,
        repeating: Sequence[str] = (),
        required: Collection[str] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Read some columns.

        Args:
            texts: Columns to read as text.
            numbers: Columns to read as numbers.
            values: Columns to read as JSON text, such as lists.
            repeating: Text columns that may be returned as dictionaries, so that each text is read
                once; a dictionary may contain texts that no row has.
            required: Columns whose values a row must have readable, or it is skipped; an unreadable
                value of another column is reported and missing. By default all columns.
        """
