"""A model as one JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic_core import PydanticSerializationError

from trajmeter.writers.text import storable

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["json_document"]


def json_document(model: BaseModel) -> str:
    """Write a model as indented JSON, whatever file names it holds."""
    try:
        return model.model_dump_json(indent=2)
    except PydanticSerializationError:  # a name that is no UTF-8
        return json.dumps(storable(model.model_dump(mode="json")), ensure_ascii=False, indent=2)
