"""Options that several commands share."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from trajmeter.errors import UnknownNameError

__all__ = ["OriginalProfile", "PlainFormat", "is_original"]

_PROFILE = "framework-comparison"

OriginalProfile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="P",
        show_default=False,
        help=f"{_PROFILE}: reproduce the original benchmark's numbers, quirks included.",
    ),
]


class PlainFormat(str, Enum):
    """What is printed."""

    TABLE = "table"
    """Names and values in two columns."""
    JSON = "json"
    """One JSON document."""


def is_original(profile: str | None) -> bool:
    """Whether the compatibility profile is asked for.

    Raises:
        UnknownNameError: Another one is.
    """
    if profile not in (None, _PROFILE):
        raise UnknownNameError(f"unknown profile {profile!r}; there is: {_PROFILE}")
    return profile is not None
