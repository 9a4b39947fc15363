"""Removes secrets from the configurations that programs write into their logs.

Most real logs contain the API key of the model's provider, under some name that ends in ``key`` or
``token``. Everything a format keeps of a configuration passes through :func:`redacted` first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["REDACTED", "redacted"]

REDACTED = "<redacted>"
"""Replacement for a secret."""

_SECRETS = frozenset(
    {
        "apikey",
        "auth",
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "passphrase",
        "passwd",
        "password",
        "pat",
        "secret",
        "secrets",
    }
)
"""Last words of the names of secrets."""
_COUNTED = frozenset({"key", "token", "tokens", "keys"})
"""Last words of names that denote secrets unless the value is a number: token counts are not
secret."""
_ANYWHERE = frozenset({"authorization", "password", "secret"})
"""Words that mark any name containing them as secret."""
_COMPOUND = ("password", "apikey", "accesskey")
"""Secret suffixes of names written without separators."""
_ASSIGNED = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)=(.+)", re.DOTALL)
"""An environment variable, or a command-line option."""
_BEARER = re.compile(r"\b(bearer\s+)(?=[\w.~+/-]*\d)[\w.~+/-]{8,}=*", re.IGNORECASE)
"""A token as in an HTTP header; plain words are not tokens."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PAIR = 2


def redacted(value: JsonValue) -> JsonValue:
    """Replace secrets at any depth of a JSON value by :data:`REDACTED`.

    A secret is recognised by its key, such as ``api_key``, ``accessToken``, ``Authorization`` or
    ``AWS_SECRET_ACCESS_KEY``, and includes everything below it. Names and values may also be
    paired, as ``{"name": …, "value": …}``, ``{"key": …, "value": …}`` or a list of two, or be part
    of one text, as ``API_KEY=…`` and ``--token=…``. In any text, what follows ``Bearer`` is a
    secret. Numbers under ``token`` or ``key``, null, true and false are kept.

    Example:
        >>> redacted({"model": {"name": "m", "max_tokens": 9, "kwargs": {"api_key": "k"}}})
        {'model': {'name': 'm', 'max_tokens': 9, 'kwargs': {'api_key': '<redacted>'}}}
    """
    if isinstance(value, dict):
        named = value.get("name", value.get("key"))
        is_named = isinstance(named, str) and "value" in value
        return {
            key: _below(named if is_named and key == "value" else key, each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        if len(value) == _PAIR and isinstance(value[0], str) and isinstance(value[1], str):
            return [value[0], _below(value[0], value[1])]
        return [redacted(each) for each in value]
    return _redacted_text(value) if isinstance(value, str) else value


def _redacted_text(text: str) -> str:
    assigned = _ASSIGNED.fullmatch(text)
    if assigned is not None:
        name, written = assigned.groups()
        if _is_secret(name, 0 if written.isdecimal() else written):
            return f"{name}={REDACTED}"
    return _BEARER.sub(rf"\1{REDACTED}", text)


def _below(name: JsonValue, value: JsonValue) -> JsonValue:
    """The redacted value of a key with this name."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    return REDACTED if _is_secret(str(name), value) else redacted(value)


def _is_secret(name: str, value: JsonValue) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return False
    if words[-1] in _COUNTED:
        is_compound = len(words) > 1 or not words[-1].startswith("key")
        is_plural = words[-1].endswith("s")
        return is_compound and isinstance(value, str if is_plural else (str, list, dict))
    if words[-1].endswith(_COMPOUND):
        return True
    return words[-1] in _SECRETS or not _ANYWHERE.isdisjoint(words)
