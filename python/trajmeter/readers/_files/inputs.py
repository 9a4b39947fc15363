"""What the paths of a call name: files, folders, globs and standard input, as files to read.

A folder is walked: every file in it that some format recognises is read, in the order of their
paths. A folder within it that a format recognises is read by that format as a whole. Source files,
images and the like are skipped, and a warning at the end counts whatever else no format
recognises.
"""

from __future__ import annotations

import glob
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers._files.containers import NotJsonError, is_json_lines
from trajmeter.readers._files.content import STDIN, decompressed_name, forget_pipes, suffix_of
from trajmeter.readers._files.ranges import LineRange
from trajmeter.records import ReadProblem
from trajmeter.remote import RemotePath, is_named_in_utf8, is_remote, path_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from trajmeter.readers._files.ranges import Range
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.readers._recognition.formats import FileFormat, RecordT

__all__ = ["FolderNotes", "FolderTally", "Input", "check_patterns", "expanded", "inputs"]

_DATA = frozenset(
    {".cast", ".csv", ".eval", ".json", ".jsonl", ".ndjson", ".parquet", ".pred", ".traj"}
)
"""Suffixes of files that hold records: one that cannot be read is a problem, also in a folder."""
_NO_LOGS = re.compile(
    r"""\. (?:
    avif | bat | bin | bmp | c | cc | cfg | class | cpp | cs | css | diff | dll |
    dylib | exe | gif | go | h | hpp | htm | html | ico | ini | ipynb | jar | java | jpeg |
    jpg | js | jsx | kt | lock | mjs | mov | mp3 | mp4 | npy | npz | o | otf | patch | pdf |
    php | pkl | png | proto | pt | py | pyc | pyi | pyo | rb | rs | safetensors | scala | sh
    | so | sql | svg | swift | tar | tex | tgz | tif | tiff | toml | ts | tsx | ttf | wasm |
    webm | webp | wheel | whl | woff | woff2 | xml | xz | yaml | yml
    )""",
    re.VERBOSE,
)
"""Suffixes of files that are never logs."""
_LOG_SUFFIX = ".json"
_NO_LOG_NAMES = frozenset({".DS_Store", ".gitattributes", ".gitignore", "LICENSE", "Makefile"})
_NO_LOG_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules"})


_SUMMARY = re.compile(r".+\.pred|(all_)?pred(iction)?s\.jsonl?|.*patch_context\.txt")
"""Names of predictions, which mini-swe-agent, SWE-agent and others write beside their logs, and of
contexts that are declared in them."""
_OF_ONE_RUN = {
    "": (".traj", ".checkpoints.jsonl", ".context.json"),
    "contextbench": (".checkpoints.jsonl", ".traj", ".context.json"),
}
"""Endings of the files of one run of SWE-agent as ContextBench keeps it, by profile, the one that
is read first."""


class FolderTally(NamedTuple):
    """What was found in a part of a folder."""

    is_empty: bool
    """Whether nothing was read, and nothing reported."""
    left_out: int
    """Files that no format recognises."""
    example: str | None
    """The first of them."""


