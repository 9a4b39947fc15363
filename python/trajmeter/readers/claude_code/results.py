"""Results of Claude Code's tools: the outcome of a call, and what it showed.

A result may be accompanied by a structured copy, which is the best source for what ``Read`` showed.
``Read`` numbers one line too many for a file that ends in a newline: an empty line, which its
counts include. Such a line is dropped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.shown import shown_parts, texts_of
from trajmeter.readers._logs.values import as_count, as_object, as_text
from trajmeter.records import Extent, View
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.readers._logs.replies import Call
    from trajmeter.readers._logs.shown import Viewer

__all__ = ["SHELL", "finish"]

SHELL = "Bash"
"""The tool that runs commands, in a persistent shell."""

_READ = "Read"
_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d{1,9})(?:\n|\Z)")
_INTERRUPTED = "interrupted"
_SILENT = frozenset(
    ("(Bash completed with no output)", "<system>Tool ran without output or errors</system>")
)
"""Placeholder for empty output."""
_RESET = re.compile(r"^Shell cwd was reset to (.+)$", re.MULTILINE)

# A line number: up to six characters and an arrow, or the bare number and a tab.
_NUMBERED = re.compile(r"^ {0,5}(\d{1,18})(?:→|\t)(.*)$", re.MULTILINE)


def finish(call: Call, block: Mapping[str, Any], copy: object, viewer: Viewer) -> None:
    """Record the result of a call.

    Args:
        call: The call.
        block: The block ``tool_result`` that was sent to the model.
        copy: Its structured copy, if there is one.
        viewer: Finds what the result showed.
    """
    call.result = shown_parts(block.get("content"))
    text = "\n".join(texts_of(block.get("content")))
    details = as_object(copy) or {}
    exit_code = _EXIT.match(text) if block.get("is_error") is True else None
    if exit_code is not None:
        printed = text[exit_code.end() :]
    else:
        printed = text
        if block.get("is_error") is True and isinstance(copy, str):
            exit_code = _EXIT.match(copy)  # older versions say so only there
    code = 0 if exit_code is None else int(exit_code[1])
    is_cut_short = details.get("interrupted") is True
    if block.get("is_error") is True:
        call.fail(text, exit_code=None if exit_code is None else code)
    elif is_cut_short:
        call.fail(text or _INTERRUPTED)
        call.reason = _INTERRUPTED
    else:
        call.success = True
    milliseconds = finite(details.get("totalDurationMs", details.get("durationMs")))
    call.duration_seconds = None if milliseconds is None else milliseconds / 1000
    if call.name == _READ:
        arguments = as_object(call.arguments) or {}
        viewer.show(call, _read_view(copy, arguments, text) if call.success else None)
    elif _is_in_background(call, details):
        call.reads = True  # its output goes to a file
    elif call.success or is_cut_short or exit_code is not None:
        printed = "" if printed in _SILENT else printed
        is_shell = call.name == SHELL
        viewer.look(call, printed, exit_code=code, is_kept=is_shell, is_trimmed=is_shell)
    reset = _RESET.search(text)
    if reset is not None and call.name == SHELL:
        viewer.folder = reset[1]


def _is_in_background(call: Call, details: Mapping[str, Any]) -> bool:
    asked = (as_object(call.arguments) or {}).get("run_in_background") is True
    return call.name == SHELL and (asked or as_text(details.get("backgroundTaskId")) is not None)


def _read_view(result: object, arguments: Mapping[str, Any], text: str | None) -> View | None:
    """The lines that a ``Read`` showed.

    Args:
        result: The structured copy of the result, if the log has it.
        arguments: The call's arguments.
        text: The result as sent to the model.

    Returns:
        The view; ``None`` if neither the copy nor the text shows lines.
    """
    file = as_object((as_object(result) or {}).get("file"))
    path = as_text((file or {}).get("filePath")) or as_text(arguments.get("file_path"))
    if path is None:
        return None
    shown = _of_file(file) if file is not None else None
    shown = shown or _of_text(text or "", arguments)
    if shown is None:
        return None
    first, last = shown
    return View(path=path, extent=Extent.LINES, start=first, end=last) if last >= first else None


def _of_file(file: Mapping[str, Any]) -> tuple[int, int] | None:
    first, count = as_count(file.get("startLine")), as_count(file.get("numLines"))
    if first is None or count is None:
        return None
    last, total = first + count - 1, as_count(file.get("totalLines"))
    content = file.get("content")
    ends_empty = content == "" or (isinstance(content, str) and content.endswith("\n"))
    return first, last - 1 if ends_empty and total is not None and last >= total else last


def _of_text(text: str, arguments: Mapping[str, Any]) -> tuple[int, int] | None:
    numbered = _NUMBERED.findall(text)
    if not numbered:
        return None
    first, (last, content) = int(numbered[0][0]), (int(numbered[-1][0]), numbered[-1][1])
    limit = as_count(arguments.get("limit"))
    # An empty last line is one too many, unless the read was supposed to stop there.
    return first, last - 1 if not content.strip() and limit != last - first + 1 else last
