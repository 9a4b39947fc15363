"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["loading_late"]


def loading_late(package: str, home: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package whose names are loaded when they are first used.

    Args:
        package: Its name.
        home: Of each name, the module below the package that has it.
    """

    def load(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        value: object = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
