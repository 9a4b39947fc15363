"""Comparison reports: frameworks side by side, as Markdown and as one self-contained HTML file."""

from __future__ import annotations

from trajmeter.frameworks.report.html import html_report
from trajmeter.frameworks.report.markdown import markdown_report
from trajmeter.frameworks.report.terminal import print_comparison

__all__ = ["html_report", "markdown_report", "print_comparison"]
