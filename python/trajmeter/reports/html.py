"""Renders text, data and tables as HTML."""

from __future__ import annotations

import json
from html import escape as escape_markup
from typing import TYPE_CHECKING

from trajmeter.reports.cells import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.reports.tables import Table

__all__ = ["escape", "render_table", "script_json"]

_LEFT, _RIGHT = (f' style="text-align: {side}"' for side in ("left", "right"))


def escape(text: str) -> str:
    r"""Escape text so that HTML shows it unchanged, on one line.

    Example:
        >>> escape("<b>\u202e")
        '&lt;b&gt;\\u202e'
    """
    return escape_markup(visible(text))


def script_json(value: object) -> str:
    r"""Serialise JSON so that no text in it can end its script element.

    Example:
        >>> script_json("</script>")
        '"\\u003c/script\\u003e"'
    """
    return (
        json.dumps(value, ensure_ascii=True, allow_nan=False)
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
    )


def render_table(table: Table) -> str:
    """Render a table as HTML, without its title; all text is escaped."""
    body = "".join(_row("td", row, table.texts) for row in table.rows)
    head = _row("th", table.header, table.texts)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _row(element: str, cells: Iterable[str], texts: tuple[int, ...]) -> str:
    return f"<tr>{''.join(_cells(element, cells, texts))}</tr>"


def _cells(element: str, cells: Iterable[str], texts: tuple[int, ...]) -> Iterator[str]:
    for column, cell in enumerate(cells):
        style = _LEFT if column in texts else _RIGHT
        yield f"<{element}{style}>{escape(cell)}</{element}>"
