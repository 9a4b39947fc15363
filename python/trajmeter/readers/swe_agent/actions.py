"""What SWE-agent's actions show of files, judged by their observations.

The editor ``str_replace_editor`` numbers the lines it shows, and may show more than requested; of a
large file it prints an outline, as ``filemap`` does. Windowed tools print the path of the open file
above lines such as ``12:text``. Everything else is a command of a persistent shell. Carriage
returns that a terminal inserted before newlines are removed first.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.readers.tool_views.evidence import runs, window
from trajmeter.records import Extent, ToolCall, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.records import Leak

__all__ = ["Shown", "editor_arguments", "in_folder", "shown"]

EDITOR = "str_replace_editor"
_WINDOWED = frozenset({"open", "goto", "scroll_up", "scroll_down"})
_SILENT = frozenset(
    {"create", "edit", "insert", "submit", "find_file", "undo_edit", "exit_forfeit"}
)
_SEARCHES = frozenset({"search_file", "search_dir"})
_OUTLINE = "filemap"
_ABBREVIATED = "<NOTE>This file is too large to display entirely. Showing abbreviated version."
_IN_OUTLINE = re.compile(r"^ *([1-9][0-9]{0,8})(?:[ \t](?!\.\.\. eliding lines )|$)", re.MULTILINE)
_CANCELLED = re.compile(r"The command '.*' was cancelled because it took more than ", re.DOTALL)
_FOUND_IN = re.compile(r'^Found [0-9]+ matches for ".*?" in (?P<path>.+?):$', re.MULTILINE)
_FOUND = re.compile(r"^Line ([0-9]{1,9}):", re.MULTILINE)


class Shown(NamedTuple):
    """Views and leaks of an action."""

    views: tuple[View, ...]
    leaks: tuple[Leak, ...]


def editor_arguments(action: str) -> dict[str, Any] | None:
    """The arguments of an editor command; ``None`` if it is not one."""
    try:
        words = shlex.split(action)
    except ValueError:
        return None
    if len(words) < 3 or words[0] != EDITOR:  # noqa: PLR2004 - the name, the command and the path
        return None
    arguments: dict[str, Any] = {"command": words[1], "path": words[2]}
    if "--view_range" in words:
        place = words.index("--view_range") + 1
        numbers = [_integer(word) for word in words[place : place + 2]]
        if len(numbers) == 2 and None not in numbers:  # noqa: PLR2004 - the first and the last
            arguments["view_range"] = numbers
    return arguments


def _integer(word: str) -> int | None:
    digits = word.strip("[],")
    sign = digits.removeprefix("-")
    return int(digits) if sign.isascii() and sign.isdecimal() and len(sign) < 10 else None  # noqa: PLR2004 - more digits are not a line


def shown(action: str, observation: str, folder: str | None) -> Shown:
    """Determine what an action showed, if started in a folder."""
    name = action.split(None, 1)[0] if action.strip() else ""
    observation = observation.replace("\r\n", "\n")
    if name in _SILENT or _CANCELLED.match(observation):
        return Shown((), ())
    if name == EDITOR:
        return _shown_by_editor(action, observation)
    if name in _WINDOWED:
        return Shown(tuple(_window(observation)), ())
    if name in _SEARCHES:
        return Shown(tuple(_hits(observation, folder)), ())
    if name == _OUTLINE:
        path = action.strip().removeprefix(name).strip(" '\"")
        return Shown(tuple(_outline(in_folder(path, folder), observation)), ())
    from trajmeter.readers.shell_views import shell_views  # not needed to recognise a format

    found = shell_views(action, observation, folder=folder)
    return Shown(found.views, found.leaks)


def _shown_by_editor(action: str, observation: str) -> Shown:
    arguments = editor_arguments(action)
    if arguments is not None and observation.startswith(_ABBREVIATED):
        return Shown(tuple(_outline(arguments["path"], observation)), ())
    call = ToolCall(name=EDITOR, arguments=arguments or {}, result=observation)
    read = TOOL_VIEWS.views_of(call)
    return Shown(read.views if read is not None else (), read.leaks if read is not None else ())


def _outline(path: str, observation: str) -> Iterator[View]:
    """The lines of a file shown by its outline, without elided ones."""
    for first, last in runs(_IN_OUTLINE.findall(observation)):
        yield View(path=path, extent=Extent.LINES, start=first, end=last)


def _window(observation: str) -> Iterator[View]:
    """The lines of the window at the end of an observation."""
    seen = window(observation)
    if seen is not None:
        yield View(path=seen.path, extent=Extent.LINES, start=seen.first, end=seen.last)


def _hits(observation: str, folder: str | None) -> Iterator[View]:
    header = _FOUND_IN.search(observation)
    if header is None:
        return
    path = in_folder(header["path"], folder)
    for match in _FOUND.finditer(observation, header.end()):
        line = int(match[1])
        yield View(path=path, extent=Extent.LINES, start=line, end=line, searched=True)


def in_folder(path: str, folder: str | None) -> str:
    """Resolve a path relative to a folder."""
    return path if folder is None or path.startswith("/") else f"{folder}/{path}"
