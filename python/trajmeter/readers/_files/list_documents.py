"""Splits files that are one JSON list into the items of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import is_list_document
from trajmeter.readers._files.content import open_content, state_of
from trajmeter.readers._files.document_values import Document, parts_of, whole_content

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["first_object", "list_document"]

_OBJECT = ord("{")


def list_document(path: Path) -> Document | None:
    """Split a file that is a list; ``None`` if only the record reader can handle it."""
    try:
        with open_content(path) as file:
            if not is_list_document(file):
                return None
            begun = state_of(file)
            content = whole_content(file)
            if state_of(file) != begun:
                return None
    except (OSError, ReadError):
        return None
    return parts_of(content)


def first_object(path: Path) -> dict[str, JsonValue] | None:
    """Return the first object in a file that is a list, or ``None``."""
    document = list_document(path)
    if document is None:
        return None
    is_object = (document.content[begin] == _OBJECT for begin, _ in document.items)
    number = next((number for number, is_one in enumerate(is_object) if is_one), None)
    try:
        value = None if number is None else json_input.parse(document.item(number))
    except ReadError:  # reported when the list is read
        return None
    return value if isinstance(value, dict) else None
