"""Names of tools: of those that run commands or code, and of those that search."""

from __future__ import annotations

from functools import lru_cache

__all__ = [
    "INTERPRETERS",
    "RUN_TEXT",
    "SEARCHES",
    "SHELLS",
    "may_run",
    "plain_name",
    "runs_commands",
]

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
