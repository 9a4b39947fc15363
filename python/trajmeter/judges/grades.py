"""The scale that judges grade on."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field

__all__ = ["Grade"]


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        # Else true would be read as the number 1: a reply that says nothing, taken for the worst.
        raise ValueError("expected a number, got a truth value")  # noqa: TRY004 - pydantic's way
    return value


Grade: TypeAlias = Annotated[int, Field(ge=1, le=5), BeforeValidator(_no_truth_value)]
"""A whole number from 1, the worst, to 5, the best."""
