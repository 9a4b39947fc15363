"""Expands the paths of a call (files, folders, globs, standard input) into files to read.

Folders are walked, and every file that a format recognises is read, in path order. A subfolder that
a format recognises is read whole by that format. Source files, images and the like are skipped, and
a warning at the end counts all other files that no format recognises.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import NotJsonError, is_json_lines
from trajmeter.readers._files.content import decompressed_name, open_content, suffix_of
from trajmeter.readers._files.folder_notes import FolderNotes
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._files.ranges import LineRange
from trajmeter.readers.patterns import expanded
from trajmeter.remote import RemotePath, is_named_in_utf8, is_remote, path_of
from trajmeter.system.pipes import new_pipes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from trajmeter.readers._files.ranges import Range
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.readers._recognition.formats import FileFormat, RecordT
    from trajmeter.records import ReadProblem

__all__ = ["Input", "inputs"]

_DATA = frozenset(
    {".cast", ".csv", ".eval", ".json", ".jsonl", ".ndjson", ".parquet", ".pred", ".traj"}
)
"""Suffixes of record files: an unreadable one is a problem even if found in a folder."""
_NO_TABLE = tuple(_DATA - {".parquet"})
_NO_LOGS = r"""\. (?:
    avif | bat | bin | bmp | c | cc | cfg | class | cpp | cs | css | diff | dll |
    dylib | exe | gif | go | h | hpp | htm | html | ico | ini | ipynb | jar | java | jpeg |
    jpg | js | jsx | kt | lock | mjs | mov | mp3 | mp4 | npy | npz | o | otf | patch | pdf |
    php | pkl | png | proto | pt | py | pyc | pyi | pyo | rb | rs | safetensors | scala | sh
    | so | sql | svg | swift | tar | tex | tgz | tif | tiff | toml | ts | tsx | ttf | wasm |
    webm | webp | wheel | whl | woff | woff2 | xml | xz | yaml | yml
    )"""
"""Suffixes of files that are never logs."""
_LOG_SUFFIX = ".json"
_NO_LOG_NAMES = frozenset({".DS_Store", ".gitattributes", ".gitignore", "LICENSE", "Makefile"})
_NO_LOG_FOLDERS = frozenset({".git", ".hg", ".svn", ".trash", "__pycache__", "node_modules"})
_DESCRIPTIONS = {
    "meta.yaml": (b"lifecycle_stage:", frozenset({"metrics", "params", "tags"})),
    "trace_info.yaml": (b"", frozenset({"assessments", "request_metadata", "tags"})),
}
"""Folders in which MLflow describes a run or a trace, by the file beside them and what it contains,
as other programs write a meta.yaml too."""
_HEAD = 1 << 16
"""Bytes that contain all of such a file."""
_MODEL = "MLmodel"
"""The file in each folder of a model that MLflow stored, whose examples are not logs."""

_SUMMARY = r".+\.pred|(all_)?pred(iction)?s\.jsonl?|.*patch_context\.txt"
"""Names of predictions and declared contexts, which mini-swe-agent, SWE-agent and others write next
to their logs."""
_SUMMARY_ENDINGS = (".pred", "s.json", "s.jsonl", "patch_context.txt")
"""How these names end; few others do, and this is checked for every file."""
_OF_ONE_RUN = {
    "": (".traj", ".checkpoints.jsonl", ".context.json"),
    "contextbench": (".checkpoints.jsonl", ".traj", ".context.json"),
}
"""Suffixes of the files of one SWE-agent run as ContextBench stores it, by profile; the preferred
suffix comes first."""


class Input(NamedTuple):
    """A file or a whole folder to read, or the marker of a folder's end."""

    place: Path | str
    """Its path; as text if it was found in a local folder, which may hold a hundred thousand files
    whose paths are needed only as text."""
    format: FileFormat[Any] | None = None
    """The format that reads it, if already known: of a folder, or of the file it is a part of."""
    notes: FolderNotes | None = None
    """The folder in which it was found; ``None`` if the user named it."""
    problems: tuple[ReadProblem, ...] = ()
    """Why there is nothing to read."""
    is_end: bool = False
    """Whether this marks the end of the folder."""
    is_summary: bool = False
    """Whether it is named like predictions or another file that programs write next to a run's
    log."""
    within: Range | None = None
    """Range of lines or rows to read, some of which a format recognises; all if ``None``."""

    @property
    def path(self) -> Path:
        """Its path."""
        return _as_path(self.place)

    def holds_lines(self, longest: int) -> bool:
        """Whether it is read as JSON lines of at most this many bytes."""
        if self.within is None:
            return is_json_lines(self.path, longest)
        return isinstance(self.within, LineRange)

    @property
    def may_be_log(self) -> bool:
        """Whether the file is named like a mini-swe-agent log."""
        is_other = self.problems or self.is_end or self.is_summary or self.format or self.within
        if is_other:
            return False
        name = str(self.place)
        return name.endswith(_LOG_SUFFIX) and is_named_in_utf8(name)

    @property
    def may_be_parquet(self) -> bool:
        """Whether to look for Parquet in it before reading.

        A file that was found in a folder with the suffix of another format is examined when it is
        read.
        """
        is_other = self.problems or self.is_end or self.format
        return not is_other and (self.notes is None or not str(self.place).endswith(_NO_TABLE))

    def note_read(self) -> None:
        """Record that it was read."""
        if self.notes is not None:
            self.notes.read(self.place)

    def note_reported(self) -> None:
        """Record that a problem with it was reported."""
        if self.notes is not None:
            self.notes.report()

    def note_left_out(self) -> None:
        """Record that no format recognises it."""
        if self.notes is not None:
            self.notes.leave_out(self.path)

    def is_repetition(self) -> bool:
        """Whether it repeats the logs of its folder; records that it does."""
        return self.is_summary and self.notes is not None and self.notes.repeats(self.path)

    @property
    def may_be_text(self) -> bool:
        """Whether nothing but its content can suggest that it holds records."""
        return self.notes is not None and _suffix(self.path.name) not in _DATA

    def may_be_passed_over(self, error: ReadError) -> bool:
        """Whether failing to read it is not a problem, as nothing suggests it is readable."""
        return isinstance(error, NotJsonError) and self.may_be_text


