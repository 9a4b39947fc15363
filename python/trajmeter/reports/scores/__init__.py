"""The report of a scoring run: tables for terminals, Markdown and HTML."""

from __future__ import annotations

from trajmeter.reports.scores.report import (
    ScoreReport,
    print_report,
    score_report,
    to_html,
    to_markdown,
    to_plain,
)

__all__ = ["ScoreReport", "print_report", "score_report", "to_html", "to_markdown", "to_plain"]
