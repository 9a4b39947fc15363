"""Speedup of flat tables, column by column."""

from __future__ import annotations

from trajmeter.metrics.speedup.columns.score import score_columns

__all__ = ["score_columns"]
