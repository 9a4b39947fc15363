"""Prints names and values in two columns."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from trajmeter.cli._terminal import stdout_console

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["PlainFormat", "print_fields"]

_LARGE = 1000


class PlainFormat(str, Enum):
    """What to print."""

    TABLE = "table"
    """Names and values in two columns."""
    JSON = "json"
    """One JSON document."""


def print_fields(fields: Mapping[str, object]) -> None:
    """Print names and values in two columns; a nested mapping's name prefixes its names."""
    from trajmeter.reports.tables import Table
    from trajmeter.reports.terminal import print_table

    rows = tuple(_flat(fields, ""))
    table = Table("", ("field", "value"), rows, texts=(0, 1))
    print_table(table.visible(), stdout_console())


def _flat(fields: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", "-" if value is None else _text(value)


def _text(value: object) -> str:
    """The value; fractions have four digits, as costs may be small, or one decimal if large."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.1f}" if abs(value) >= _LARGE else f"{value:.4g}"
