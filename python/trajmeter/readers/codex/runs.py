"""Code shared by Codex rollouts and streams: token counts, and how runs fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.sessions import usage_from
from trajmeter.readers._logs.values import as_object, as_text
from trajmeter.records import Failure

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.readers._logs.sessions import Event
    from trajmeter.records import Usage

__all__ = ["AGENT", "aborted", "failure_of", "used_by"]

AGENT = "codex"

_BUDGET = "budget_exhausted"
_USED = {
    "input_tokens": "input_tokens",
    "cached_input_tokens": "cached_input_tokens",
    "cache_write_input_tokens": "cache_write_tokens",
    "output_tokens": "output_tokens",
    "reasoning_output_tokens": "reasoning_tokens",
    "total_tokens": "total_tokens",
}


def used_by(event: Event, counts: object) -> Usage | None:
    """Tokens as Codex counts them: input includes cached tokens, output includes reasoning."""
    found = as_object(counts)
    if found is None:
        return None
    counted = {ours: found.get(theirs) for theirs, ours in _USED.items()}
    return usage_from(counted, event.problem)


def failure_of(error: JsonValue, *, status: str) -> Failure:
    """The failure described by an error.

    Args:
        error: An object with ``message``, or text.
        status: The reason, if the error names no known one.
    """
    details = as_object(error) or {"message": error}
    message = as_text(details.get("message"))
    kind = as_text(details.get("codex_error_info"))
    if is_too_long(message, kind):
        return Failure(reason=_BUDGET, message=message)
    return Failure(reason=status if kind in (None, "other") else kind, message=message)


def aborted(reason: str | None) -> Failure:
    """The failure of an aborted task."""
    reason = reason or "aborted"
    return Failure(reason=_BUDGET if reason.startswith("budget") else reason)
