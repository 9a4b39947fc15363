"""The command line: ``trajmeter``, one module a command."""

from __future__ import annotations

from trajmeter.cli._main import main

__all__ = ["main"]
