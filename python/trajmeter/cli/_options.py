"""Options that several commands share."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from trajmeter.frameworks.compare import PROFILE

__all__ = ["OriginalProfile", "PlainFormat"]

OriginalProfile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="P",
        show_default=False,
        help=f"{PROFILE}: reproduce the original benchmark's numbers, quirks included.",
    ),
]


class PlainFormat(str, Enum):
    """What is printed."""

    TABLE = "table"
    """Names and values in two columns."""
    JSON = "json"
    """One JSON document."""
