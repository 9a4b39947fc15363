"""A process that makes entries of files; see :mod:`trajmeter.snapshots._making`."""

from __future__ import annotations

import pickle
import sys
from typing import cast

from trajmeter.snapshots._making import Contents, WantedFile, make

__all__ = ["main"]


def main() -> None:
    """Reply to each list of files with their entries, or with what went wrong, until stdin ends."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    # Only the process that started this one writes to it.
    contents, naming = pickle.load(requests)  # noqa: S301
    while True:
        try:
            wanted = cast("list[WantedFile]", pickle.load(requests))  # noqa: S301 - as above
        except EOFError:
            return
        try:
            reply: object = [*make(cast("Contents", contents), wanted, naming)]
        except Exception as error:  # noqa: BLE001 - raised where the reply is read
            reply = error
        pickle.dump(reply, replies)
        replies.flush()
