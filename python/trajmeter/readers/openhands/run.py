"""An OpenHands run of either generation, built from its events."""

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
    """The data from a run's events so far."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.final_output: str | None = None
        self.root: str | None = None
        """The folder in which the first command ended that did not change the folder."""
        self.status: str | None = None
        self.calls: dict[str, Call] = {}
        """Calls by the ids that their results use."""
        self._unusable: dict[str, str] = {}
        self._dropped = 0
        self._first: float | None = None
        self.last: float | None = None
        """The time of the latest event with a time."""

    def pass_time(self, event: Mapping[str, Any]) -> None:
        """Record the time of an event."""
        time = seconds(event)
        self._first = time if self._first is None else self._first
        self.last = self.last if time is None else time

    def reply(self, identity: object) -> Reply:
        """The model answer with an id: the latest, or a new one."""
        name = as_text(identity)
        if name is None or not self.replies or self.replies[-1].id != name:
            self.replies.append(Reply(name, before=self.last))
        return self.replies[-1]

    def end_command(self, call: Call, about: Mapping[str, Any], code: object) -> None:
        """Record the exit code of a command, and the folder it left the shell in."""
        call.exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
        folder = about.get("working_dir")
        if isinstance(folder, str) and folder.startswith("/"):
            call.folder = folder
            if self.root is None and "cd " not in (call.command or ""):
                self.root = folder

    def drop_result(self, place: str) -> None:
        """Report a result whose call is not in the log."""
        self._unusable[place] = "a result without a call"
        self._dropped += 1

    def pass_over(self, place: str, event: object) -> None:
        """Report an event that is not an object."""
        found = json_input.type_name(cast("JsonValue", event))
        self._unusable[place] = f"expected an object, got {found}"

    def fields(self, usages: Mapping[str, Usage], root: str | None) -> dict[str, Any]:
        """The trajectory fields derived from the events.

        Args:
            usages: Tokens of each model answer, by id.
            root: The repository folder, if known.
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
