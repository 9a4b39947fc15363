"""Tool results in the messages that were sent to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_text
from trajmeter.readers.opentelemetry.values import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

__all__ = ["results_in"]


def results_in(messages: JsonValue) -> tuple[dict[str, Any], ...]:
    """The results of the last calls, as messages; earlier ones were already sent."""
    sent = [each for each in as_list(parsed(messages)) if isinstance(each, dict)]
    while sent and sent[-1].get("role") == "assistant":  # a prefix for the answer
        sent.pop()
    answers = (at for at, each in enumerate(sent) if each.get("role") == "assistant")
    after = max(answers, default=-1) + 1
    return tuple(result for message in sent[after:] for result in _results(message))


def _results(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    if message.get("role") in ("tool", "function") and content is not None:
        yield _result(message.get("tool_call_id"), content)
        return
    # Anthropic's results are parts of user messages.
    for part in (*as_list(message.get("parts")), *as_list(parsed(content))):
        if not isinstance(part, dict):
            continue
        if part.get("type") == "tool_call_response":
            if "response" not in part and "result" not in part:  # content is not recorded
                continue
            yield _result(part.get("id"), part.get("response", part.get("result")))
        elif part.get("type") == "tool_result":
            status = "error" if part.get("is_error") is True else "success"
            found = _result(part.get("tool_use_id"), part.get("content"))
            yield {**found, "status": status}


def _result(identity: object, content: JsonValue) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": as_text(identity), "content": content}
