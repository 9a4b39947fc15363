"""Names of tools that run commands or code, and of tools that search."""

from __future__ import annotations

__all__ = ["INTERPRETERS", "RUN_TEXT", "SEARCHES", "SHELLS"]

RUN_TEXT = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
"""Shells that take a command text as an option."""
SHELLS = frozenset(
    {
        "bash",
        "cmd",
        "container.exec",
        "exec",
        "exec_command",
        "execute",
        "execute_bash",
        "execute_command",
        "local_shell",
        "run",
        "run_bash",
        "run_command",
        "run_in_terminal",
        "run_shell",
        "run_shell_command",
        "run_terminal_cmd",
        "shell",
        "shell_command",
        "terminal",
    }
)
"""Tools that run shell commands."""
INTERPRETERS = frozenset(
    {
        "code_interpreter",
        "execute_ipython_cell",
        "execute_python",
        "ipython",
        "jupyter",
        "python",
        "python_interpreter",
        "run_ipython",
        "run_python",
    }
)
"""Tools that run code."""
SEARCHES = frozenset(
    {
        "find_in_files",
        "grep",
        "grep_search",
        "rg",
        "ripgrep",
        "search",
        "search_dir",
        "search_file",
        "search_file_content",
        "search_files",
        "search_for_pattern",
    }
)
"""Tools that search files."""
