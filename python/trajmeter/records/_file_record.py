"""What all parts of a result file have in common."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, model_validator

from trajmeter.records._base import Record

__all__ = ["FileRecord"]


class FileRecord(Record):
    """Part of a result file: keys that are not known are passed over, and null means absent."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, fields: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        if not isinstance(fields, dict):
            return fields
        return {key: value for key, value in fields.items() if value is not None}
