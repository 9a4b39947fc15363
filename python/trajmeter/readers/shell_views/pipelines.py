"""Determines the output of a pipeline: filtered lines, search hits, a diff or known text."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trajmeter.readers.shell_views.listings import LISTINGS, Listing
from trajmeter.readers.shell_views.revisions import Diff, git, without_options
from trajmeter.readers.shell_views.searches import SEARCHES, Search, search
from trajmeter.readers.shell_views.selections import ALL, Picked, Ranges, picked_from
from trajmeter.readers.shell_views.syntax import Group, Unexpanded

if TYPE_CHECKING:
    from trajmeter.readers.shell_views.syntax import Pipeline, Simple

__all__ = ["Part", "Printed", "folder_after", "joined", "printed", "program_of"]

_WRAPPERS = {
    "sudo": "ugp",
    "timeout": "ks",
    "nice": "n",
    "env": "uC",
    "stdbuf": "ioe",
    "command": "",
    "builtin": "",
    "nohup": "",
    "exec": "",
    "time": "",
    "xvfb-run": "",
}
_SILENT = frozenset(
    {"cd", "export", "set", "unset", "true", "false", ":", "test", "[", "[[", "mkdir"}
    | {"rm", "cp", "mv", "touch", "chmod", "source", ".", "sleep", "exit", "return", "ln", "shopt"}
    | {"alias", "read", "local", "declare", "umask", "wait", "kill"}
)
_SILENT_GIT = frozenset({"add", "checkout", "config", "reset", "restore", "rm", "mv", "apply"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_ONE_LINE = frozenset(
    {"pwd", "which", "whoami", "hostname", "date", "realpath", "basename", "pushd", "popd"}
)


_MOST_WRAPPERS = 8
"""Longer chains of programs that run each other are not followed."""
_LONGEST = 1_000
"""Folders with longer paths are treated as unknown, to bound the cost of changing folders."""


@dataclass(slots=True)
class Part:
    """Lines of one file."""

    path: str
    ranges: Ranges | None
    """Lines in the order printed; ``None`` if their numbers are unknown."""
    is_exact: bool = True
    """Whether counting the output lines identifies the lines."""
    has_numbers: bool = False
    """Whether each line is preceded by its number."""
    is_cut: bool = False
    """Whether an unknown number of lines at the end is missing."""
    is_search: bool = False
    """Whether the lines are search hits."""

    @property
    def is_whole(self) -> bool:
        """Whether all lines are printed."""
        return self.ranges == ALL and not self.is_cut

    @property
    def size(self) -> int | None:
        """Maximum number of lines; ``None`` if unlimited."""
        total = 0
        for first, last in self.ranges or ((1, None),):
            if last is None:
                return None
            total += last - first + 1
        return total


@dataclass(slots=True)
class Printed:
    """The output of a pipeline."""

    parts: list[Part] = field(default_factory=list)
    is_headed: bool = False
    search: Search | None = None
    diff: Diff | None = None
    literal: str | None = None
    size: int | None = None
    """Number of lines, if known without the output."""
    folder: str | None = None
    """Folder to which paths in the output of a search are relative."""

    @property
    def shows(self) -> bool:
        """Whether lines of files are printed."""
        return (
            bool(self.parts or self.is_headed) or self.search is not None or self.diff is not None
        )


def joined(folder: str | None, path: str) -> str:
    """Resolve a path relative to a folder."""
    if path.startswith(("/", "~")) or folder is None:
        return posixpath.normpath(path) if "./" in path or "//" in path else path
    return posixpath.normpath(f"{folder}/{path}")


def folder_after(folder: str | None, target: str) -> str | None:
    """The folder that ``cd`` leads to; ``None`` if it is the root or unknown."""
    if isinstance(target, Unexpanded):
        return None
    after = joined(folder, target)
    return None if after == "." or len(after) > _LONGEST else after


def program_of(words: list[str]) -> list[str]:
    """The words of a command from its actual program on, skipping wrapper programs."""
    for _ in range(_MOST_WRAPPERS):
        name = words[0].rpartition("/")[2] if words else ""
        valued = _WRAPPERS.get(name)
        if valued is None:
            return words if not words or name == words[0] else [name, *words[1:]]
        place = 1
        while place < len(words) and (words[place].startswith("-") or "=" in words[place]):
            option = words[place]
            place += 1 + (len(option) == 2 and option[1] in valued)  # noqa: PLR2004 - a dash and a letter
        words = words[place + (name == "timeout") :]
    return words


def script_of(words: list[str]) -> str | None:
    """The script passed to another shell, as with ``bash -c``."""
    if words and words[0] in _SHELLS:
        for place, word in enumerate(words[1:-1], start=1):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                script = words[place + 1]
                return None if isinstance(script, Unexpanded) else script
    return None


def printed(pipeline: Pipeline, folder: str | None) -> Printed:
    """Determine the output of a pipeline of simple commands."""
    result = Printed(size=0)
    for place, stage in enumerate(pipeline.stages):
        if isinstance(stage, Group):
            return Printed()
        words = program_of(stage.words)
        result = _stage(stage, words, None if place == 0 else result, folder)
        if _is_redirected(stage):
            result = Printed(size=0)
    return result


def _is_redirected(stage: Simple) -> bool:
    operators = (redirection.operator for redirection in stage.redirections)
    return any(operator in (">", ">>", ">|", "1>", "1>>", "&>", "&>>") for operator in operators)


def _stage(stage: Simple, words: list[str], before: Printed | None, folder: str | None) -> Printed:
    """Determine the output of a command, given that of the preceding one."""
    if not words:
        return Printed(size=0)
    name, arguments = words[0], words[1:]
    inputs = [each.target for each in stage.redirections if each.operator == "<"]
    if name in LISTINGS:
        result = _listing(LISTINGS[name](arguments), inputs, before, folder)
    elif name in SEARCHES:
        found = search(name, arguments)
        is_filter = found is not None and not found.files and not inputs
        if found is not None and is_filter and before is not None:
            result = _searched(before, found)
        else:
            result = _search_output(found, inputs, folder)
    elif name in ("xargs", "find"):
        result = _for_each(arguments, folder)
    else:
        result = _git(arguments, folder) if name == "git" else _other(name, arguments)
    return result


def _listing(
    listing: Listing | None, inputs: list[str], before: Printed | None, folder: str | None
) -> Printed:
    if listing is None:
        return Printed()
    if listing.files or inputs:
        return _listing_output(listing._replace(files=listing.files or inputs), folder)
    return Printed() if before is None else _filtered(before, listing.picked)


def _search_output(found: Search | None, inputs: list[str], folder: str | None) -> Printed:
    if found is None:
        return Printed()
    if inputs and not found.files:
        found = found._replace(files=inputs, is_named=False)
    return Printed(search=found, folder=folder)


def _listing_output(listing: Listing, folder: str | None) -> Printed:
    picked = listing.picked
    parts = [
        Part(joined(folder, file), *picked)
        for file in listing.files
        if not isinstance(file, Unexpanded) and file not in ("-", "/dev/stdin")
    ]
    if len(listing.files) > 1 and not listing.is_headed:
        # Numbering continues from file to file.
        for part in parts:
            part.has_numbers = False
    if picked.ranges == ():
        return Printed(size=0)
    return Printed(parts=parts, is_headed=listing.is_headed)


def _filtered(before: Printed, picked: Picked) -> Printed:
    """Apply a filter to lines."""
    if before.search is not None or before.diff is not None:
        return Printed() if picked.has_numbers else before  # search hits with numbers of their own
    if picked == Picked(ALL):
        return before
    if before.is_headed or len(before.parts) != 1:
        parts = [replace(part, ranges=None, has_numbers=False) for part in before.parts]
        return Printed(parts=parts)
    part = before.parts[0]
    # Numbers added by a filter come first; they are file line numbers if it reads the file from its
    # start.
    starts_file = part.ranges is not None and len(part.ranges) == 1 and part.ranges[0][0] == 1
    numbers = starts_file if picked.has_numbers else part.has_numbers
    ranges = None
    if part.ranges is not None and picked.ranges is not None:
        ranges = picked_from(part.ranges, picked.ranges)
        if not ranges:
            return Printed(size=0)
    is_exact = part.is_exact and picked.is_exact
    is_cut = picked.is_cut or (part.is_cut and ranges is not None and ranges[-1][1] is None)
    return Printed(parts=[Part(part.path, ranges, is_exact, numbers, is_cut, part.is_search)])


def _searched(before: Printed, found: Search) -> Printed:
    """Apply a search to the lines that it reads."""
    if before.search is not None or before.diff is not None:
        return before
    parts = []
    for part in before.parts:
        adds = (
            found.is_numbered and part.is_whole and not part.has_numbers and len(before.parts) == 1
        )
        has_numbers = adds or (part.has_numbers and not found.is_numbered)
        parts.append(replace(part, ranges=None, has_numbers=has_numbers, is_search=True))
    return Printed(parts=parts)


def _for_each(arguments: list[str], folder: str | None) -> Printed:
    """What ``xargs`` and ``find`` print: if they run a search, hits in files unknown here."""
    for place, word in enumerate(arguments):
        if word in SEARCHES:
            found = search(word, arguments[place + 1 :])
            return _search_output(found and found._replace(files=[], is_named=None), [], folder)
    return Printed()


def _git(arguments: list[str], folder: str | None) -> Printed:
    shown = git(arguments)
    words, elsewhere = without_options(arguments)
    folder = folder if elsewhere is None else joined(folder, elsewhere)
    if isinstance(shown, Listing):
        # Revision paths start at the top of the repository unless they begin with a dot.
        is_local = words[0] == "blame" or any(":./" in word for word in words)
        return _listing_output(shown, folder if is_local else None)
    if isinstance(shown, Search):
        return Printed(search=shown, folder=folder)
    if shown is not None:
        return Printed(diff=shown)
    return Printed(size=0) if words[:1] and words[0] in _SILENT_GIT else Printed()


def _other(name: str, arguments: list[str]) -> Printed:
    literal = _text_of(name, arguments)
    if literal is not None:
        return Printed(literal=literal, size=literal.count("\n") + 1)
    if name in _SILENT:
        return Printed(size=0)
    files = [word for word in arguments if not word.startswith("-")]
    is_one_line = name == "wc" and len(files) == 1 and not isinstance(files[0], Unexpanded)
    return Printed(size=1) if is_one_line or name in _ONE_LINE else Printed()


def _text_of(name: str, arguments: list[str]) -> str | None:
    """The text that ``echo`` or ``printf`` prints, if known, without its last newline."""
    if any(isinstance(word, Unexpanded) for word in arguments):
        return None
    if name == "echo" and arguments[:1] not in (["-e"], ["-n"], ["-en"], ["-ne"]):
        return " ".join(arguments)
    if name == "printf" and len(arguments) == 1 and arguments[0].endswith("\\n"):
        text = arguments[0].removesuffix("\\n").replace("\\n", "\n")
        return None if "%" in text or "\\" in text else text
    return None
