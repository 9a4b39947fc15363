"""The command line ``trajmeter``: one module per command, and private modules they share."""

from __future__ import annotations

import sys

try:
    from trajmeter.cli._main import main, program
    from trajmeter.cli._process import ExitCode
except KeyboardInterrupt:  # before anything could handle it
    sys.stderr.write("trajmeter: interrupted\n")
    sys.exit(130)

__all__ = ["ExitCode", "main", "program"]
