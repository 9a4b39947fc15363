"""The command line ``trajmeter``: one module per command, and private modules they share."""

from __future__ import annotations

from trajmeter.cli._main import main, program
from trajmeter.cli._process import ExitCode

__all__ = ["ExitCode", "main", "program"]
