"""Parses values of simple options and arguments without typer.

Typer parses each value with pydantic, and builds a parser for it on first use. That takes longer
than processing a small input, even for a text or a path, so such values are parsed here with the
same result. All other values, and error messages, are left to typer.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["names_in", "read_late"]

_ANY_NUMBER = -1
"""Number of values of an argument that accepts any number."""


def names_in(values: Iterable[object]) -> list[str]:
    """The names in an option that may be repeated, and whose values are lists with commas."""
    return [name.strip() for value in values for name in str(value).split(",")]


def read_late(parameter: Any) -> None:  # noqa: ANN401 - its class has moved between versions
    """Make typer build an option's parser only if a value needs it."""
    read = parameter.process_value

    def process_value(ctx: Any, value: object) -> object:  # noqa: ANN401 - as above
        is_empty = value == "" or (isinstance(value, (list, tuple)) and "" in value)
        if is_empty and value != parameter.default:
            from typer import BadParameter

            # As a path it would be the current folder, and as a judge the default one.
            raise BadParameter("the value is empty", ctx=ctx, param=parameter)
        is_given = value is not None or parameter.required
        if is_given and not _is_default(parameter, value):
            plain = _plain(parameter, value)
            if plain is None:
                return read(ctx, value)
            value = plain
        elif not is_given and (parameter.multiple or parameter.nargs == _ANY_NUMBER):
            value = ()
        return value if parameter.callback is None else parameter.callback(ctx, parameter, value)

    parameter.process_value = process_value


def _is_default(parameter: Any, value: object) -> bool:  # noqa: ANN401 - as above
    """Whether a value is the default of a command's function, which has the right type."""
    if getattr(parameter, "type_descriptor", None) is None:  # typer 0.28 parses these as well
        return False
    is_typed = isinstance(value, Enum) or not isinstance(value, (str, list, tuple))
    return is_typed and value is not None and value is parameter.default


def _plain(parameter: Any, value: object) -> object:  # noqa: ANN401 - as above
    """The value of an option of texts, paths or choices; ``None`` if typer has to parse it."""
    described = getattr(parameter, "type_descriptor", None)
    if described is None or described.parameter_info.parser is not None:  # typer 0.28
        return None
    kind = described.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next((each for each in kind if each.value == value), None)
    is_one = isinstance(value, str)
    if kind not in ((str, Path) if is_one else (list[str], list[Path])):
        return None
    texts: Any = [value] if is_one else value
    if not _are_texts(texts):
        return None
    found: list[Any] = [*texts]
    if kind in (Path, list[Path]):
        if not all(_is_open(text, described.parameter_info) for text in texts):
            return None
        found = [*map(Path, texts)]
    return found[0] if is_one else found


def _are_texts(values: object) -> bool:
    if not isinstance(values, (list, tuple)) or not values:
        return False
    return all(isinstance(each, str) and each for each in values)


def _is_open(text: str, about: Any) -> bool:  # noqa: ANN401 - as above
    """Whether typer would accept a path without checks."""
    is_restricted = about.exists or about.writable or about.resolve_path or about.path_type
    if is_restricted or not (about.file_okay and about.dir_okay):
        return False
    return os.access(text, os.R_OK) or not os.path.lexists(text)
