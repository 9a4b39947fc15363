"""Traces and observations of Langfuse, as its public API gives them."""

from __future__ import annotations

from trajmeter.readers.langfuse.files import LANGFUSE_TRACES

__all__ = ["LANGFUSE_TRACES"]
