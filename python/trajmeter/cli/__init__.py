"""The command line: ``trajmeter``, one module a command."""

from __future__ import annotations

from trajmeter.cli._main import main
from trajmeter.cli._program import program

__all__ = ["main", "program"]
