"""Comparison reports: frameworks side by side, as Markdown and as one self-contained HTML file."""

from __future__ import annotations

from trajmeter.reports.comparison.html import html_report
from trajmeter.reports.comparison.markdown import markdown_report
from trajmeter.reports.comparison.terminal import print_comparison

__all__ = ["html_report", "markdown_report", "print_comparison"]
