"""A run of either generation of OpenHands, as its events are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from trajmeter import json_input
from trajmeter.readers._logs.values import as_text, seconds_between
from trajmeter.readers.openhands.attempt import Call, Reply, seconds, turns_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Usage

__all__ = ["Run"]


class Run:
    """What the events of a run have told so far."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.final_output: str | None = None
        self.root: str | None = None
        """Where the first command ended that changed no folder."""
        self.status: str | None = None
        self.calls: dict[str, Call] = {}
        """Calls by what their results name them by."""
        self._unusable: dict[str, str] = {}
        self._dropped = 0
        self._first: float | None = None
        self.last: float | None = None
        """The time of the latest event that has one."""

    def pass_time(self, event: Mapping[str, Any]) -> None:
        """Take the time of an event."""
        time = seconds(event)
        self._first = time if self._first is None else self._first
        self.last = self.last if time is None else time

    def reply(self, identity: object) -> Reply:
        """The answer of the model that has an id: the latest, or a new one."""
        name = as_text(identity)
        if name is None or not self.replies or self.replies[-1].id != name:
            self.replies.append(Reply(name, before=self.last))
        return self.replies[-1]

    def end_command(self, call: Call, about: Mapping[str, Any], code: object) -> None:
        """Take the exit code of a command, and the folder that it left the shell in."""
        call.exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
        folder = about.get("working_dir")
        if isinstance(folder, str) and folder.startswith("/"):
            call.folder = folder
            if self.root is None and "cd " not in (call.command or ""):
                self.root = folder

    def drop_result(self, place: str) -> None:
        """Tell of a result whose call is not in the log."""
        self._unusable[place] = "a result without a call"
        self._dropped += 1

    def pass_over(self, place: str, event: object) -> None:
        """Tell of an event that is not an object."""
        found = json_input.type_name(cast("JsonValue", event))
        self._unusable[place] = f"expected an object, got {found}"

    def fields(self, usages: Mapping[str, Usage], root: str | None) -> dict[str, Any]:
        """The fields of a trajectory that events tell.

        Args:
            usages: Tokens of each answer of the model, by its id.
            root: Folder of the repository, if it is known.
        """
        turns, leaks = turns_of(self.replies, usages, root or self.root)
        return {
            "turns": turns,
            "leaks": leaks,
            "final_output": self.final_output,
            "duration_seconds": seconds_between(self._first, self.last),
            "dropped_calls": self._dropped,
            "unusable": self._unusable,
            "metadata": {} if self.status is None else {"exit_status": self.status},
        }
