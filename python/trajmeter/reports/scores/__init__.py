"""The report of a scoring run: its tables, for a terminal and as Markdown."""

from __future__ import annotations

from trajmeter.reports.scores.report import ScoreReport, print_report, score_report, to_markdown

__all__ = ["ScoreReport", "print_report", "score_report", "to_markdown"]
