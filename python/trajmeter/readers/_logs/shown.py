"""Finds which file contents calls showed, and normalises their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._logs.sessions import path_below
from trajmeter.readers.tool_views import TOOL_VIEWS, leaks_of_views
from trajmeter.records import Extent, View

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import JsonValue

    from trajmeter.readers._logs.replies import Call
__all__ = ["Viewer", "shown_parts", "texts_of"]


_MOST_TRIMMED = 5
"""Maximum number of blank lines assumed to be trimmed from a text; if more are missing, the file
ended."""
_TEXTS = ("text", "input_text", "output_text")


class Viewer:
    """Determines the views of an agent's calls, in order."""

    def __init__(self, root: str | None = None) -> None:
        """Start in a folder.

        Args:
            root: The repository folder; paths below it are made relative to it.
        """
        self.root = root
        self.folder: str | None = None
        """Current folder of the agent's shell, if it persists."""

    def look(
        self,
        call: Call,
        text: str | None,
        *,
        exit_code: int | None = None,
        folder: str | None = None,
        is_kept: bool = False,
        is_trimmed: bool = False,
    ) -> None:
        """Determine the views of a call.

        Args:
            call: The call.
            text: Its output; ``None`` if unknown or truncated.
            exit_code: Its exit code, if known.
            folder: The folder in which it ran, if known.
            is_kept: Whether the shell's current folder persists until the next command.
            is_trimmed: Whether blank lines were trimmed from both ends of the text.
        """
        if call.command is None:
            self._look_at_tool(call, text)
            return
        from trajmeter.readers.shell_views import shell_views  # not needed to recognise a format

        start = folder or self.folder or self.root
        shown = shell_views(call.command, text, exit_code=exit_code, folder=start, root=self.root)
        views = shown.views
        if is_trimmed and text is not None:
            asked = shell_views(
                call.command, None, exit_code=exit_code, folder=start, root=self.root
            )
            views = (
                tuple(map(_untrimmed, views, asked.views)) if _fits(views, asked.views) else views
            )
        self._set(call, views)
        call.leaks = shown.leaks
        if is_kept:
            self.folder = shown.folder

    def _look_at_tool(self, call: Call, text: str | None) -> None:
        found = TOOL_VIEWS.views_of(call.record().model_copy(update={"result": text}))
        if found is not None:
            self._set(call, found.views)
            call.leaks = found.leaks

    def show(self, call: Call, view: View | None) -> None:
        """Record a view of a call."""
        views = [] if view is None else [view]
        self._set(call, views)
        call.leaks = leaks_of_views(views)

    def _set(self, call: Call, views: Iterable[View]) -> None:
        call.reads = True
        call.views = [
            view.model_copy(update={"path": path_below(view.path, self.root)}) for view in views
        ]


def _fits(shown: Sequence[View], asked: Sequence[View]) -> bool:
    """Whether two lists of views are of the same files, in the same order."""
    return [view.path for view in shown] == [view.path for view in asked]


def _untrimmed(shown: View, asked: View) -> View:
    """The lines requested, if only a few of them are missing in a trimmed text."""
    if shown.extent is not Extent.LINES or asked.extent is not Extent.LINES:
        return shown
    if shown.start != asked.start or shown.end is None or asked.end is None:
        return shown
    return asked if 0 < asked.end - shown.end <= _MOST_TRIMMED else shown


def texts_of(content: JsonValue) -> list[str]:
    """The texts of a message or result, which is a text or a list of parts."""
    if isinstance(content, str):
        return [content] if content else []
    found = [part.get("text") for part in _parts(content) if part.get("type") in _TEXTS]
    return [text for text in found if isinstance(text, str) and text]


def shown_parts(content: JsonValue) -> JsonValue:
    """A result as recorded: a text if it is only text, else its parts without bytes."""
    if content is None or isinstance(content, str):
        return content
    parts = _parts(content)
    if all(part.get("type") in _TEXTS for part in parts):
        return "\n".join(texts_of(content))
    return [part if part.get("type") in _TEXTS else {"type": part.get("type")} for part in parts]


def _parts(content: JsonValue) -> list[dict[str, JsonValue]]:
    items = content if isinstance(content, list) else []
    return [item if isinstance(item, dict) else {"type": "text", "text": item} for item in items]
