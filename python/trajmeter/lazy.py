"""Names that are imported on first use."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["lazy_getattr", "shown_by"]


def lazy_getattr(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Make the ``__getattr__`` of a package whose names are imported on first use.

    Its ``dir()`` lists all public names, whether they have been imported or not.

    Args:
        package: Name of the package.
        modules: For each name, the module of the package that defines it.
    """
    module = sys.modules[package]
    vars(module)["__dir__"] = lambda: [*module.__all__]

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        value: object = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(module, name, value)
        return value

    return load


def shown_by(function: str) -> Callable[[Any], str]:
    """Make the ``_repr_html_`` of a result from a function of :mod:`trajmeter.reports.notebooks`.

    Reports import the results that they show, so a result finds the function by its name, once a
    notebook displays it.

    Args:
        function: Name of the function.
    """

    def show(result: Any) -> str:  # noqa: ANN401 - of any class
        """The tables of the result, as notebooks show them."""
        shown: str = getattr(import_module("trajmeter.reports.notebooks"), function)(result)
        return shown

    return show
