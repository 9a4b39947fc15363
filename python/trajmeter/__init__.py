"""Trajmeter: turn recorded agent trajectories into scores."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajmeter.kernels import backend

__all__ = ["backend"]

# Public names are imported when first used, so that ``import trajmeter`` stays cheap.
_HOMES = {
    "backend": "trajmeter.kernels",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
