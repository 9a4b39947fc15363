"""Determines the views of a shell command."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.shell_views.evidence import is_scratch, requested, seen, slices
from trajmeter.readers.shell_views.leaks import leaks_of_words, may_leak
from trajmeter.readers.shell_views.outputs import Text, has_any
from trajmeter.readers.shell_views.pipelines import (
    Printed,
    folder_after,
    joined,
    printed,
    program_of,
    script_of,
)
from trajmeter.readers.shell_views.syntax import Group, Pipeline, Simple, parse

if TYPE_CHECKING:
    from trajmeter.records import Leak, View

__all__ = ["ShellViews", "shell_views"]

_SHORT = 2_000
"""Longer commands are not cached."""
_DEEPEST = 3
"""Shells nested more deeply than this are ignored."""
_BROKEN_PIPE = 141
_FAULTS = re.compile(
    r"^(?P<line>[\w./+-]+: [^\n]*(?:No such file or directory|Is a directory|Permission denied"
    r"|Not a directory|cannot open|can't read|can't cd to|command not found|not found)[^\n]*)$",
    re.MULTILINE,
)
_HINTS = ("No such file", "directory", "denied", "cannot open", "can't", "not found")
_PATHS = re.compile(r"[^\s'\"`:(),\u2018\u2019]+")


class ShellViews(NamedTuple):
    """Views and leaks of a command."""

    views: tuple[View, ...]
    """Views in order: lines shown, search hits, and files whose lines are unknown."""
    folder: str | None
    """Current folder of a persistent shell afterwards; ``None`` if unknown."""
    leaks: tuple[Leak, ...]
    """Parts of the solution that the command read: gold patch, test patch, or later commits."""


@dataclass(slots=True)
class _Run:
    """A pipeline that ran, or may have run."""

    printed: Printed
    connector: str
    pipeline: Pipeline
    folder: str | None
    status: bool | None = None
    """Whether it succeeded; ``None`` if unknown."""
    has_fault: bool = False
    """Whether the output contains an error of it."""


class _Pushed(NamedTuple):
    """The folder pushed last, and those before it."""

    folder: str | None
    before: _Pushed | None


@dataclass(slots=True)
class _Shell:
    """The state of a shell while it executes a command."""

    faults: list[str]
    folder: str | None
    pushed: _Pushed | None = None
    """Folders to which ``popd`` returns."""
    status: bool | None = True
    runs: list[_Run] = field(default_factory=list)

    def run(self, pipelines: list[Pipeline], depth: int = 0) -> None:
        for pipeline in pipelines:
            if pipeline.connector == "&&" and self.status is False:
                continue
            if pipeline.connector == "||" and self.status is not False:
                continue
            if not self._inner(pipeline, depth) and not self._step(pipeline):
                return

    def _inner(self, pipeline: Pipeline, depth: int) -> bool:
        """Run the commands of a group or of a nested shell; returns whether it is one."""
        stage = pipeline.stages[0]
        if len(pipeline.stages) != 1 or depth > _DEEPEST or stage.redirections:
            return False
        folder, pushed = self.folder, self.pushed
        if isinstance(stage, Group):
            self.run(stage.pipelines, depth + 1)
        else:
            script = script_of(program_of(stage.words)) if stage.words else None
            if script is None:
                return False
            self.run(parse(script), depth + 1)
        self.folder, self.pushed = folder, pushed
        return True

    def _step(self, pipeline: Pipeline) -> bool:
        """Run a pipeline; returns whether the shell continues."""
        stage = pipeline.stages[0]
        words = program_of(stage.words) if isinstance(stage, Simple) and stage.words else []
        run = _Run(Printed(size=0), pipeline.connector, pipeline, self.folder)
        self.runs.append(run)
        if words and len(pipeline.stages) == 1 and words[0] in ("cd", "pushd", "popd"):
            self._change_folder(run, words[0], words[1:])
            if not run.has_fault:
                run.printed = printed(pipeline, None)
        else:
            run.printed = printed(pipeline, self.folder)
            self._judge(run, words[0] if words else "")
        self.status = run.status
        return words[:1] != ["exit"]

    def _change_folder(self, run: _Run, name: str, words: list[str]) -> None:
        target = next((word for word in words if not word.startswith("-")), None)
        run.has_fault = any(
            "cd" in fault and target is not None and target in fault for fault in self.faults
        )
        run.status = not run.has_fault
        if run.has_fault:
            return
        before = self.folder
        after = None if target is None else folder_after(before, target)
        if name == "cd":
            self.folder = after
        elif name == "popd":
            # If nothing was pushed, popd fails and the folder stays the same.
            if self.pushed is not None:
                self.folder, self.pushed = self.pushed
            else:
                run.status = None
        elif target is not None:
            self.folder, self.pushed = after, _Pushed(before, self.pushed)
        elif self.pushed is not None:  # swaps the top two folders
            self.folder, self.pushed = self.pushed.folder, _Pushed(before, self.pushed.before)

    def _judge(self, run: _Run, name: str) -> None:
        """Determine whether a pipeline succeeded, and drop what it failed to read."""
        parts = run.printed.parts
        if name in ("true", ":", "echo", "printf", "export"):
            run.status = True
        elif name == "false":
            run.status = False
        if not parts:
            return
        read = [part for part in parts if not self._failed(part.path)]
        run.has_fault = len(read) < len(parts)
        run.status = not run.has_fault
        run.printed.parts = read
        if not read:
            run.printed.size = 0

    def _failed(self, path: str) -> bool:
        return any(
            path in fault
            or any(joined(self.folder, each) == path for each in _PATHS.findall(fault))
            for fault in self.faults
        )


def shell_views(
    command: str,
    output: str | None = None,
    *,
    exit_code: int | None = None,
    folder: str | None = None,
    root: str | None = None,
    hidden: tuple[int, int] | None = None,
    trimmed: bool = False,
) -> ShellViews:
    r"""Determine what a shell command showed of files.

    Recognises ``cat``, ``head``, ``tail``, ``sed``, ``nl``, ``awk`` by line numbers, ``less``,
    ``more``, ``bat``, ``grep``, ``rg``, ``git show``, ``git diff``, ``git blame`` and ``git grep``,
    alone and in pipelines, lists and groups. Variables are not expanded, and scripts in other
    languages are ignored.

    Args:
        command: The command, as passed to a shell.
        output: Its output, including errors. With output, lines are counted, line numbers are
            parsed, and a failed command shows nothing. If ``None``, the requested lines count as
            shown.
        exit_code: The command's exit code; ``None`` if unknown.
        folder: Folder in which the command ran; ``None`` for the root of the repository.
        root: Root of the repository, if known; its files are views even below ``/tmp``.
        hidden: Range of characters of the output that the agent did not see, half-open.
        trimmed: Whether empty lines were removed from both ends of the output. A few missing lines
            of a range are then assumed to be such lines.

    Returns:
        Its views, with paths joined to the folder; its leaks; and the shell's folder afterwards.
        Search hits are single lines, marked as ``searched``; context lines of a search are ranges.
        Other files below ``/tmp`` and the like are not views.

    Example:
        >>> from trajmeter.readers.shell_views import shell_views
        >>> seen = shell_views("cd src && head -n 50 a.py", "import os\nimport sys\n")
        >>> [(view.path, view.start, view.end) for view in seen.views]
        [('src/a.py', 1, 2)]
    """
    faults = _faults(output)
    planned, after = _plan(command, folder, faults)
    runs = _ran(planned, output, exit_code)
    views: list[View] = []
    if output is None:
        for run in runs:
            views += requested(run.printed)
    elif any(run.printed.shows for run in runs):
        text = Text.of(output, hidden, is_trimmed=trimmed)
        if faults:
            text = _without(text, faults)
        printing = [run.printed for run in runs if run.printed.size != 0]
        for each, bounds in zip(printing, slices(printing, text), strict=True):
            views += seen(each, text, bounds)
    views = [view for view in views if not is_scratch(view.path, root)]
    leaks: tuple[Leak, ...] = ()
    if may_leak(command) and not (output == "" and exit_code):
        leaks = tuple(
            leak
            for run in runs
            if not run.has_fault
            for stage in run.pipeline.stages
            if isinstance(stage, Simple)
            for leak in leaks_of_words(stage, run.pipeline.text, output, run.folder)
        )
    return ShellViews(tuple(views), after, leaks)


def _plan(command: str, folder: str | None, faults: list[str]) -> tuple[list[_Run], str | None]:
    """The pipelines that run, unless the exit code contradicts, and the folder after them."""
    if not faults and len(command) <= _SHORT:
        return _usual(command, folder)
    shell = _Shell(faults, folder)
    shell.run(parse(command))
    return shell.runs, shell.folder


# Attempts at one task repeat the same commands.
@lru_cache(maxsize=1024)
def _usual(command: str, folder: str | None) -> tuple[list[_Run], str | None]:
    shell = _Shell([], folder)
    shell.run(parse(command))
    return shell.runs, shell.folder


def _faults(output: str | None) -> list[str]:
    """Output lines that say that a file could not be read."""
    if not output or not has_any(output, _HINTS):
        return []
    return [match["line"] for match in _FAULTS.finditer(output)]


def _without(text: Text, faults: list[str]) -> Text:
    lost = set(faults)
    low, high = text.hidden
    gone = [at for at, line in enumerate(text.lines) if line in lost]
    low -= sum(at < low for at in gone)
    high -= sum(at < high for at in gone)
    uncounted = text.uncounted
    if uncounted is not None:
        uncounted -= sum(at < uncounted for at in gone)
    lines = [line for line in text.lines if line not in lost]
    return text._replace(lines=lines, hidden=(low, high), uncounted=uncounted)


def _ran(runs: list[_Run], output: str | None, exit_code: int | None) -> list[_Run]:
    """The pipelines that ran to completion, as far as the exit code shows."""
    if exit_code in (None, 0, _BROKEN_PIPE) or not runs:
        return runs
    if not output:
        return []
    last = runs[-1]
    if last.has_fault or last.printed.search is not None or last.printed.diff is not None:
        return runs
    # Any command in a && chain may have failed and ended it; those that read files are trusted.
    place = len(runs) - 1
    while place > 0 and runs[place].connector == "&&":
        place -= 1
    for index in range(place, len(runs)):
        if runs[index].status is None and not runs[index].printed.shows:
            return runs[: index + 1]
        if runs[index].has_fault:
            return runs
    return runs[:-1] if last.printed.parts else runs
