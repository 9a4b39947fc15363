"""What a tool call shows of files, by the kind of its tool.

Results are evidence: the lines that a result numbers are what was seen, whatever was requested, and
a command that printed nothing showed nothing. If no result was recorded, the arguments are trusted.
Calls that write or fail show nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers._logs.views import made_view
from trajmeter.readers.tool_views.arguments import (
    arguments_of,
    command_of,
    value_of,
)
from trajmeter.readers.tool_views.evidence import (
    ended,
    hits,
    text_of,
)
from trajmeter.readers.tool_views.file_tools import (
    FILE_TOOLS,
    PATHS,
    ToolView,
    ViewFunction,
    read_by,
)
from trajmeter.readers.tool_views.leaks import leaks_of_views
from trajmeter.readers.tool_views.names import INTERPRETERS, SEARCHES, SHELLS, plain_name
from trajmeter.records import Extent, ToolCall, View
from trajmeter.records.openai_calls import parsed_arguments

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from trajmeter.records import Leak

__all__ = ["TOOL_VIEWS", "ShownByCall", "ToolViews", "tool_views"]

_FOLDERS = ("workdir", "cwd", "working_directory")
_CODE = ("code", "script", "source")
_RUN = SHELLS | INTERPRETERS
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
                hits_of = _search_hits(call)
                return ShownByCall(hits_of, folder, leaks_of_views(hits_of))
            return None
        if isinstance(known, ToolView):
            seen = read_by(call, known)
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
            return command_of(arguments_of(call))
        if isinstance(call.arguments, str):
            parsed = parsed_arguments(call.arguments)
            if not isinstance(parsed, dict):
                return call.arguments
        code = value_of(arguments_of(call), _CODE)
        return code if isinstance(code, str) else None

    def _shown_in_shell(
        self, call: ToolCall, folder: str | None, exit_code: int | None
    ) -> ShownByCall:
        arguments = arguments_of(call)
        command = command_of(arguments)
        if command is None:
            return ShownByCall((), folder, ())
        output, code = ended(text) if (text := text_of(call.result)) is not None else (None, None)
        code = exit_code if exit_code is not None else code
        if call.success is False and code is None:
            return ShownByCall((), folder, ())
        given = value_of(arguments, _FOLDERS)
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
    return ToolViews({**FILE_TOOLS, **(overrides or {})}, frozenset(keeps_folder))


def _search_hits(call: ToolCall) -> tuple[View, ...]:
    """The lines that a search found."""
    text = text_of(call.result)
    if text is None or call.success is False:
        return ()
    path = value_of(arguments_of(call), PATHS)
    found = hits(text, path if isinstance(path, str) else None)
    return tuple(made_view(each, Extent.LINES, line, line, searched=True) for each, line in found)


TOOL_VIEWS = tool_views()
"""The tools that most programs have."""
