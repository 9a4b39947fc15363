"""What agents hand out, made fit to be kept: JSON that can be written, without anybody's keys."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from trajmeter.errors import format_exception

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["error_text", "storable"]

_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_LEAST_SECRET = 8
"""Characters below which a value is too common a word to be taken for a secret."""


def storable(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """The value as JSON would give it back.

    Tuples and sets become lists, models and dataclasses mappings, whatever JSON does not know its
    text; keys that are no text are left out. What is not finite becomes ``None``, half a surrogate
    pair a question mark, and a key of the environment its variable's name.

    Raises:
        ValueError: The value contains itself.
        RecursionError: It is nested too deeply.

    Example:
        >>> storable({"trace": ("sql", float("nan")), "agents": {"ops"}})
        {'trace': ['sql', None], 'agents': ['ops']}
    """
    text = json.dumps(value, default=_plainer, ensure_ascii=False, skipkeys=True)
    safe = _without_secrets(_encodable(text), written=_inside_json)
    return json.loads(safe, parse_constant=lambda _: None)


def error_text(error: BaseException) -> str:
    """Type and message of an error that an agent raised."""
    return _without_secrets(_encodable(format_exception(error)))


def _plainer(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _without_secrets(text: str, *, written: Callable[[str], str] = str) -> str:
    """The text without the environment's secrets, which stand in it as ``written`` says."""
    for name, value in os.environ.items():
        if name.upper().endswith(_SECRET_NAMES) and len(value) >= _LEAST_SECRET:
            text = text.replace(written(value), f"[{name}]")
    return text


def _inside_json(value: str) -> str:
    """The value as it stands between the quotes of JSON text."""
    return json.dumps(_encodable(value), ensure_ascii=False)[1:-1]
