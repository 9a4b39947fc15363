"""Makes attempts from the values of a file of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.json_input import type_name
from trajmeter.readers._files.entries import values_of
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers.messages.claims import is_message
from trajmeter.readers.messages.fields import fields_of, name_of, views_for
from trajmeter.readers.messages.turns import message_turns
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.readers._files.entries import Entry
    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.records import ReadProblem

__all__ = ["Attempts"]


class Attempts:
    """Makes attempts from the values of a file.

    Args:
        path: The file.
        columns: Trajectory columns to fill; all by default.
    """

    def __init__(self, path: Path, columns: Collection[str] | None = None) -> None:
        self._path = path
        self._views = views_for(columns)
        self._others: list[tuple[Source, JsonValue]] = []
        """Values that are not lists, with their positions."""

    def of(
        self, found: Iterable[Entry], report: Callable[[ReadProblem], None]
    ) -> Iterator[Trajectory]:
        """Make an attempt from each list, and report what cannot be read."""
        for source, value in values_of(found, report):
            if isinstance(value, list):
                yield _attempt(value, source, self._views)
            else:
                self._others.append((source, value))

    def rest(self, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
        """Make one attempt from all messages outside lists; report values if none is a message."""
        messages = [value for _, value in self._others]
        if any(map(is_message, messages)):
            yield _attempt(messages, Source(file=str(self._path)), self._views)
            return
        for source, value in self._others:
            got = type_name(value)
            report(problem_at(source, f"expected messages or a list of them, got {got}"))


def _attempt(messages: list[JsonValue], source: Source, views: ToolViews | None) -> Trajectory:
    fields = fields_of(message_turns(messages, views=views))
    return Trajectory(task_id=name_of(source), source=source, **fields)
