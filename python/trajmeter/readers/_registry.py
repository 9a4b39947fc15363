"""The registry of formats: those of this package, and those that other packages add.

All are imported when the first file is read, and no other list names them. A package adds formats
by an entry point of the group :data:`ENTRY_POINT_GROUP`, whose value is a format, or a function
that returns one or several.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

from trajmeter.errors import UnknownNameError, format_exception
from trajmeter.keys import unknown
from trajmeter.readers._formats import FileFormat, Format, RecordFormat

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from trajmeter.readers._formats import AnyFormat, RecordT

__all__ = [
    "ENTRY_POINT_GROUP",
    "file_formats",
    "format_named",
    "formats",
    "record_formats",
]

ENTRY_POINT_GROUP = "trajmeter.formats"
_PACKAGE = "trajmeter.readers"
_WITHOUT_FORMATS = frozenset({"shell_views"})
"""Modules that hold no format, and take long to import."""
_METADATA = (".dist-info", ".egg-info")


@cache
def formats() -> tuple[AnyFormat, ...]:
    """Every format, by name.

    Warns:
        RuntimeWarning: A plug-in is broken, or its format has the name of another; it is left out.
    """
    package = import_module(_PACKAGE)
    found: dict[str, AnyFormat] = {}
    for module in iter_modules(package.__path__, f"{_PACKAGE}."):
        own_name = module.name.rpartition(".")[2]
        if not own_name.startswith("_") and own_name not in _WITHOUT_FORMATS:
            members = vars(import_module(module.name)).values()
            found.update({each.name: each for each in members if isinstance(each, Format)})
    for point in _entry_points():
        for known in _plugged_in(point):
            if known.name in found:
                _warn(point, f"there is a format {known.name!r} already")
            else:
                found[known.name] = known
    return tuple(found[name] for name in sorted(found))


def record_formats(makes: type[RecordT]) -> tuple[RecordFormat[RecordT], ...]:
    """Formats of records that are read as tasks, or as trajectories."""
    return tuple(
        cast("RecordFormat[RecordT]", known)
        for known in formats()
        if known.makes is makes and isinstance(known, RecordFormat)
    )


def file_formats(makes: type[RecordT]) -> tuple[FileFormat[RecordT], ...]:
    """Formats of whole files and folders that are read as tasks, or as trajectories."""
    return tuple(
        cast("FileFormat[RecordT]", known)
        for known in formats()
        if known.makes is makes and isinstance(known, FileFormat)
    )


def format_named(name: str, makes: type[RecordT]) -> Format[RecordT]:
    """The format of a name that is read as tasks, or as trajectories.

    Raises:
        UnknownNameError: There is none; the message lists those there are.
    """
    known = {each.name: each for each in formats() if each.makes is makes}
    if name not in known:
        raise UnknownNameError(unknown("format", name, known))
    return known[name]


def _plugged_in(point: EntryPoint) -> list[AnyFormat]:
    """The formats of an entry point; warns of anything that is not one."""
    try:
        value = point.load()
        made = value if isinstance(value, Format) or not callable(value) else value()
        found = [*made] if isinstance(made, Iterable) else [made]
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything, and reading goes on
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
    """Entry points of the group, each once, in the order of their names."""
    if not _may_have_plugins():
        return []
    from importlib.metadata import entry_points

    found = dict.fromkeys(entry_points(group=ENTRY_POINT_GROUP))
    return sorted(found, key=lambda point: (point.name, point.value))


def _may_have_plugins() -> bool:
    """Whether a look at the files of entry points finds the group.

    ``importlib.metadata`` answers that too, but takes 20 times as long to be imported.
    """
    return any(map(_names_group, sys.path))


def _names_group(entry: str) -> bool:
    folder = entry or os.curdir
    try:
        with os.scandir(folder) as found:
            about = [each.path for each in found if each.name.endswith(_METADATA)]
    except NotADirectoryError:  # a ZIP archive
        return True
    except OSError:
        return False
    return any(_holds_group(Path(path, "entry_points.txt")) for path in about)


def _holds_group(file: Path) -> bool:
    try:
        return ENTRY_POINT_GROUP.encode() in file.read_bytes()
    except OSError:
        return False
