"""What shell commands show of files, from their text and, if known, their output."""

from __future__ import annotations

from trajmeter.readers.shell_views.shell import ShellViews, shell_views

__all__ = ["ShellViews", "shell_views"]
