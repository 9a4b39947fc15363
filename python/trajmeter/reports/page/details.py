"""The details of an attempt as JSON for the page."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trajmeter.text import without_controls

if TYPE_CHECKING:
    from trajmeter.reports.page.attempts import Detail, DetailBlock

__all__ = ["detail_json", "text_json"]

_REPEATED = 80
"""Maximum length of texts that most attempts share, such as names of figures."""


def detail_json(detail: Detail) -> str:
    """The detail of an attempt as JSON: a list of its blocks."""
    return _json([_fields(each) for each in detail])


def text_json(text: str | tuple[str, ...]) -> str:
    """Serialise one or more texts as JSON, with control characters made visible."""
    if isinstance(text, str) and _needs_no_escape(text):
        return f'"{text}"'
    return _json(_visible(text))


def _fields(block: DetailBlock) -> dict[str, Any]:
    """The fields of a block that are not empty."""
    fields = {
        "title": block.title,
        "facts": block.facts,
        "header": block.header,
        "rows": block.rows,
        "numbers": block.numbers,
        "text": block.text,
        "folded": block.folded,
    }
    return {name: _visible(value) for name, value in fields.items() if value}


_needs_no_escape = re.compile(r"[ !#-\[\]-~]*").fullmatch

_readable = lru_cache(maxsize=1 << 14)(without_controls)


def _visible(value: Any) -> Any:  # noqa: ANN401 - texts in tuples of any depth
    if isinstance(value, str):
        return _readable(value) if len(value) <= _REPEATED else without_controls(value)
    return [_visible(each) for each in value] if isinstance(value, tuple) else value


_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _json(value: object) -> str:
    text = _encoded(value)
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()  # unpaired surrogates are not UTF-8
