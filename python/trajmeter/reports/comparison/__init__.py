"""Comparison reports: frameworks side by side, as Markdown and as one self-contained HTML file."""

from __future__ import annotations

from trajmeter.reports.comparison.html import html_report
from trajmeter.reports.comparison.markdown import markdown_report
from trajmeter.reports.comparison.terminal import terminal_report

__all__ = ["html_report", "markdown_report", "terminal_report"]
