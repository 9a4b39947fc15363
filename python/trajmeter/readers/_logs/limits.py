"""Recognises providers' errors about prompts that exceed the model's context."""

from __future__ import annotations

__all__ = ["is_too_long"]

_SIGNS = (
    "context length",
    "context limit",
    "context window",
    "context_length_exceeded",
    "context_window_exceeded",
    "contextwindowexceeded",
    "prompt is too long",
)


def is_too_long(*messages: str | None) -> bool:
    """Whether a request was rejected for its length, which means an exhausted budget.

    Example:
        >>> is_too_long("prompt is too long: 210000 tokens > 200000 maximum"), is_too_long(None)
        (True, False)
    """
    message = " ".join(text.lower() for text in messages if text)
    return any(sign in message for sign in _SIGNS)
