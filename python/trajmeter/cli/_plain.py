"""Names and values in two columns, for commands that answer with a handful of figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.cli._stdout import stdout_console
from trajmeter.reports.cells import visible
from trajmeter.reports.tables import Table
from trajmeter.reports.terminal import print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["print_fields"]

_LARGE = 1000


def print_fields(fields: Mapping[str, object]) -> None:
    """Print names and values; what is in a mapping among them is named after it."""
    rows = tuple(_flat(fields, ""))
    print_table(Table("", ("field", "value"), rows, texts=(0, 1)), stdout_console())


def _flat(fields: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", "-" if value is None else visible(_text(value))


def _text(value: object) -> str:
    """The value; a fraction in four digits, as a cost may be small, or one decimal if large."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.1f}" if abs(value) >= _LARGE else f"{value:.4g}"
