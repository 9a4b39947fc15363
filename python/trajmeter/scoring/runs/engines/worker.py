"""A process that scores units; see :mod:`trajmeter.scoring.runs.engines.processes`."""

from __future__ import annotations

import os
import time
import warnings
from threading import Thread
from typing import TYPE_CHECKING, cast

from trajmeter.scoring.runs.engines.processes import Raised, Warned
from trajmeter.scoring.runs.engines.task import OpenedTask
from trajmeter.system.processes import Replies, portable, requests

if TYPE_CHECKING:
    from trajmeter.scoring.runs.engines.task import WorkerTask

__all__ = ["main"]

_LOOK_SECONDS = 0.5


def main() -> None:
    """Open the job, then score each unit whose number arrives."""
    Thread(target=_end_with_parent, daemon=True).start()
    asked = requests()
    first, stream = next(asked)
    task = cast("WorkerTask", first)
    replies = Replies(stream)
    warnings.simplefilter("always")  # the run decides which warnings to show
    warnings.showwarning = lambda message, *_, **__: replies.send(Warned(str(message)))
    try:
        opened = OpenedTask(task)
        for number, _ in asked:
            replies.send(opened.do(cast("int", number), replies.send))
    except BrokenPipeError:  # nobody is waiting anymore
        return
    except Exception as error:  # noqa: BLE001 - raised again in the run's process
        replies.send(Raised(portable(error)))


def _end_with_parent() -> None:
    """End as soon as the parent process has ended, even in the middle of a unit."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
