"""Chooses which columns of a Parquet file to read, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from trajmeter.conforming.casting import holds_pairs
from trajmeter.readers._files.ranges import RowRange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pyarrow.parquet import FileMetaData, ParquetFile

__all__ = ["ChosenColumns", "chosen_columns"]

_RESULTS = ("tool_calls.result", "turns.tool_calls.result")
"""Columns that may outweigh all others, and are read only if requested."""
_LENGTH_BYTES = 4
"""Bytes that a text takes in a file beyond its own; a dictionary index takes fewer."""
_CODED = frozenset({"PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED"})
"""Encodings whose texts can be read as dictionaries."""


class ChosenColumns(NamedTuple):
    """Columns to read, by their names in the file."""

    names: list[str]
    """Columns to read."""
    repeated: list[str]
    """Which of them to read as dictionaries."""


def chosen_columns(
    content: ParquetFile,
    columns: Collection[str],
    within: RowRange | None,
    foreign: Collection[str] = (),
    *,
    may_nest: bool,
) -> ChosenColumns | None:
    """Choose the columns that contain the requested data.

    Args:
        content: A file of trajectory columns.
        columns: Names of trajectory columns; nested names use dots.
        within: Rows to read; all if ``None``.
        foreign: Columns of which one member is read, to find out whether they have a value.
        may_nest: Whether names and arguments of calls may be nested differently than in Trajmeter
            records.

    Returns:
        The columns, or ``None`` if only a member of a list is requested and the file lacks it.
    """
    schema, described = content.schema_arrow, content.schema
    leaves = _leaves(schema)
    wanted = set(map(_with_calls, columns) if may_nest else columns)
    left_out = [name for name in _RESULTS if not _is_within(name, columns)]
    chosen = [
        index
        for index, (path, _) in enumerate(leaves)
        if _is_within(path, wanted) and not _is_within(path, left_out)
    ]
    found = {leaves[index][0].partition(".")[0] for index in chosen}
    if ({name.partition(".")[0] for name in wanted} & set(schema.names)) - found:
        return None
    holders = [name for field in schema for name in [field.name] * len(_leaves([field]))]
    chosen += [index for index in map(holders.index, foreign) if index not in chosen]
    texts = [index for index in chosen if leaves[index][1] == pa.string()]
    return ChosenColumns(
        [described.column(index).path for index in chosen],
        _repeated(content.metadata, texts, within),
    )


def _repeated(metadata: FileMetaData, texts: Iterable[int], within: RowRange | None) -> list[str]:
    """Select the text columns that the file stores as indices into a few distinct texts.

    Reading and checking these as dictionaries is several times as fast; for other columns it is
    slower or impossible.
    """
    wanted, first = within or RowRange(0, metadata.num_rows), 0
    repeated: dict[int, str] | None = None
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        begin, first = first, first + group.num_rows
        if first > wanted.first and begin < wanted.stop:
            chosen = texts if repeated is None else repeated
            columns = [(index, group.column(index)) for index in chosen]
            repeated = {
                index: column.path_in_schema
                for index, column in columns
                if column.total_uncompressed_size < _LENGTH_BYTES * column.num_values
                and _CODED.issuperset(column.encodings)
            }
    return list((repeated or {}).values())


def _leaves(schema: Iterable[pa.Field[Any]]) -> list[tuple[str, pa.DataType]]:
    """Columns of a file by their trajectory names; nested names use dots.

    Columns within a mapping have the type of the mapping.
    """

    def below(path: str, arrow_type: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
        if pa.types.is_map(arrow_type):
            yield path, arrow_type
            for each, _ in below(path, arrow_type.item_type):
                yield each, arrow_type
        elif pa.types.is_struct(arrow_type):
            for field in arrow_type.fields:
                yield from below(f"{path}.{field.name}", field.type)
        elif hasattr(arrow_type, "value_field"):  # a list of any type
            item = arrow_type.value_field.type
            # The keys and values form one mapping, within which nothing has a name of its own.
            within = [each.type for each in item] if holds_pairs(arrow_type) else [item]
            for each in within:
                yield from below(path, each)
        else:
            yield path, arrow_type

    return [leaf for field in schema for leaf in below(field.name, field.type)]


def _with_calls(name: str) -> str:
    """A column, or all calls if it is one of theirs: name and arguments may be nested otherwise."""
    head, calls, _ = name.partition("tool_calls.")
    return f"{head}tool_calls" if calls else name


def _is_within(path: str, wanted: Collection[str]) -> bool:
    return any(f"{path}.".startswith(f"{name}.") for name in wanted)
