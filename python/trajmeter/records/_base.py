"""What every record has in common: frozen, strict about names, documented field by field."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Record"]


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
