"""What is declared of the columns of results tables."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from pyarrow import parquet

from trajmeter.metrics.figures import registered_figures
from trajmeter.summaries.attempt_rows import read_attempts
from trajmeter.summaries.options import Reading
from trajmeter.summaries.result_tables import open_tables
from trajmeter.summaries.table_sums import read_sums
from trajmeter.summaries.wanted_figures import declared_figures

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.readers.results import ResultsTable


def _table(path: Path, task: str, **declared: bool) -> Path:
    """A table of one attempt that abstained, with what its metadata declare of ``mine.value``."""
    table = pa.table({"task_id": [task], "mine.value": [1.0], "mine.outcome": ["abstained"]})
    figures = json.dumps({"mine.value": {"kind": "number", **declared}})
    parquet.write_table(table.replace_schema_metadata({"trajmeter.figures": figures}), path)
    return path


@pytest.fixture
def tables(tmp_path: Path) -> list[ResultsTable]:
    """Two tables that disagree on whether the outcome applies to a figure."""
    first = _table(tmp_path / "first.parquet", "a", outcome=False)
    second = _table(tmp_path / "second.parquet", "b", outcome=True)
    return open_tables([first, second], on_problem=None)


def test_the_first_table_that_describes_a_figure_counts(tables: list[ResultsTable]) -> None:
    assert not declared_figures(tables, ["mine.value"])["mine.value"].outcome
    assert declared_figures(tables[::-1], ["mine.value"])["mine.value"].outcome


def test_a_figure_that_no_table_describes_is_that_of_its_metric(tables: list[ResultsTable]) -> None:
    name = "turns.run.passed"
    declared = declared_figures(tables, [name, "unknown.value"])
    assert declared == {name: registered_figures("turns")[name]}


def test_values_of_a_report_count_as_the_first_table_declares(tables: list[ResultsTable]) -> None:
    for order, values in ((tables, [1.0, 1.0]), (tables[::-1], [math.nan, math.nan])):
        required = read_sums(order, Reading(figures=["mine.value"])).columns
        rows = read_attempts(order, required, by=("file",), numbers=["mine.value"])
        assert rows.numbers["mine.value"].tolist() == pytest.approx(values, nan_ok=True)
