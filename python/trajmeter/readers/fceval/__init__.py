"""fc-eval's files: folders of runs with their results, and captured output of its tests."""

from __future__ import annotations

from trajmeter.readers.fceval.captured_output import CAPTURED_OUTPUT
from trajmeter.readers.fceval.run import RUNS

__all__ = ["CAPTURED_OUTPUT", "RUNS"]
