"""Documents: text files, and models as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_core import PydanticSerializationError, to_json

from trajmeter.writers.atomic import replacing
from trajmeter.writers.encodable import storable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import BaseModel

    from trajmeter.summaries.summary import Summary

__all__ = ["json_document", "json_pieces", "write_text"]

_NO_GROUPS = '\n  "groups": []'


def json_document(model: BaseModel) -> str:
    """Serialise a model as indented JSON, even if it contains file names that are not UTF-8."""
    try:
        return model.model_dump_json(indent=2)
    except PydanticSerializationError:  # a name that is not UTF-8
        written = to_json(storable(model.model_dump(mode="json")), indent=2, inf_nan_mode="strings")
        return written.decode()


def json_pieces(summary: Summary) -> Iterator[str]:
    """Serialise a summary like :func:`json_document`, but in pieces, as it may be very long."""
    groups = summary.groups
    document = json_document(summary.model_copy(update={"groups": ()}))
    if not groups:
        yield document
        return
    # Line breaks within texts are escaped, so this matches only the document's structure.
    before, empty, after = document.partition(_NO_GROUPS)
    yield f"{before}{empty[:-1]}"
    for number, group in enumerate(groups):
        yield ",\n" if number else "\n"
        # As above; ``textwrap.indent`` would examine each line.
        yield "    " + json_document(group).replace("\n", "\n    ")
    yield f"\n  ]{after}"


def write_text(text: str, file: Path) -> None:
    """Write a text file as UTF-8, atomically; its folder is created if missing.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    with replacing(file) as stream:
        stream.write(text.encode())
