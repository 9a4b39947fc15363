"""What reading the package's own records has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Record, Source

__all__ = ["with_extra"]


def with_extra(
    record: Mapping[str, JsonValue], model: type[Record], source: Source
) -> dict[str, Any]:
    """The fields of a record: unknown keys moved to ``extra``, a missing source filled in."""
    known = model.model_fields
    fields: dict[str, Any] = {key: value for key, value in record.items() if key in known}
    if len(fields) < len(record):
        others = {key: value for key, value in record.items() if key not in known}
        extra = fields.get("extra", {})
        # A wrong extra is left for the model to refuse.
        fields["extra"] = {**others, **extra} if isinstance(extra, dict) else extra
    if fields.get("source") is None:
        fields["source"] = source
    return fields
