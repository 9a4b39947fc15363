"""The report of a scoring run: its tables, for a terminal and as Markdown."""

from __future__ import annotations

from trajmeter.reports.scores._table import fitting
from trajmeter.reports.scores.markdown import to_markdown
from trajmeter.reports.scores.tables import ScoreReport, Table, score_report
from trajmeter.reports.scores.terminal import print_report, print_table

__all__ = [
    "ScoreReport",
    "Table",
    "fitting",
    "print_report",
    "print_table",
    "score_report",
    "to_markdown",
]
