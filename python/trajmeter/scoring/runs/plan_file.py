"""The file with the plan of a run, which marks its folder as one of results."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["LOST_PLAN", "foreign_files", "read_plan_file"]

LOST_PLAN: dict[str, Any] = {"run_key": "", "settings": {}, "job": {}, "plan": {}}
"""Stands for a damaged plan, which matches no run."""

_BEGINNING = b'{"run_key"'
_KEYS = {
    "settings": {"results", "formats"},
    "job": {"folders"},
    "plan": {"units", "shares", "has_whole_tasks", "identities"},
}

_BEGUN = {"state": re.compile(r"lock-.*|\..*")}
_OWN = {
    "": re.compile(r"manifest\.json|summary\.json|spill-\d+-of-\d+|\..*\.part"),
    "rows": re.compile(r"part-\d+\.parquet"),
    "state": re.compile(r"plan\.json|\d+\.parquet|lock-.*|\..*\.part"),
}
"""Names of what a run writes, by folder."""


def foreign_files(folder: Path, *, is_planned: bool) -> Iterator[Path]:
    """What no run wrote in a folder.

    Args:
        folder: The folder.
        is_planned: Whether a run got as far as its plan.
    """
    own = _OWN if is_planned else _BEGUN
    places = {name: folder / name for name in ("rows", "state")}
    for name, place in {"": folder, **places}.items():
        for each in place.iterdir() if place.is_dir() else ():
            is_folder = each in places.values() and each.is_dir()
            if not is_folder and not (name in own and own[name].fullmatch(each.name)):
                yield each


def read_plan_file(file: Path, *, replaces: bool) -> dict[str, Any] | None:
    """Plan and settings of a run; ``None`` if there is no file.

    Args:
        file: The file.
        replaces: Whether a damaged plan is :data:`LOST_PLAN` instead of an error, because its
            results are to be replaced.

    Raises:
        ConfigurationError: The file cannot be read, or is not one that a run wrote.
    """
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigurationError(f"{file}: not the plan of a run: {error}") from error
    try:
        plan: Any = json.loads(content)
        if _is_plan(plan):
            return dict(plan)
        reason = "values are missing"
    except (ValueError, RecursionError) as error:
        reason = str(error)
    message = f"{file}: not the plan of a run: {reason}"
    if not _BEGINNING.startswith(content.strip(b"\0")[: len(_BEGINNING)]):
        raise ConfigurationError(message)
    if replaces:
        return LOST_PLAN
    raise ConfigurationError(
        f"{message}; choose another output, or replace its results with --overwrite"
    )


def _is_plan(found: Any) -> bool:  # noqa: ANN401 - JSON
    return (
        isinstance(found, dict)
        and isinstance(found.get("run_key"), str)
        and all(
            isinstance(found.get(name), dict) and found[name].keys() >= keys
            for name, keys in _KEYS.items()
        )
    )
