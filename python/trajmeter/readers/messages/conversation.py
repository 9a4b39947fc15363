"""A conversation: builds turns from messages as they are added.

Calls and results are matched by id, wherever the result is; results without ids are assigned in
order to the last turn's calls that have none, and so are results whose id several calls of a turn
share. Messages that belong to no turn and cannot be read are reported with their position.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from trajmeter.json_input import type_name
from trajmeter.readers.messages.call_results import CallResult, message_result, part_result
from trajmeter.readers.messages.calls import call_of, called_in, item_call
from trajmeter.readers.messages.drafts import Draft
from trajmeter.readers.messages.results import error_text, result_value, shell_result
from trajmeter.readers.messages.shapes import (
    content_text,
    dumped,
    identity_of,
    model_of,
    unwrapped,
)
from trajmeter.readers.messages.usage import message_usage
from trajmeter.records import Usage

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["Conversation", "UsageReader"]

UsageReader: TypeAlias = Callable[[Mapping[str, Any]], Usage | None]
"""Reads the usage of a model's answer from its message."""

_SILENT = frozenset({"system", "developer", "remove", "chat", "SystemMessageChunk"})
_BESIDE = frozenset(
    {
        "additional_tools",
        "compaction_trigger",
        "configuration_update",
        "item_reference",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_list_tools",
    }
)
"""Types of items that are not part of an answer."""
_OWN_OUTPUTS = {
    "program_output": ("program", "result"),
    "tool_search_output": ("tool_search", "tools"),
}
"""Types of results that OpenAI may give itself: the name of the call, and the key of the value."""
_PLAIN_PARTS = frozenset({dict, str})
_NO_REASON = "the call failed"
"""The error of a failed call without a result."""
_JSON = (str, int, float, bool, list, type(None))


