"""What shell commands show of files, by their text and, where it is known, their output."""

from __future__ import annotations

from trajmeter.readers.shell_views.shell import ShellViews, shell_views

__all__ = ["ShellViews", "shell_views"]
