"""Markup of the attempt table: its frame and its compressed columns."""

from __future__ import annotations

import base64
import gzip
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.errors import InputError
from trajmeter.reports.html import escape, script_json
from trajmeter.reports.page.attempts import BLOCK, TextColumn
from trajmeter.reports.page.details import detail_json, text_json
from trajmeter.text import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.reports.page.attempts import AttemptTable, NumberColumn, SharedTable

__all__ = ["attempt_markup"]

_LEVEL = 4
"""Level of gzip; level 5 takes two thirds more time to save 7 %."""

# The script fills the empty elements, and shows the hidden ones.
_FRAME = """\
<section class="part" id="attempts" aria-labelledby="attempts-title">
<h2 id="attempts-title">{title}</h2>
<noscript><p>{count} rows. Searching, sorting and opening them needs JavaScript; everything above
reads without it.</p></noscript>
<p id="attempts-status" role="status" aria-live="polite"></p>
<div id="attempts-list" hidden>
<form class="controls" role="search">
<label>Search
<input type="search" id="attempts-search" autocomplete="off" spellcheck="false"></label>
<span id="attempts-filters"></span>
</form>
<div class="scroll" tabindex="0" role="group" aria-label="{title}">
<table class="figures" id="attempts-table"><thead><tr></tr></thead><tbody></tbody></table>
</div>
<nav class="pages" aria-label="Pages of the table">
<button type="button" id="attempts-previous">Previous page</button>
<span id="attempts-page"></span>
<button type="button" id="attempts-next">Next page</button>
</nav>
</div>
<article id="attempts-detail" aria-labelledby="attempts-opened" hidden>
<nav class="pages" aria-label="Attempts">
<a id="attempts-back" href="#attempts">Back to the table</a>
<a id="attempts-before">Previous</a>
<a id="attempts-after">Next</a>
</nav>
<h3 id="attempts-opened" tabindex="-1"></h3>
<div id="attempts-blocks"></div>
</article>
"""


def attempt_markup(table: AttemptTable) -> Iterator[str]:
    """Yield the section with the table, piece by piece; all text of records is escaped.

    Args:
        table: The table; its details are iterated once.

    Raises:
        InputError: The length of a column or of the details differs from that of the first column.
    """
    rows = len(_values(table.columns[0])) if table.columns else 0
    yield _FRAME.format(title=escape(table.title), count=f"{rows:,}")
    described = []
    for column in table.columns:
        found = len(_values(column))
        if found != rows:
            raise InputError(f"column {column.name!r} has {found} values, the first has {rows}")
        described.append(_described(column))
    tables = [_shared(each) for each in table.tables]
    directory = {"rows": rows, "block": BLOCK, "columns": described, "tables": tables}
    yield _script("directory", script_json(directory), kind="application/json")
    for place, column in enumerate(table.columns):
        yield _script(f"column-{place}", _packed(_values(column).tobytes()))
        if isinstance(column, TextColumn):
            yield _script(f"texts-{place}", _packed(text_json(column.texts)))
    yield from _details(table, rows)
    yield "</section>\n"


def _details(table: AttemptTable, rows: int) -> Iterator[str]:
    details = iter(table.details)
    read = 0
    for place in range(-(-rows // BLOCK)):
        block = [
            detail if isinstance(detail, str) else detail_json(detail)
            for detail in islice(details, BLOCK)
        ]
        read += len(block)
        yield _script(f"details-{place}", _packed(f"[{','.join(block)}]"))
    if read + sum(1 for _ in details) != rows:
        raise InputError(f"the table has {rows} rows, but details of another number of attempts")


def _values(column: TextColumn | NumberColumn) -> np.ndarray[Any, np.dtype[Any]]:
    """Codes or numbers of a column, as the browser reads them."""
    if isinstance(column, TextColumn):
        return np.ascontiguousarray(column.codes, dtype="<i4")
    return np.ascontiguousarray(column.values, dtype="<f8")


def _described(column: TextColumn | NumberColumn) -> dict[str, object]:
    named: dict[str, object] = {
        "name": without_controls(column.name),
        "label": without_controls(column.label),
    }
    if isinstance(column, TextColumn):
        return named | {"kind": "text", "texts": len(column.texts)}
    return named | {"kind": column.kind, "higher_is_better": column.higher_is_better}


def _shared(table: SharedTable) -> dict[str, object]:
    return {
        "title": without_controls(table.title),
        "header": [*map(without_controls, table.header)],
        "labels": [*map(without_controls, table.labels)],
        "numbers": table.numbers,
        "folded": table.folded,
    }


def _packed(data: bytes | str) -> str:
    held = data.encode() if isinstance(data, str) else data
    return base64.b64encode(gzip.compress(held, _LEVEL, mtime=0)).decode("ascii")


def _script(name: str, text: str, *, kind: str = "text/plain") -> str:
    return f'<script type="{kind}" id="attempts-{name}">{text}</script>\n'
