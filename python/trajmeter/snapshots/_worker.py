"""A process that makes entries of files; see :mod:`trajmeter.snapshots._making`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trajmeter.snapshots._making import make
from trajmeter.system.processes import requests, send

if TYPE_CHECKING:
    from trajmeter.snapshots._definitions import Naming
    from trajmeter.snapshots._making import Contents, WantedFile

__all__ = ["main"]


def main() -> None:
    """Reply to each list of files with their entries, or with what went wrong."""
    incoming = requests()
    settings, _ = next(incoming)
    contents, naming = cast("tuple[Contents, Naming]", settings)
    for wanted, replies in incoming:
        try:
            reply: object = [*make(contents, cast("list[WantedFile]", wanted), naming)]
        except Exception as error:  # noqa: BLE001 - raised where the reply is read
            reply = error
        send(replies, reply)
