"""Lazy loading: a package's names are imported on first use."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["loading_late"]


def loading_late(package: str, home: Mapping[str, str]) -> Callable[[str], object]:
    """Make the ``__getattr__`` of a package whose names are imported on first use.

    Args:
        package: Name of the package.
        home: For each name, the module of the package that defines it.
    """

    def load(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        value: object = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
