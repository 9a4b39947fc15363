"""Speedup of flat tables, column by column."""

from __future__ import annotations

from trajmeter.errors import ExtraMissingError

try:
    from trajmeter.metrics.speedup.columns.score import score_columns
except ModuleNotFoundError as error:
    raise ExtraMissingError("tables of columns need pyarrow; install trajmeter[data]") from error

__all__ = ["score_columns"]
