"""Flat benchmark tables: one row per task, agent, model and benchmark."""

from __future__ import annotations

from trajmeter.readers.benchmark_rows.attempts import (
    AttemptIdentity,
    AttemptRows,
    attempts_of,
)
from trajmeter.readers.benchmark_rows.table import TABLES

__all__ = ["TABLES", "AttemptIdentity", "AttemptRows", "attempts_of"]
