"""Documents: a text file, and a model as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic_core import PydanticSerializationError

from trajmeter.writers.files import replacing
from trajmeter.writers.text import storable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import BaseModel

    from trajmeter.summaries.summary import Summary

__all__ = ["json_document", "json_pieces", "write_text"]

_NO_GROUPS = '\n  "groups": []'


def json_document(model: BaseModel) -> str:
    """Write a model as indented JSON, whatever file names it holds."""
    try:
        return model.model_dump_json(indent=2)
    except PydanticSerializationError:  # a name that is not UTF-8
        return json.dumps(storable(model.model_dump(mode="json")), ensure_ascii=False, indent=2)


def json_pieces(summary: Summary) -> Iterator[str]:
    """Write a summary as :func:`json_document` does, piece by piece, as it may be very long."""
    groups = summary.groups
    document = json_document(summary.model_copy(update={"groups": ()}))
    if not groups:
        yield document
        return
    # Only a line break that is not in a text, where it would be escaped, is one.
    before, empty, after = document.partition(_NO_GROUPS)
    yield f"{before}{empty[:-1]}"
    for number, group in enumerate(groups):
        yield ",\n" if number else "\n"
        # As above; ``textwrap.indent`` looks at each line.
        yield "    " + json_document(group).replace("\n", "\n    ")
    yield f"\n  ]{after}"


def write_text(text: str, file: Path) -> None:
    """Write a text file as UTF-8, in one piece or not at all; its folder is created if missing.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    with replacing(file) as stream:
        stream.write(text.encode())
