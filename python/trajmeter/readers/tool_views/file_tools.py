"""Tools that read files: what their calls request, and what their results show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from trajmeter.readers._logs.views import made_view
from trajmeter.readers.tool_views.arguments import Names, arguments_of, integer_of, value_of
from trajmeter.readers.tool_views.evidence import is_refusal, numbered, text_of, window
from trajmeter.records import Extent, ToolCall, View

__all__ = ["FILE_TOOLS", "PATHS", "ToolView", "ViewFunction", "read_by"]

ViewFunction: TypeAlias = Callable[[ToolCall], Iterable[View] | None]
"""Returns the views of a call; ``None`` if its tool is not known to read files."""

PATHS = (
    "path",
    "file_path",
    "filepath",
    "filename",
    "file",
    "target_file",
    "absolute_path",
    "relative_path",
    "paths",
)
"""Names of the argument with a path."""
_FIRST = ("start_line", "first_line", "line_start", "start_line_one_indexed", "offset")
_LAST = ("end_line", "last_line", "line_end", "end_line_one_indexed_inclusive")
_COUNTS = ("limit", "num_lines")
_RANGES = ("view_range", "line_range")
_TO_THE_END = -1
_LINES, _WHOLE = Extent.LINES, Extent.WHOLE


@dataclass(frozen=True, slots=True)
class ToolView:
    """The arguments that specify what a tool reads; of several names, the first present counts."""

    path: Names = PATHS
    """The argument with the path or a list of paths."""
    first: Names = _FIRST
    """The argument with the first line, from 1."""
    last: Names = _LAST
    """The argument with the last line, inclusive; -1 is the end of the file."""
    count: Names = _COUNTS
    """The argument with the number of lines to read, starting from the first."""
    range: Names = _RANGES
    """The argument with the first and last line as a list."""
    is_editor: bool = False
    """Whether the tool reads only if its argument ``command`` is ``view``; its results number
    lines, so a result without numbers, such as a folder listing, shows no file."""


def read_by(call: ToolCall, tool: ToolView) -> tuple[View, ...]:
    """The views of a call of a tool that reads files."""
    arguments = arguments_of(call)
    path = value_of(arguments, tool.path)
    if call.success is False or (tool.is_editor and arguments.get("command") != "view"):
        path = None
    if isinstance(path, list):
        return tuple(made_view(each, _WHOLE) for each in path if isinstance(each, str))
    if not isinstance(path, str) or not path:
        return ()
    first, last = (None, None) if len(arguments) == 1 else _requested_lines(arguments, tool)
    is_to_end, last = last == _TO_THE_END, None if last == _TO_THE_END else last
    result = call.result
    text = result if type(result) is str else text_of(result)
    if text is None:
        return _claimed(path, first, last, is_to_end=is_to_end)
    if ranges := numbered(text, first, last):
        return tuple([made_view(path, _LINES, start, end) for start, end in ranges])
    if tool.is_editor or not text or is_refusal(text):
        return ()
    return (_unnumbered(text, path, first, last),)


def _unnumbered(text: str, path: str, first: int | None, last: int | None) -> View:
    """View of a result without line numbers: as many lines as it has."""
    if first in (None, 1) and last is None:
        return made_view(path, _WHOLE)
    begin = first or 1
    shown = begin + text.count("\n") - text.endswith("\n")
    return made_view(path, _LINES, begin, shown if last is None else min(last, shown))


def _window_shown(call: ToolCall) -> tuple[View, ...] | None:
    """The lines in a tool's window; ``None`` if the result has no window."""
    text = text_of(call.result)
    shown = window(text) if text is not None and call.success is not False else None
    return (
        None if shown is None else (made_view(shown.path, Extent.LINES, shown.first, shown.last),)
    )


def _opened(call: ToolCall) -> tuple[View, ...]:
    """Views of a file-opening tool: a window, or everything requested."""
    shown = _window_shown(call)
    return read_by(call, ToolView()) if shown is None else shown


def _requested_lines(arguments: Mapping[str, Any], tool: ToolView) -> tuple[int | None, int | None]:
    """First and last line requested; ``None`` if not stated."""
    pair = value_of(arguments, tool.range)
    if isinstance(pair, list) and len(pair) == 2:  # noqa: PLR2004 - the first and the last
        first, last = map(integer_of, pair)
    else:
        first = integer_of(value_of(arguments, tool.first))
        last = integer_of(value_of(arguments, tool.last))
        count = integer_of(value_of(arguments, tool.count))
        if last is None and count is not None and count > 0:
            last = (first or 1) + count - 1
    return first or None, last


def _claimed(
    path: str, first: int | None, last: int | None, *, is_to_end: bool
) -> tuple[View, ...]:
    """The requested lines, for calls without a recorded result."""
    if last is not None:
        return (made_view(path, _LINES, first or 1, last),)
    if first in (None, 1):
        return (made_view(path, _WHOLE),)
    if is_to_end:
        return (made_view(path, _LINES, first),)
    return (made_view(path, Extent.UNKNOWN),)  # the tool may have a limit of its own


FILE_TOOLS: Mapping[str, ToolView | ViewFunction] = {
    **dict.fromkeys(
        (
            "cat_file",
            "file_read",
            "fs_read",
            "get_file_contents",
            "open_file",
            "read",
            "read_file",
            "read_files",
            "read_lines",
            "read_text_file",
            "show_file",
            "view",
            "view_file",
        ),
        ToolView(),
    ),
    **dict.fromkeys(
        (
            "edit_tool",
            "file_editor",
            "str_replace_based_edit_tool",
            "str_replace_editor",
            "text_editor",
        ),
        ToolView(is_editor=True),
    ),
    "open": _opened,
    **dict.fromkeys(("goto", "scroll_down", "scroll_up"), _window_shown),
}
"""Common tools that read files, by name."""
