"""The registry of formats: those of this package and of plug-ins.

A format of this package is imported once some input may be in it
(:mod:`trajmeter.readers._recognition.index`). Another package adds formats by an entry point of the
group :data:`ENTRY_POINT_GROUP`, whose value is a format, or a function that returns one or several;
these are loaded when the first file is read.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from io import FileIO
from typing import TYPE_CHECKING, cast

from trajmeter.errors import UnknownNameError, format_exception
from trajmeter.readers._recognition.beginnings import Beginning
from trajmeter.readers._recognition.formats import FileFormat, Format, RecordFormat
from trajmeter.readers._recognition.index import INDEX, WORDS
from trajmeter.remote import is_remote
from trajmeter.spelling import unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from trajmeter.readers._recognition.formats import AnyFormat, RecordT
    from trajmeter.readers._recognition.index import Marks
    from trajmeter.records import Task, Trajectory

__all__ = [
    "ENTRY_POINT_GROUP",
    "file_formats",
    "folder_formats",
    "format_named",
    "formats",
    "record_formats",
    "record_keys",
]

ENTRY_POINT_GROUP = "trajmeter.formats"
_PACKAGE = "trajmeter.readers"
_METADATA = (".dist-info", ".egg-info")


def formats() -> tuple[AnyFormat, ...]:
    """Every format, by name.

    Warns:
        RuntimeWarning: A plug-in is broken, or its format has the name of another; it is skipped.
    """
    found = {name: _own_format(name) for name in INDEX} | _plug_ins()
    return tuple(found[name] for name in sorted(found))


def record_formats(
    makes: type[RecordT], keys: Collection[str]
) -> tuple[RecordFormat[RecordT], ...]:
    """Formats that are possible for a record with these keys."""
    own: list[AnyFormat] = [
        _own_format(name)
        for name, place in INDEX.items()
        if place.makes is makes and not place.keys.isdisjoint(keys)
    ]
    added: list[AnyFormat] = [
        known
        for known in _plug_ins().values()
        if isinstance(known, RecordFormat)
        and known.makes is makes
        and not known.keys.isdisjoint(keys)
    ]
    return cast("tuple[RecordFormat[RecordT], ...]", (*own, *added))


def record_keys(makes: type[Task | Trajectory]) -> dict[str, frozenset[str]]:
    """For each format, keys at least one of which is in each of its records."""
    own = {name: place.keys for name, place in INDEX.items() if place.makes is makes and place.keys}
    added = {
        name: known.keys
        for name, known in _plug_ins().items()
        if isinstance(known, RecordFormat) and known.makes is makes
    }
    return own | added


def file_formats(makes: type[RecordT], head: bytes) -> tuple[FileFormat[RecordT], ...]:
    """Formats of whole files that are possible for a file.

    Args:
        makes: Class of the records.
        head: The beginning of the file.
    """
    beginning = Beginning(head, WORDS)
    return _whole_formats(makes, lambda marks: marks.are_in(beginning))


def folder_formats(
    makes: type[RecordT], folder: Path, names: Collection[str] | None = None
) -> tuple[FileFormat[RecordT], ...]:
    """Formats of whole folders that are possible for a folder.

    Args:
        makes: Class of the records.
        folder: The folder.
        names: Names of the folder's contents if it is inside a folder that is read; names of
            subfolders end in ``/``.
    """
    if names is not None:
        return _whole_formats(makes, lambda marks: marks.may_name(folder, names))
    held = _names_in(folder)
    if held is None:
        return _whole_formats(makes, lambda marks: marks.folder is not None)
    return _whole_formats(makes, lambda marks: marks.are_in_folder(folder, held))


def _names_in(folder: Path) -> list[str] | None:
    """The contents of a folder; ``None`` if it is remote or cannot be listed."""
    if is_remote(folder):
        return None
    try:
        with os.scandir(folder) as found:
            return [each.name if each.is_file() else f"{each.name}/" for each in found]
    except OSError:
        return None


def _whole_formats(
    makes: type[RecordT], may_be: Callable[[Marks], bool]
) -> tuple[FileFormat[RecordT], ...]:
    own: list[AnyFormat] = [
        _own_format(name)
        for name, place in INDEX.items()
        if place.makes is makes and not place.keys and may_be(place.marks)
    ]
    added: list[AnyFormat] = [
        known
        for known in _plug_ins().values()
        if isinstance(known, FileFormat) and known.makes is makes
    ]
    return cast("tuple[FileFormat[RecordT], ...]", (*own, *added))


def format_named(name: str, makes: type[RecordT]) -> Format[RecordT]:
    """Return the format of a name that reads tasks, or trajectories.

    Raises:
        UnknownNameError: There is none; the message lists the known ones.
    """
    own = {own_name for own_name, place in INDEX.items() if place.makes is makes}
    added = {known.name for known in _plug_ins().values() if known.makes is makes}
    if name not in own | added:
        raise UnknownNameError(unknown_name("format", name, own | added))
    return cast("Format[RecordT]", _own_format(name) if name in own else _plug_ins()[name])


@cache
def _own_format(name: str) -> AnyFormat:
    """Import a format of this package."""
    members = vars(import_module(f"{_PACKAGE}.{INDEX[name].module}")).values()
    return next(each for each in members if isinstance(each, Format) and each.name == name)


@cache
def _plug_ins() -> dict[str, AnyFormat]:
    """Formats of plug-ins by name; warns of those it skips."""
    found: dict[str, AnyFormat] = {}
    for point in _entry_points():
        for known in _plugged_in(point):
            if known.name in found or known.name in INDEX:
                _warn(point, f"there is a format {known.name!r} already")
            else:
                found[known.name] = known
    return found


def _plugged_in(point: EntryPoint) -> list[AnyFormat]:
    """The formats of an entry point; warns of anything that is not a format."""
    try:
        value = point.load()
        made = value if isinstance(value, Format) or not callable(value) else value()
        found = [*made] if isinstance(made, Iterable) else [made]
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything, and reading continues
        _warn(point, format_exception(error))
        return []
    for each in found:
        if not isinstance(each, (RecordFormat, FileFormat)):
            _warn(point, f"expected a RecordFormat or a FileFormat, got {each!r}")
    return [each for each in found if isinstance(each, (RecordFormat, FileFormat))]


def _warn(point: EntryPoint, reason: str) -> None:
    warnings.warn(
        f"the plug-in format {point.name!r} ({point.value}) is left out: {reason}",
        RuntimeWarning,
        stacklevel=2,
    )


def _entry_points() -> list[EntryPoint]:
    """Entry points of the group without duplicates, sorted by name."""
    if not _may_have_plugins():
        return []
    from importlib.metadata import entry_points

    found = dict.fromkeys(entry_points(group=ENTRY_POINT_GROUP))
    return sorted(found, key=lambda point: (point.name, point.value))


def _may_have_plugins() -> bool:
    """Whether the group occurs in the files of entry points.

    ``importlib.metadata`` would answer this too, but takes 20 times as long to import.
    """
    return any(map(_names_group, sys.path))


def _names_group(entry: str) -> bool:
    folder = entry or os.curdir
    try:
        names = os.listdir(folder)  # noqa: PTH208 - a Path takes ten times as long
    except NotADirectoryError:  # a ZIP archive
        return True
    except OSError:
        return False
    about = (name for name in names if name.endswith(_METADATA))
    return any(_holds_group(f"{folder}/{name}/entry_points.txt") for name in about)


def _holds_group(file: str) -> bool:
    try:
        with FileIO(file) as points:
            return ENTRY_POINT_GROUP.encode() in points.readall()
    except OSError:
        return False
