"""Converts a list of messages to an attempt; used by harnesses and hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.arguments import as_iterable
from trajmeter.errors import InputError
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel

    from trajmeter.readers.messages.drafts import FailureTest
    from trajmeter.readers.tool_views import ToolViews

__all__ = ["from_messages"]


def from_messages(
    messages: Iterable[Mapping[str, Any] | BaseModel],
    *,
    task_id: str,
    views: ToolViews | None = TOOL_VIEWS,
    failed: FailureTest | None = None,
    **identity_and_ends: Any,  # noqa: ANN401 - any field of a trajectory by name
) -> Trajectory:
    """Create the record of an attempt from the messages exchanged with a model.

    Each answer of the model becomes a turn with the results of its calls, in whatever order they
    arrive. Messages of OpenAI (chat and Responses), Anthropic, LangChain, Inspect, pydantic-ai,
    verifiers and OpenTelemetry are supported, as mappings or as objects of those packages, and may
    be mixed. Messages that cannot be used are reported in the record's ``unusable`` by position.

    Args:
        messages: Messages in order. A complete response of OpenAI's APIs may replace its message;
            its usage is then that of the turn.
        task_id: Id of the task.
        views: Determines what tool calls show of files;
            :func:`~trajmeter.readers.tool_views.tool_views` adds your own tools. ``None`` records
            no views. If none of the tools is known to read files, there are no views either, and
            context is not scored.
        failed: Returns whether a call with its result failed, or ``None`` if unknown. Used if the
            messages do not mark failures, like OpenAI's; without it, the success of such calls is
            unknown.
        **identity_and_ends: Further fields of the :class:`~trajmeter.records.Trajectory`, such as
            ``agent``, ``model``, ``attempt``, ``final_patch`` or ``passed``. They override the
            values derived from the messages: ``final_output``, ``transcript``, ``model``.

    Returns:
        The record.

    Raises:
        InputError: ``messages`` is a single message or not a list, or ``turns`` or ``tool_calls``
            are passed, which come from the messages.
        pydantic.ValidationError: A field is unknown, or its value is invalid.

    Example:
        >>> import trajmeter
        >>> call = {"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
        >>> attempt = trajmeter.from_messages(
        ...     [
        ...         {"role": "user", "content": "What is x?"},
        ...         {"role": "assistant", "content": None, "tool_calls": [call]},
        ...         {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
        ...         {"role": "assistant", "content": "x is 1."},
        ...     ],
        ...     task_id="t",
        ... )
        >>> attempt.turns[0].tool_calls[0].result, attempt.turns[0].views[0].path
        ('x = 1', 'a.py')
        >>> attempt.final_output
        'x is 1.'
    """
    for name in ("turns", "tool_calls"):
        if name in identity_and_ends:
            raise InputError(f"{name} cannot be given: the messages hold them")
    messages = as_iterable(messages, "a list of messages", name="messages")
    held = message_turns(messages, views=views, failed=failed)
    fields: dict[str, Any] = {
        "model": held.model,
        "transcript": held.transcript,
        "final_output": held.final_output,
        "dropped_calls": held.dropped_calls,
        "leaks": held.leaks,
        **identity_and_ends,
    }
    fields["unusable"] = {**held.unusable, **fields.get("unusable", {})}
    # The turns are already records and need no further validation.
    return Trajectory(task_id=task_id, turns=held.turns, **fields)
