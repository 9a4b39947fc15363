"""The program: the command line, and an end to the process that nothing puts off."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

from trajmeter.cli._main import main

__all__ = ["program"]

_STDOUT, _STDERR = 1, 2
_GRACE_SECONDS = 5.0
"""How long threads that are still at work, such as an exporter's, may finish what they do."""


def program() -> NoReturn:
    """Run the command line and end the process with its exit code.

    Python waits at its end for every thread, and an agent that was given up at its deadline may
    have left one that never ends.
    """
    code = main()
    with suppress(OSError):  # either may be closed
        os.dup2(_STDERR, _STDOUT)  # what those threads print now is no data
    threading.Thread(target=_end, args=(code,), daemon=True).start()
    sys.exit(code)


def _end(code: int) -> NoReturn:
    time.sleep(_GRACE_SECONDS)
    os._exit(code)
