"""The tools known to read files, and what a call of each shows.

Results are evidence: the lines that a result numbers are what was seen, whatever was requested, and
a command that printed nothing showed nothing. If no result was recorded, the arguments are trusted.
Calls that write or fail show nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from trajmeter.readers._logs.views import made_view
from trajmeter.readers.tool_views.evidence import (
    ended,
    hits,
    is_refusal,
    numbered,
    text_of,
    window,
)
from trajmeter.readers.tool_views.leaks import leaks_of_views
from trajmeter.readers.tool_views.names import INTERPRETERS, RUN_TEXT, SEARCHES, SHELLS
from trajmeter.records import Extent, ToolCall, View
from trajmeter.records.openai_calls import parsed_arguments

if TYPE_CHECKING:
    from trajmeter.records import Leak

__all__ = [
    "TOOL_VIEWS",
    "ShownByCall",
    "ToolView",
    "ToolViews",
    "ViewFunction",
    "tool_views",
]

ViewFunction: TypeAlias = Callable[[ToolCall], Iterable[View] | None]
"""Returns the views of a call; ``None`` if its tool is not known to read files."""

_Names: TypeAlias = str | tuple[str, ...]

_PATHS = (
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
_FIRST = ("start_line", "first_line", "line_start", "start_line_one_indexed", "offset")
_LAST = ("end_line", "last_line", "line_end", "end_line_one_indexed_inclusive")
_COUNTS = ("limit", "num_lines")
_RANGES = ("view_range", "line_range")
_COMMANDS = ("command", "cmd", "script", "commands")
_FOLDERS = ("workdir", "cwd", "working_directory")
_CODE = ("code", "script", "source")
_TO_THE_END = -1
_SHELL_AND_FLAG = 2
_RUN = SHELLS | INTERPRETERS
_LINES, _WHOLE = Extent.LINES, Extent.WHOLE
_new_tuple = tuple.__new__  # twice as fast as access by name


class ShownByCall(NamedTuple):
    """Views and leaks of a call."""

    views: tuple[View, ...]
    """Views in the order of the result."""
    folder: str | None
    """Current folder of a persistent shell after the call; otherwise unchanged."""
    leaks: tuple[Leak, ...]
    """Parts of the solution that the call read."""


@dataclass(frozen=True, slots=True)
class ToolView:
    """The arguments that specify what a tool reads; of several names, the first present counts."""

    path: _Names = _PATHS
    """The argument with the path or a list of paths."""
    first: _Names = _FIRST
    """The argument with the first line, from 1."""
    last: _Names = _LAST
    """The argument with the last line, inclusive; -1 is the end of the file."""
    count: _Names = _COUNTS
    """The argument with the number of lines to read, starting from the first."""
    range: _Names = _RANGES
    """The argument with the first and last line as a list."""
    is_editor: bool = False
    """Whether the tool reads only if its argument ``command`` is ``view``; its results number
    lines, so a result without numbers, such as a folder listing, shows no file."""


@dataclass(frozen=True, slots=True)
class ToolViews:
    """Determines what calls show, by tool name.

    A name also matches with a namespace (``functions.bash``, ``mcp__files__read_file``) and in
    upper case.
    """

    tools: Mapping[str, ToolView | ViewFunction]
    """Tools that read files, by name."""
    keeps_folder: frozenset[str] = frozenset()
    """Names of shells in which ``cd`` persists from one call to the next."""

    def views_of(
        self, call: ToolCall, *, folder: str | None = None, exit_code: int | None = None
    ) -> ShownByCall | None:
        """The views of a call; ``None`` if its tool is not known to read files.

        Args:
            call: The call with its result; without a result, its arguments are trusted.
            folder: Current folder of a persistent shell.
            exit_code: Exit code of a command, if recorded separately from the result.
        """
        known = self.tools.get(call.name)
        name = call.name if known is not None else plain_name(call.name)
        if known is None:
            known = self.tools.get(name)
        if known is None:
            if name in SHELLS:
                return self._shown_in_shell(call, folder, exit_code)
            if name in SEARCHES:
                hits_of = _found(call)
                return ShownByCall(hits_of, folder, leaks_of_views(hits_of))
            return None
        if isinstance(known, ToolView):
            seen = _read(call, known)
            return _new_tuple(ShownByCall, (seen, folder, leaks_of_views(seen)))
        views = known(call)
        if views is None:
            return None
        seen = tuple(views)
        return ShownByCall(seen, folder, leaks_of_views(seen))

    def program_of(self, call: ToolCall) -> str | None:
        """The command or code that a call ran; ``None`` if its tool runs neither."""
        name = plain_name(call.name)
        if name not in _RUN:
            return None
        if name in SHELLS:
            return _command(_arguments(call))
        if isinstance(call.arguments, str):
            parsed = parsed_arguments(call.arguments)
            if not isinstance(parsed, dict):
                return call.arguments
        code = _value(_arguments(call), _CODE)
        return code if isinstance(code, str) else None

    def _shown_in_shell(
        self, call: ToolCall, folder: str | None, exit_code: int | None
    ) -> ShownByCall:
        arguments = _arguments(call)
        command = _command(arguments)
        if command is None:
            return ShownByCall((), folder, ())
        output, code = ended(text) if (text := text_of(call.result)) is not None else (None, None)
        code = exit_code if exit_code is not None else code
        if call.success is False and code is None:
            return ShownByCall((), folder, ())
        given = _value(arguments, _FOLDERS)
        keeps = call.name in self.keeps_folder
        start = given if isinstance(given, str) else folder if keeps else None
        from trajmeter.readers.shell_views import shell_views  # not needed to recognise a format

        shown = shell_views(command, output, exit_code=code, folder=start)
        return ShownByCall(shown.views, shown.folder if keeps else folder, shown.leaks)


def tool_views(
    overrides: Mapping[str, ToolView | ViewFunction] | None = None,
    *,
    keeps_folder: Collection[str] = (),
) -> ToolViews:
    """Create a viewer of tool calls that knows your own tools in addition to common ones.

    Common tools are ``read_file``, ``view``, ``open`` and the like, with a path and a range of
    lines; ``str_replace_editor`` and ``text_editor``, of which only ``view`` shows anything; shells
    (``bash``, ``terminal`` ...); and searches, which show single lines.

    Args:
        overrides: Tools by name, each as its arguments or as a function that returns the views of a
            call, or ``None`` if the tool does not read files.
        keeps_folder: Names of shells in which ``cd`` persists from one call to the next.

    Example:
        >>> from trajmeter.records import ToolCall
        >>> views = tool_views({"open_doc": ToolView(path="doc", first="from", last="to")})
        >>> call = ToolCall(name="open_doc", arguments={"doc": "a.md", "from": 3, "to": 9})
        >>> [(view.path, view.start, view.end) for view in views.views_of(call).views]
        [('a.md', 3, 9)]
    """
    return ToolViews({**_READERS, **(overrides or {})}, frozenset(keeps_folder))


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """The name of a tool in lower case without its namespace."""
    for separator in ("__", ".", "/"):
        name = name.rpartition(separator)[2] or name
    return name.lower()


@lru_cache(maxsize=1024)
def may_run(name: str) -> bool:
    """Whether a tool of this name runs commands or code."""
    plain = plain_name(name)
    return plain in SHELLS or plain in INTERPRETERS


@lru_cache(maxsize=1024)
def runs_commands(name: str) -> bool:
    """Whether a tool of this name is a shell, whose result may state an exit code."""
    return plain_name(name) in SHELLS


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    arguments = call.arguments
    if type(arguments) is dict:
        return arguments
    if isinstance(arguments, str):
        arguments = parsed_arguments(arguments)
    return arguments if isinstance(arguments, dict) else {}


def _value(arguments: Mapping[str, Any], names: _Names) -> Any:  # noqa: ANN401 - of any type
    got = arguments.get
    if type(names) is str:
        return got(names)
    for name in names:
        value = got(name)
        if value is not None:
            return value
    return None


def _integer(value: object) -> int | None:
    if value is None or type(value) is int:
        return value
    if isinstance(value, str) and value.strip().removeprefix("-").isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _command(arguments: Mapping[str, Any]) -> str | None:
    """The command of a shell: text, words as of ``["bash", "-lc", "ls"]``, or some commands."""
    command = _value(arguments, _COMMANDS)
    if isinstance(command, list) and all(isinstance(word, str) for word in command) and command:
        several: object = arguments.get("commands")
        if isinstance(several, list) and several is command:
            return "\n".join(several)
        runs_text = command[0].rpartition("/")[2] in RUN_TEXT and len(command) > _SHELL_AND_FLAG
        if runs_text and command[1].startswith("-"):
            return str(command[2])
        return shlex.join(command)
    return command if isinstance(command, str) else None


def _found(call: ToolCall) -> tuple[View, ...]:
    """The lines that a search found."""
    text = text_of(call.result)
    if text is None or call.success is False:
        return ()
    path = _value(_arguments(call), _PATHS)
    found = hits(text, path if isinstance(path, str) else None)
    return tuple(made_view(each, Extent.LINES, line, line, searched=True) for each, line in found)


def _read(call: ToolCall, tool: ToolView) -> tuple[View, ...]:
    arguments = _arguments(call)
    path = _value(arguments, tool.path)
    if call.success is False or (tool.is_editor and arguments.get("command") != "view"):
        path = None
    if isinstance(path, list):
        return tuple(made_view(each, _WHOLE) for each in path if isinstance(each, str))
    if not isinstance(path, str) or not path:
        return ()
    first, last = (None, None) if len(arguments) == 1 else _asked(arguments, tool)
    result = call.result
    text = result if type(result) is str else text_of(result)
    if text is None:
        return _claimed(path, first, last)
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
    return _read(call, ToolView()) if shown is None else shown


def _asked(arguments: Mapping[str, Any], tool: ToolView) -> tuple[int | None, int | None]:
    """First and last line requested; ``None`` is the beginning or the end."""
    pair = _value(arguments, tool.range)
    if isinstance(pair, list) and len(pair) == 2:  # noqa: PLR2004 - the first and the last
        first, last = map(_integer, pair)
    else:
        first = _integer(_value(arguments, tool.first))
        last = _integer(_value(arguments, tool.last))
        count = _integer(_value(arguments, tool.count))
        if last is None and count is not None and count > 0:
            last = (first or 1) + count - 1
    return first or None, None if last == _TO_THE_END else last


def _claimed(path: str, first: int | None, last: int | None) -> tuple[View, ...]:
    """The requested lines, for calls without a recorded result."""
    if last is not None:
        return (made_view(path, Extent.LINES, first or 1, last),)
    return (made_view(path, Extent.WHOLE if first in (None, 1) else Extent.UNKNOWN),)


_READERS: dict[str, ToolView | ViewFunction] = {
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

TOOL_VIEWS = tool_views()
"""The tools that most programs have."""