class FolderNotes:
    """What was found in the folder of an argument, so that nothing is left out silently."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """The folder."""
        self._count = 0
        self._example: Path | None = None
        self._is_empty = True
        self._repeating: list[Path] = []
        self._with_logs: set[Path] = set()
        self._last: str | None = None

    def report(self) -> None:
        """Note that it was reported why a file cannot be read."""
        self._is_empty = False

    def read(self, path: Path) -> None:
        """Note that a file was read."""
        self._is_empty = False
        last, self._last = self._last, os.path.dirname(path)  # noqa: PTH120 - once for each file
        if last == self._last:
            return
        for folder in path.parents:
            if folder in self._with_logs:
                break
            self._with_logs.add(folder)

    def leave_out(self, path: Path) -> None:
        """Note that no format recognises a file."""
        self._count += 1
        self._example = self._example or path

    def repeats(self, path: Path) -> bool:
        """Whether predictions, or a summary, repeat logs beside or below them, which were read."""
        if path.parent in self._with_logs:
            self._repeating.append(path)
        return path.parent in self._with_logs

    def tally(self) -> FolderTally:
        """What was found so far in this part of the folder, for :meth:`merge` of another."""
        example = None if self._example is None else str(self._example)
        return FolderTally(self._is_empty, self._count, example)

    def merge(self, tally: FolderTally) -> None:
        """Note what was found in a later part of the folder."""
        self._is_empty = self._is_empty and tally.is_empty
        self._count += tally.left_out
        if self._example is None and tally.example is not None:
            self._example = Path(tally.example)

    def end(self) -> Iterator[ReadProblem]:
        """The problem that nothing was read, or else a warning of what was left out."""
        if self._is_empty:
            found = f"; none recognises {self._example}" if self._example else ""
            yield ReadProblem(
                file=str(self.folder),
                message="nothing to read in the folder: no file in it is of a format that "
                f"'trajmeter formats' lists{found}",
            )
            return
        if self._repeating:
            first, *others = self._repeating
            more = f" (and {len(others):,} more)" if others else ""
            warnings.warn(
                f"{first}{more}: left out, because predictions and summaries beside logs are of "
                "the same attempts; name the file to read it",
                stacklevel=2,
            )
        if self._count:
            files = "1 file is" if self._count == 1 else f"{self._count:,} files are"
            warnings.warn(
                f"{self.folder}: {files} left out, because no format recognises "
                f"{'it' if self._count == 1 else 'them'}: {self._example}"
                f"{' …' if self._count > 1 else ''}",
                stacklevel=2,
            )


class Input(NamedTuple):
    """A file to read, or a folder that is read as a whole; or the end of a folder."""

    path: Path
    whole: FileFormat[Any] | None = None
    """The format that recognises a folder."""
    notes: FolderNotes | None = None
    """Of the folder in which it was found; ``None`` if it was named itself."""
    problems: tuple[ReadProblem, ...] = ()
    """Why there is nothing to read here."""
    is_end: bool = False
    """Whether the folder ends here."""
    is_summary: bool = False
    """Whether its name is that of predictions, or of another file that programs write beside the
    log of a run."""
    within: Range | None = None
    """Which lines or rows of it to read, some of which a format recognises; all if ``None``."""

    def holds_lines(self, longest: int) -> bool:
        """Whether it is read as JSON lines, of which the longest has so many bytes."""
        if self.within is None:
            return is_json_lines(self.path, longest)
        return isinstance(self.within, LineRange)

    @property
    def may_be_log(self) -> bool:
        """Whether it is a file that has the name of a log of mini-swe-agent."""
        is_other = self.problems or self.is_end or self.is_summary or self.whole or self.within
        return not is_other and self.path.suffix == _LOG_SUFFIX and is_named_in_utf8(self.path)

    def note_read(self) -> None:
        """Note that it was read."""
        if self.notes is not None:
            self.notes.read(self.path)

    def note_reported(self) -> None:
        """Note that it was reported why it cannot be read."""
        if self.notes is not None:
            self.notes.report()

    def note_left_out(self) -> None:
        """Note that no format recognises it."""
        if self.notes is not None:
            self.notes.leave_out(self.path)

    def is_repetition(self) -> bool:
        """Whether it repeats what the logs of its folder hold, which is noted."""
        return self.is_summary and self.notes is not None and self.notes.repeats(self.path)

    def may_be_passed_over(self, error: ReadError) -> bool:
        """Whether it is no problem that a file cannot be read, which nobody says it could be."""
        is_data = _suffix(self.path.name) in _DATA
        return self.notes is not None and isinstance(error, NotJsonError) and not is_data


def inputs(paths: str | Path | Iterable[str | Path], choice: Choice[RecordT]) -> Iterator[Input]:
    """Yield what the paths name, file by file, as it is found.

    Args:
        paths: One or more paths.
        choice: How files are read.

    Raises:
        InputError: An item is not a path.
    """
    forget_pipes()
    for argument in paths_and_records(paths, name="paths"):
        path = path_of(argument)
        try:
            found = expanded(path)
        except OSError as error:
            problem = ReadProblem(file=str(path), message=error.strerror or str(error))
            yield Input(path, problems=(problem,))
            continue
        for each in found:
            if each.is_dir():
                yield from _folder(each, choice)
            else:
                yield Input(each)


def _suffix(name: str) -> str:
    return suffix_of(decompressed_name(name)).lower()


def expanded(path: Path) -> list[Path]:
    """The files that a pattern such as ``logs/**/*.json`` names; a path that exists is itself.

    Raises:
        OSError: A remote folder cannot be listed.
    """
    if isinstance(path, RemotePath):
        return [*path.matches()] or [path] if path.is_pattern else [path]
    name = str(path)
    if not glob.has_magic(name) or path == STDIN or os.path.lexists(path):
        return [path]
    return [Path(found) for found in sorted(glob.glob(name, recursive=True))] or [path]  # noqa: PTH207 - Path.glob takes no absolute pattern


def check_patterns(paths: Iterable[Path]) -> None:
    """Check that every pattern names a file.

    Raises:
        ConfigurationError: One names none, or its folder cannot be listed.
    """
    for path in paths:
        is_remote_pattern = isinstance(path, RemotePath) and path.is_pattern
        if not is_remote_pattern and not glob.has_magic(str(path)):
            continue
        try:
            found = expanded(path)
        except OSError as error:
            raise ConfigurationError(f"{path}: {error.strerror or error}") from error
        if found == [path] and not path.exists():
            raise ConfigurationError(f"{path}: no file matches this pattern")


def _folder(path: Path, choice: Choice[RecordT]) -> Iterator[Input]:
    try:
        whole = choice.folder_format(path)
    except ReadError as error:
        yield Input(path, problems=(ReadProblem(file=str(path), message=str(error)),))
        return
    if whole is not None:
        yield Input(path, whole)
        return
    notes = FolderNotes(path)
    summaries = []
    for each in _walk(path, choice, notes):
        if each.is_summary:
            summaries.append(each)
        else:
            yield each
    yield from summaries
    yield Input(path, notes=notes, is_end=True)


def _walk(
    folder: Path, choice: Choice[RecordT], notes: FolderNotes, *, is_below: bool = False
) -> Iterator[Input]:
    try:
        entries = _listed(folder)
        names = {entry.name if entry.is_file else f"{entry.name}/" for entry in entries}
        whole = choice.folder_format(folder, names) if is_below else None
    except OSError as error:
        problem = ReadProblem(file=str(folder), message=error.strerror or str(error))
        yield Input(folder, notes=notes, problems=(problem,))
        return
    except ReadError as error:
        problem = ReadProblem(file=str(folder), message=str(error))
        yield Input(folder, notes=notes, problems=(problem,))
        return
    if whole is not None:
        yield Input(folder, whole, notes)
        return
    endings = _OF_ONE_RUN["contextbench" if "contextbench" in choice.profiles else ""]
    to_path = path_of if is_remote(folder) else Path  # what was listed exists, whatever its name
    for entry in entries:
        if entry.is_folder:
            if entry.name not in _NO_LOG_FOLDERS:
                yield from _walk(to_path(entry.path), choice, notes, is_below=True)
        elif entry.is_file and _may_be_log(entry.name):
            is_summary = _SUMMARY.fullmatch(decompressed_name(entry.name)) is not None
            is_summary = is_summary or _is_of_a_run(entry.name, endings, names)
            yield Input(to_path(entry.path), notes=notes, is_summary=is_summary)


def _is_of_a_run(name: str, endings: Sequence[str], names: Collection[str]) -> bool:
    """Whether a better file of the same run is among these."""
    for place, ending in enumerate(endings):
        if name.endswith(ending):
            stem = name.removesuffix(ending)
            return any(f"{stem}{better}" in names for better in endings[:place])
    return False


class _Listed(NamedTuple):
    """What lies in a folder."""

    name: str
    path: str
    is_folder: bool
    is_file: bool


def _listed(folder: Path) -> list[_Listed]:
    """What lies in a folder, by name.

    Raises:
        OSError: It cannot be listed.
    """
    if isinstance(folder, RemotePath):
        return [
            _Listed(path.name, str(path), is_folder, not is_folder)
            for path, is_folder in folder.scan()
        ]
    with os.scandir(folder) as found:
        listed = [
            _Listed(each.name, each.path, each.is_dir(follow_symlinks=False), each.is_file())
            for each in found
        ]
    return sorted(listed)


def _may_be_log(name: str) -> bool:
    return name not in _NO_LOG_NAMES and not _NO_LOGS.fullmatch(_suffix(name))
