"""Reports of results tables: which system is better, by how much, how certainly, and why."""

from __future__ import annotations

from trajmeter.reports.results.report import ReportOptions, results_document

__all__ = ["ReportOptions", "results_document"]
