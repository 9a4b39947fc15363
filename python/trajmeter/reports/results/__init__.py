"""Reports of results tables: who is better, by how much, how sure, on what, and why."""

from __future__ import annotations

from trajmeter.reports.results.report import ReportOptions, results_document

__all__ = ["ReportOptions", "results_document"]
