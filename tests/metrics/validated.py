"""Results skip validation for speed; this checks that validation would not change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["check_as_validated"]


def check_as_validated(model: BaseModel) -> None:
    """Assert that a model has all fields, in order, with the values that validation returns."""
    kind = type(model)
    assert list(vars(model)) == list(kind.model_fields)
    # The texts, as 1 equals 1.0, and NaN does not equal itself.
    assert repr(kind.model_validate(model.model_dump())) == repr(model)
