"""Tables of benchmarks as columns, passed from a reader to a metric that accepts them.

In trajectory columns, a table is JSON text, because it may have any shape. Writing and parsing that
text takes longer than scoring the table, so plain tables are passed in an extra column, after those
of :func:`trajmeter.schemas.trajectory_schema`. The column replaces
``measurements.ratios_by_agent`` and exists only if it is requested.
"""

from __future__ import annotations

__all__ = ["BENCHMARK_TABLES"]

BENCHMARK_TABLES = "benchmark_tables"
"""Name of the column."""
