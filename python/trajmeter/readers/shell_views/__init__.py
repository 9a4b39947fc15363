"""Determines what shell commands show of files, from the command and, if known, its output."""

from __future__ import annotations

from trajmeter.readers.shell_views.shell import ShellViews, shell_views

__all__ = ["ShellViews", "shell_views"]
