"""Inspect logs: archives of samples, and JSON documents."""

from __future__ import annotations

from trajmeter.readers.inspect.logs import INSPECT_ARCHIVES, INSPECT_DOCUMENTS

__all__ = ["INSPECT_ARCHIVES", "INSPECT_DOCUMENTS"]
