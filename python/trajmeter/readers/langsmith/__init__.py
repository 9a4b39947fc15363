"""Runs of LangSmith, as its SDK and its API give them."""

from __future__ import annotations

from trajmeter.readers.langsmith.files import LANGSMITH_RUNS

__all__ = ["LANGSMITH_RUNS"]
