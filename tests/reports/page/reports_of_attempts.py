"""Reports for the tests of the page: a few attempts with hostile text, or very many."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.reports.cells import Cell
from trajmeter.reports.charts import Interval, IntervalChart, IntervalGroup
from trajmeter.reports.page.attempts import (
    AttemptTable,
    DetailBlock,
    NumberColumn,
    SharedTable,
    TextColumn,
)
from trajmeter.reports.page.document import Document, Fold, Part, PartTable
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.reports.page.attempts import Detail

__all__ = [
    "HOSTILE",
    "details_of_page",
    "few_attempts",
    "many_attempts",
    "report_of",
    "whole_block",
]

HOSTILE = "</script><img src=x onerror=\"document.title = 'broken'\">"

_NAN = float("nan")


def whole_block(fields: dict[str, Any], tables: Sequence[SharedTable]) -> dict[str, Any]:
    """A block of the page as a reader sees it, with the table rows that its values belong to."""
    if "table" not in fields:
        return fields
    table = tables[fields["table"]]
    pairs = zip(table.labels, fields.get("values", [None] * len(table.labels)), strict=True)
    rows = [[label, value] for label, value in pairs if value is not None]
    whole = {
        "title": table.title,
        "facts": fields.get("facts", []),
        "header": [*table.header],
        "rows": rows,
        "numbers": [*table.numbers],
        "folded": table.folded,
    }
    return {name: value for name, value in whole.items() if value}


def details_of_page(html: str) -> list[list[dict[str, Any]]]:
    """The blocks of each attempt that a page holds."""
    (directory,) = re.findall(r'id="attempts-directory">([^<]*)<', html)
    tables = [SharedTable(**each) for each in json.loads(directory)["tables"]]
    packed = re.findall(r'id="attempts-details-\d+">([^<]*)<', html)
    return [
        [whole_block(block, tables) for block in detail]
        for text in packed
        for detail in json.loads(gzip.decompress(base64.b64decode(text)))
    ]


def few_attempts() -> AttemptTable:
    """Six attempts at three tasks; the last has hostile text in every field."""
    outcomes = ["scored", "scored", "not_scored", "scored", None, HOSTILE]
    columns = (
        _texts("task_id", "task", ["t10", "t10", "t2", "t2", HOSTILE, HOSTILE]),
        _texts("agent", "agent", ["heron", "magpie", "heron", "magpie", "heron", HOSTILE]),
        _texts("context.outcome", "outcome", outcomes),
        NumberColumn("context.f1", "f1", np.array([0.5, 0.25, _NAN, 1.0, 0.75, 0.0004])),
        NumberColumn("turns.tokens", "tokens", np.array([1e6, 2, 3, 4, 5, 6.0]), "integer"),
        NumberColumn("solved", "solved", np.array([1, 0, _NAN, 1, 0, 0.0]), "boolean"),
    )
    details = (_detail(row) for row in range(6))
    return AttemptTable("Attempts", columns, details)


def _texts(name: str, label: str, values: Sequence[str | None]) -> TextColumn:
    texts = tuple(dict.fromkeys(value for value in values if value is not None))
    codes = [-1 if value is None else texts.index(value) for value in values]
    return TextColumn(name, label, np.array(codes, dtype=np.int32), texts)


def _detail(row: int) -> Detail:
    hostile = HOSTILE if row == 5 else f"of attempt {row}"
    return (
        DetailBlock("Figures", facts=(("cause", "missing_gold"), ("reason", f"none {hostile}"))),
        DetailBlock(
            f"Turns {hostile}",
            header=("turn", f"views {hostile}"),
            rows=(("1", f"a.py {hostile}"), ("2", "b.py")),
            numbers=(0,),
        ),
        DetailBlock("Answer", text=f"first line\nsecond line {hostile}"),
        DetailBlock(f"Reasoning {hostile}", text=hostile, folded=True),
    )


def many_attempts(count: int) -> AttemptTable:
    """This many attempts at a tenth as many tasks, each with its own source and 20 figures."""
    draws = np.random.default_rng(0)
    tasks = tuple(f"repository__task-{number}" for number in range(count // 10))
    columns: tuple[TextColumn | NumberColumn, ...] = (
        TextColumn("task_id", "task", np.arange(count, dtype=np.int32) % len(tasks), tasks),
        TextColumn("agent", "agent", np.arange(count, dtype=np.int32) % 2, ("heron", "magpie")),
        TextColumn(
            "source",
            "source",
            np.arange(count, dtype=np.int32),
            tuple(f"log.jsonl:{number}" for number in range(count)),
        ),
        *(
            NumberColumn(f"figure.{number}", f"figure {number}", draws.random(count))
            for number in range(20)
        ),
    )
    return AttemptTable("Attempts", columns, (_detail(row) for row in range(count)))


def report_of(attempts: AttemptTable | None, *, hostile: str = "") -> Document:
    """A report with a chart, a table, a fold and these attempts."""
    table = Table(
        f"Context {hostile}",
        ("agent", "f1", "precision"),
        (("heron", Cell("0.500", 0.5), Cell("0.4", 0.4)), ("magpie", Cell("0.6", 0.6), Cell("-"))),
    )
    chart = IntervalChart(
        f"Mean f1 {hostile}",
        (IntervalGroup("", (Interval(f"heron {hostile}", 0.5, 0.4, 0.6),)),),
        f"mean {hostile}",
    )
    quality = Part(
        "quality",
        f"Quality {hostile}",
        lines=(f"Every attempt. {hostile}",),
        charts=(chart,),
        tables=(PartTable(table, frozenset({(1, 1)})),),
        folds=(Fold(f"Internals {hostile}", tables=(PartTable(table),), lines=(hostile,)),),
        notes=(f"few tasks {hostile}",),
    )
    return Document(
        f"Report {hostile}",
        (("good", f"magpie is better {hostile}"), ("warning", "1 of 6 was not scored")),
        (quality,),
        Part("provenance", "Provenance", tables=(PartTable(_made_of(hostile)),)),
        attempts,
    )


def _made_of(hostile: str) -> Table:
    """A table of names and values, without headings."""
    return Table("", ("", ""), (("file", f"a.jsonl {hostile}"),), texts=(0, 1))
