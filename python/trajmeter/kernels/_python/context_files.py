"""The files that the paths in logs refer to, shared by the tasks of one repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels._python.context_file import new_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels._context import ContextFile, ContextRules, ResolvedPath
    from trajmeter.kernels._context_batch import FileListing
    from trajmeter.kernels._python.context_views import File

__all__ = ["ContextFiles", "context_files"]

# About what an entry of a table takes, and a line or definition of a file, here and in the arrays
# that they are copied from.
_ENTRY = 300
_PLACE = 40


def context_files(
    resolve: Callable[[str], ResolvedPath],
    rules: ContextRules,
    listing: FileListing | None = None,
) -> ContextFiles:
    """Create the collection of files that paths refer to.

    Args:
        resolve: Finds the file that a path in a log refers to; called once per path.
        rules: What line numbers and touching definitions mean.
        listing: What a backend needs to find the same files as ``resolve`` without calling it; this
            backend does not use it.
    """
    del listing
    return ContextFiles(resolve, rules)


class ContextFiles:
    """The files that paths refer to."""

    def __init__(self, resolve: Callable[[str], ResolvedPath], rules: ContextRules) -> None:
        """Start without files."""
        self.rules = rules
        self.bytes = 0
        self._resolve = resolve
        self._files: dict[int, File] = {}
        self._targets: dict[str, tuple[File | None, bool]] = {}

    def target(self, path: str) -> tuple[File | None, bool]:
        """The file that a path refers to, and whether the path names a leak."""
        target = self._targets.get(path)
        if target is None:
            resolved = self._resolve(path)
            file = None if resolved.file is None else self.compiled(resolved.file)
            target = self._targets[path] = file, resolved.leak
            self.bytes += _ENTRY + len(path)
        return target

    def compiled(self, file: ContextFile) -> File:
        """The file with its tables, compiled on first use."""
        found = self._files.get(file.code)
        if found is None:
            found = self._files[file.code] = new_file(file, self.rules)
            tables = file.tables
            if tables is not None:
                places = len(tables.line_starts) + 2 * len(tables.definition_start)
                self.bytes += _ENTRY + _PLACE * places
        return found