class Conversation:
    """Builds turns from messages as they are added.

    Args:
        usage: Reads the usage of an answer.
    """

    answered: list[dict[str, Any]] | None = None
    """Calls that received a result, in order, if they are to be collected."""

    def __init__(self, usage: UsageReader = message_usage) -> None:
        self._usage = usage
        self._by_id: dict[str, tuple[Draft, dict[str, Any]]] = {}
        """The latest call of each id, and its turn."""
        self._shared: dict[str, deque[dict[str, Any]]] = {}
        """Calls of one turn with the same id, as some servers number parallel calls; those at the
        front leave once they have a result."""
        self.exit_codes: dict[str, int] = {}
        self.drafts: list[Draft] = []
        self.transcript: list[str] = []
        self.dropped = 0
        self.unusable: dict[str, str] = {}

    def add(self, index: int, message: object) -> None:
        """Add a message; unusable content is recorded under its index."""
        if type(message) is not dict:
            message = dumped(message)
            if not isinstance(message, Mapping):
                is_json = isinstance(message, _JSON)
                name = type_name(cast("JsonValue", message)) if is_json else type(message).__name__
                self._refuse(index, f"expected a message, got {name}")
                return
        content = message.get("content")
        if type(content) is list and not _PLAIN_PARTS.issuperset(map(type, content)):
            message = {**message, "content": [*map(dumped, content)]}
        role = message.get("role")
        if role is None or message.get("type") is not None:
            self._unlabelled(index, message)
            return
        adder = _ADDERS.get(role) if type(role) is str else None
        if adder is not None:
            adder(self, index, message)
        elif str(role) not in _SILENT:
            self._refuse(index, f"role is {role!r}, expected a role of a conversation")

    def _unlabelled(self, index: int, message: Mapping[str, Any]) -> None:
        """Add a message with a type, in addition to or instead of a role."""
        message = unwrapped(message)
        kind = message.get("type")
        role = message.get("role") or kind
        if type(kind) is str and kind in _BESIDE:
            return
        if kind == "message" and role == "assistant" and _is_item(message):
            self._said_item(index, message)
        elif type(role) is str and role in _ADDERS:
            _ADDERS[role](self, index, message)
        elif message.get("object") == "response" and type(message.get("output")) is list:
            self._response(index, message)
        elif message.get("kind") in ("request", "response"):
            self._pydantic_ai(index, message)
        elif type(kind) is not str:
            self._refuse(index, "expected a message with a role or a type")
        else:
            self._item(index, message, kind)

    def _item(self, index: int, message: Mapping[str, Any], kind: str) -> None:
        """Add an item of OpenAI's Responses that is not a message."""
        if kind in ("reasoning", "compaction"):
            self._flat(index)
        elif kind.endswith("_call_output") or kind in _OWN_OUTPUTS:
            self._item_result(index, message, kind)
        elif kind.endswith("_call") or kind == "program":
            self._item_call(index, message, kind)
        elif str(message.get("role") or kind) not in _SILENT:
            self._refuse(index, f"type is {kind!r}, expected a message or a part of an answer")

    def _answer(self, index: int, message: Mapping[str, Any]) -> None:
        """Begin a turn."""
        draft = Draft(index)
        self.drafts.append(draft)
        got = message.get
        content = got("content")
        if content is None:
            content = got("parts")
        text = content_text(content)
        if text is None:
            text = _text(got("refusal")) or None
            if text is None and type(more := got("additional_kwargs")) is dict:  # LangChain's
                text = _text(more.get("refusal")) or None
        if text is not None:
            self._say(draft, text)
        for call in called_in(message, content):
            self._call(index, draft, call_of(call))
        if type(content) is list:
            self._results_in(index, content)
        draft.agent = _text(got("name"))
        draft.model = model_of(message)
        draft.usage = self._usage(message)

    def _say(self, draft: Draft, text: str) -> None:
        draft.texts.append(text)
        self.transcript.append(f"assistant: {text}")

    def _call(self, index: int, draft: Draft, call: dict[str, Any] | None) -> None:
        if call is None:
            self._refuse(index, "a call without a name", is_call=True)
            return
        identity = call["id"]
        if identity is not None:
            turn, before = self._by_id.get(identity, (None, call))
            if turn is draft:
                self._shared.setdefault(identity, deque([before])).append(call)
            else:
                self._shared.pop(identity, None)
            self._by_id[identity] = draft, call
        draft.calls.append(call)

    def _result(self, index: int, message: Mapping[str, Any]) -> None:
        """Add a message that is the result of a call."""
        parts = message.get("parts")
        if type(parts) is list:
            self._results_in(index, parts)
        else:
            self._give(index, message_result(message))

    def _user(self, index: int, message: Mapping[str, Any]) -> None:
        content = message.get("content")
        if content is None:
            content = message.get("parts")
        if type(content) is list:
            self._results_in(index, content)
        if self.drafts:
            self.drafts[-1].is_flat = False
        text = content_text(content)
        if text is not None:
            self.transcript.append(f"user: {text}")

    def _results_in(self, index: int, parts: list[Any]) -> None:
        """Add the results in a message's parts."""
        for part in parts:
            result = part_result(part) if type(part) is dict else None
            if result is not None:
                self._give(index, result)

    def _give(self, index: int, result: CallResult) -> None:
        """Assign a result to its call, found by id or tool name."""
        value, success = result.value, result.success
        text = value if type(value) is str else None
        if text:
            self.transcript.append(f"tool: {text}")
        identity = identity_of(result.identity)
        call = self._waiting(_text(result.name)) if identity is None else self._named(identity)
        if call is None:
            which = "such a name" if identity is None else f"the id {identity!r}"
            self._refuse(index, f"a result without a call: none has {which}", is_call=True)
            return
        if self.answered is not None:
            self.answered.append(call)
        if value is not None:
            call["result"] = value
        if success is False:
            call["success"] = False
            if call["error"] is None:
                reason = _text(result.error) or text
                call["error"] = reason or (json.dumps(value) if value else _NO_REASON)
        elif call["success"] is None:
            call["success"] = success
        self.drafts[-1].is_flat = False

    def _named(self, identity: str) -> dict[str, Any] | None:
        """The latest call of this id; of those that share it, the first without a result."""
        shared = self._shared.get(identity, ())
        while shared and shared[0]["result"] is not None:
            shared.popleft()
        if shared:
            return shared[0]
        _, call = self._by_id.get(identity, (None, None))
        return call

    def _waiting(self, name: str | None) -> dict[str, Any] | None:
        """The last turn's first call without a result, of this name if one exists."""
        return self.drafts[-1].waiting(name) if self.drafts else None

    def _flat(self, index: int) -> Draft:
        """The turn to which an item of the model's answer belongs."""
        if not self.drafts or not self.drafts[-1].is_flat:
            self.drafts.append(Draft(index, is_flat=True))
        return self.drafts[-1]

    def _said_item(self, index: int, item: Mapping[str, Any]) -> None:
        draft, text = self._flat(index), content_text(item.get("content"))
        if text is not None:
            self._say(draft, text)

    def _item_call(self, index: int, item: Mapping[str, Any], kind: str) -> None:
        draft = self._flat(index)
        call = item_call(item, kind)
        self._call(index, draft, call)
        if call is None:
            return
        outputs = (item.get(key) for key in ("output", "outputs", "results"))
        output = next((value for value in outputs if value is not None), None)
        if kind == "image_generation_call" and item.get("result") is not None:
            output = [{"type": "image"}]
        error = item.get("error")
        if error is None and item.get("status") == "failed":
            error = "failed"
        if output is not None or error is not None:
            call["result"] = result_value(output)
            call["success"] = error is None
            if error is not None:
                call["error"] = error_text(error)

    def _item_result(self, index: int, item: Mapping[str, Any], kind: str) -> None:
        name, key = _OWN_OUTPUTS.get(kind, (None, "output"))
        identity = item.get("call_id") or (item.get("id") if name is None else None)
        status, success = item.get("status"), None
        if kind == "apply_patch_call_output" and status is not None:
            success = status != "failed"
        value = result_value(item.get(key))
        ran = shell_result(item.get("output")) if kind == "shell_call_output" else None
        if ran is not None:
            value, code = ran
            if code is not None and type(identity) is str:
                self.exit_codes[identity] = code
        goes_on = name is not None and item.get("execution") != "client"
        is_flat = goes_on and bool(self.drafts) and self.drafts[-1].is_flat
        self._give(index, CallResult(identity, name, value, success))
        if is_flat:  # the answer continues after a result that OpenAI gave
            self.drafts[-1].is_flat = True

    def _response(self, index: int, response: Mapping[str, Any]) -> None:
        """Add a complete OpenAI Responses response."""
        if self.drafts:
            self.drafts[-1].is_flat = False
        draft = self._flat(index)
        for item in response["output"]:
            self.add(index, item)
        draft.is_flat = False
        draft.model = model_of(response)
        draft.usage = self._usage(response)

    def _pydantic_ai(self, index: int, message: Mapping[str, Any]) -> None:
        if message["kind"] == "response":
            self._answer(index, message)
        elif type(message.get("parts")) is list:
            parts = message["parts"]
            self._results_in(index, parts)
            for part in parts:
                if type(part) is dict and part.get("part_kind") == "user-prompt":
                    text = _text(part.get("content"))
                    self.transcript += [] if text is None else [f"user: {text}"]

    def _refuse(self, index: int, reason: str, *, is_call: bool = False) -> None:
        self.dropped += is_call
        place = f"messages[{index}]"
        before = self.unusable.get(place)
        self.unusable[place] = reason if before is None else f"{before}; {reason}"


_ADDERS: dict[str, Callable[[Conversation, int, Mapping[str, Any]], None]] = {
    **dict.fromkeys(("assistant", "ai", "AIMessageChunk", "model"), Conversation._answer),  # noqa: SLF001 - its own
    **dict.fromkeys(("tool", "function", "ToolMessageChunk"), Conversation._result),  # noqa: SLF001 - its own
    **dict.fromkeys(("user", "human", "HumanMessageChunk"), Conversation._user),  # noqa: SLF001 - its own
}
"""How to add a message, by role."""


def _text(value: object) -> str | None:
    return value if type(value) is str else None


def _is_item(message: Mapping[str, Any]) -> bool:
    """Whether a message is an item of OpenAI's Responses, which holds neither calls nor usage.

    A message of Anthropic's has the same type, and may have been stored without its stop reason.
    """
    if "stop_reason" in message or message.get("usage") is not None:
        return False
    return not called_in(message, message.get("content"))
