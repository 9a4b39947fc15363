"""Documents: a text file, and a model as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic_core import PydanticSerializationError

from trajmeter.writers.files import replacing
from trajmeter.writers.text import storable

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

__all__ = ["json_document", "write_text"]


def json_document(model: BaseModel) -> str:
    """Write a model as indented JSON, whatever file names it holds."""
    try:
        return model.model_dump_json(indent=2)
    except PydanticSerializationError:  # a name that is not UTF-8
        return json.dumps(storable(model.model_dump(mode="json")), ensure_ascii=False, indent=2)


def write_text(text: str, file: Path) -> None:
    """Write a text file as UTF-8, in one piece or not at all; its folder is created if missing.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    with replacing(file) as stream:
        stream.write(text.encode())
