"""Makes attempts from the values of a file of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._files.entries import values_of
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
        self._messages: list[JsonValue] = []

    def of(
        self, found: Iterable[Entry], report: Callable[[ReadProblem], None]
    ) -> Iterator[Trajectory]:
        """Make an attempt from each list, and report what cannot be read."""
        for source, value in values_of(found, report):
            if isinstance(value, list):
                yield _attempt(value, source, self._views)
            else:
                self._messages.append(value)

    def rest(self) -> Iterator[Trajectory]:
        """Make one attempt from all messages outside lists."""
        if self._messages:
            yield _attempt(self._messages, Source(file=str(self._path)), self._views)


def _attempt(messages: list[JsonValue], source: Source, views: ToolViews | None) -> Trajectory:
    fields = fields_of(message_turns(messages, views=views))
    return Trajectory(task_id=name_of(source), source=source, **fields)
