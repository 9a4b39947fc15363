"""Detects commands that read what the agent must not know: the solution, its tests, later commits.

- **gold patch, test patch**: a file such as ``fix.patch`` or ``test.patch`` outside the repository
  folders, where some containers store the patches that score the attempt.
- **future**: commits that are not ancestors of the one to work on: all branches, those of a remote,
  the reflog of ``HEAD``, or a page of the repository's host.

A commit given by its hash may be an ancestor, and is not a leak by itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.readers.shell_views.pipelines import joined, program_of
from trajmeter.readers.shell_views.revisions import without_options
from trajmeter.records import Leak

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.readers.shell_views.syntax import Simple

__all__ = ["leak_of_path", "leaks_of_words", "may_leak"]

_HINT = re.compile(r"git|\.patch|\.diff|/solution|/oracle|reflog")
_PATCHES = {
    "gold_patch": re.compile(
        r"/(?:home|root|eval|data|patches|mnt)?/?(?:fix|gold|golden|solution)(?:_patch)?\.(?:patch|diff)"
        r"|/(?:solution|oracle)/.+"
    ),
    "test_patch": re.compile(
        r"/(?:home|root|eval|data|patches|mnt)?/?(?:tests?)(?:_patch)?\.(?:patch|diff)"
    ),
}
_NOT_READING = frozenset(
    {"ls", "find", "echo", "rm", "test", "[", "[[", "stat", "touch", "cd", "mkdir", "which", "du"}
)
_HOSTS = re.compile(
    r"(?:https?://)?(?:api\.|raw\.|codeload\.|patch-diff\.)?(?:github|githubusercontent|gitlab)\.com/\S+",
)
_EVERY = frozenset({"--all", "--remotes", "--branches", "--reflog", "-g", "--walk-reflogs"})
_LONGEST = 300
"""Longer words are not commit names."""
_EVERY_OF = ("--remotes=", "--branches=", "--glob=")
_ELSEWHERE = re.compile(
    r"(?:.*\.\.\.?)?(?:(?:origin|upstream)/\S+|FETCH_HEAD|ORIG_HEAD|\S*@\{\S+\})(?:\.\..*|:.*)?"
)
_READS_COMMITS = frozenset(
    {"log", "show", "diff", "rev-list", "whatchanged", "checkout", "cherry-pick", "merge", "rebase"}
    | {"switch", "reset", "format-patch", "shortlog", "grep", "cat-file", "restore", "range-diff"}
)
_UPDATES = frozenset({"fetch", "pull", "clone"})
_FAILURES = ("fatal:", "Could not resolve host", "error: pathspec", "not a git repository")


def may_leak(command: str) -> bool:
    """Whether a command needs to be checked for leaks."""
    return _HINT.search(command) is not None


def leak_of_path(path: str) -> str | None:
    """The kind of leak in reading a file; ``None`` if it is not a leak."""
    return next((kind for kind, form in _PATCHES.items() if form.fullmatch(path)), None)


def leaks_of_words(
    stage: Simple, text: str, output: str | None, folder: str | None
) -> Iterator[Leak]:
    """The leaks of one program, from the text and output of its command."""
    words = program_of(stage.words)
    if not words or words[0] in _NOT_READING:
        return
    read = [each.target for each in stage.redirections if each.operator == "<"]
    for word in (*words[1:], *read):
        kind = leak_of_path(joined(folder, word))
        if kind is not None:
            yield Leak(kind=kind, evidence=text)
    if _reads_future(words, output):
        yield Leak(kind="future", evidence=text)


def _reads_future(words: list[str], output: str | None) -> bool:
    if output is not None and any(sign in output for sign in _FAILURES):
        return False
    name, arguments = words[0], words[1:]
    if name in ("curl", "wget", "git") and any(map(_HOSTS.match, arguments)):
        return True
    if name != "git":
        return False
    arguments, _ = without_options(arguments)
    command = arguments[0] if arguments else ""
    if command in _UPDATES:
        return True
    # Nothing was printed, so nothing was read.
    if output == "":
        return False
    is_elsewhere = any(
        word in _EVERY or word.startswith(_EVERY_OF) or _ELSEWHERE.fullmatch(word)
        for word in arguments[1:]
        if len(word) < _LONGEST
    )
    return command == "reflog" or (command in _READS_COMMITS and is_elsewhere)
