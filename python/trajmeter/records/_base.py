"""What every record has in common: frozen, strict about names, documented field by field."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["LARGEST_COUNT", "Count", "Record"]

LARGEST_COUNT = 2**63 - 1
"""Far more than is ever counted, and as much as a column of a table holds."""

Count: TypeAlias = Annotated[int, Field(ge=-LARGEST_COUNT - 1, le=LARGEST_COUNT)]
"""A whole number as recorded, of tokens or turns; a negative one is some log's way to say none."""


class Record(BaseModel):
    """A frozen piece of recorded data.

    An unknown argument is an error, so that a misspelt field is not lost. Readers keep the unknown
    keys of a file in the record's ``extra``.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        ser_json_inf_nan="strings",
    )
