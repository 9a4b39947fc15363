"""The file with the plan of a run, which marks its folder as one of results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOST_PLAN", "read_plan_file"]

LOST_PLAN: dict[str, Any] = {"run_key": "", "settings": {}, "job": {}, "plan": {}}
"""Stands for a plan that is damaged: that of a run other than any."""

_BEGINNING = b'{"run_key"'
_KEYS = {
    "settings": {"results", "formats"},
    "job": {"folders"},
    "plan": {"units", "shares", "has_whole_tasks", "identities"},
}


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
        found: Any = json.loads(content)
        if _is_plan(found):
            return dict(found)
        reason = "values are missing"
    except ValueError as error:
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
