"""Comparison reports: frameworks side by side, as Markdown, as HTML and on a terminal."""

from __future__ import annotations

from trajmeter.frameworks.report.rendering import html_report, markdown_report, print_comparison

__all__ = ["html_report", "markdown_report", "print_comparison"]