def inputs(paths: str | Path | Iterable[str | Path], choice: Choice[RecordT]) -> Iterator[Input]:
    """Yield the files that the paths name, as they are found.

    Args:
        paths: One or more paths.
        choice: How files are read.

    Raises:
        InputError: An item is not a path.
    """
    begin = new_pipes()
    for argument in paths_and_records(paths, name="paths"):
        path = path_of(argument)
        try:
            found = expanded(path)
        except OSError as error:
            yield Input(path, problems=(problem_with(path, error),))
            continue
        for each in found:
            if each.is_dir():
                yield from _folder(each, choice)
            else:
                begin(each)
                yield Input(each)


def _as_path(place: Path | str) -> Path:
    return Path(place) if isinstance(place, str) else place


def _suffix(name: str) -> str:
    return suffix_of(decompressed_name(name)).lower()


def _folder(path: Path, choice: Choice[RecordT]) -> Iterator[Input]:
    try:
        folder_format = choice.folder_format(path)
    except ReadError as error:
        yield Input(path, problems=(problem_with(path, error),))
        return
    if folder_format is not None:
        yield Input(path, folder_format)
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
        folder_format = choice.folder_format(folder, names) if is_below else None
    except (OSError, ReadError) as error:
        yield Input(folder, notes=notes, problems=(problem_with(folder, error),))
        return
    if folder_format is not None:
        yield Input(folder, folder_format, notes)
        return
    if _MODEL in names and is_below:
        return
    no_logs = _NO_LOG_FOLDERS | _descriptions_in(folder, names)
    endings = _OF_ONE_RUN["contextbench" if "contextbench" in choice.profiles else ""]
    is_local = not is_remote(folder)
    for name, place, is_folder, is_file in entries:
        if is_folder:
            if name not in no_logs:
                below = _as_path(place) if is_local else path_of(place)
                yield from _walk(below, choice, notes, is_below=True)
        elif is_file and name not in _NO_LOG_NAMES:
            plain = decompressed_name(name)
            if _may_be_log(suffix_of(plain)):
                is_summary = _is_summary(plain) or _is_of_a_run(name, endings, names)
                # A listed file exists, even if its name looks like a URI.
                found = place if is_local else path_of(place)
                yield Input(found, notes=notes, is_summary=is_summary)


def _descriptions_in(folder: Path, names: Collection[str]) -> frozenset[str]:
    """Names of the folders that describe what MLflow recorded in a folder, if it did."""
    found: frozenset[str] = frozenset()
    for name, (mark, folders) in _DESCRIPTIONS.items():
        if name not in names or not any(f"{each}/" in names for each in folders):
            continue
        with suppress(OSError, ReadError), open_content(folder / name) as file:
            found |= folders if mark in file.read(_HEAD) else frozenset()
    return found


def _is_summary(name: str) -> bool:
    return name.endswith(_SUMMARY_ENDINGS) and re.fullmatch(_SUMMARY, name) is not None


def _is_of_a_run(name: str, endings: tuple[str, ...], names: Collection[str]) -> bool:
    """Whether these files include a preferred file of the same run."""
    if not name.endswith(endings):
        return False
    for place, ending in enumerate(endings):
        if name.endswith(ending):
            stem = name.removesuffix(ending)
            return any(f"{stem}{better}" in names for better in endings[:place])
    return False


class _Listed(NamedTuple):
    """The contents of a folder."""

    name: str
    place: str
    is_folder: bool
    is_file: bool


def _listed(folder: Path) -> list[_Listed]:
    """The contents of a folder, sorted by name.

    Raises:
        OSError: The folder cannot be listed.
    """
    if isinstance(folder, RemotePath):
        return [
            _Listed(path.name, str(path), is_folder, not is_folder)
            for path, is_folder in folder.scan()
        ]
    prefix = str(folder / "_")[:-1]
    with os.scandir(folder) as found:
        listed = [
            _Listed(
                each.name,
                prefix + each.name,
                each.is_dir(follow_symlinks=False),
                each.is_file(),
            )
            for each in found
        ]
    return sorted(listed)


@lru_cache(maxsize=256)
def _may_be_log(suffix: str) -> bool:
    known = suffix.lower()
    return known in _DATA or not re.fullmatch(_NO_LOGS, known, re.VERBOSE)
