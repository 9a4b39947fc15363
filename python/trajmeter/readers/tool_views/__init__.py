"""Determines what tool calls show of files, from the tool, its arguments and its result."""

from __future__ import annotations

from trajmeter.readers.tool_views.evidence import exit_code_of
from trajmeter.readers.tool_views.file_tools import ToolView, ViewFunction
from trajmeter.readers.tool_views.leaks import leaks_of_views
from trajmeter.readers.tool_views.tools import TOOL_VIEWS, ShownByCall, ToolViews, tool_views

__all__ = [
    "TOOL_VIEWS",
    "ShownByCall",
    "ToolView",
    "ToolViews",
    "ViewFunction",
    "exit_code_of",
    "leaks_of_views",
    "tool_views",
]
