"""Logs of Inspect: archives of samples, and documents."""

from __future__ import annotations

from trajmeter.readers.inspect.logs import INSPECT_ARCHIVES, INSPECT_DOCUMENTS

__all__ = ["INSPECT_ARCHIVES", "INSPECT_DOCUMENTS"]
