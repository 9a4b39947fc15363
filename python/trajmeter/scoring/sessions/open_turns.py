"""Recording views, tool calls and tokens in a session by hand."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from trajmeter.errors import InputError, format_exception
from trajmeter.records import Extent, View
from trajmeter.records.record import LARGEST_COUNT, frozen
from trajmeter.scoring.sessions.values import (
    check_text,
    checked_json,
    checked_names,
    checked_number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

    from trajmeter.scoring.sessions.drafts import TurnDraft
    from trajmeter.scoring.sessions.recording import Recording, Shown
    from trajmeter.scoring.sessions.values import JsonInput

__all__ = ["OpenCall", "OpenTurn", "TurnRecorder"]

_LEAST_COUNT = -LARGEST_COUNT
_LINES = Extent.LINES  # before Python 3.12 a lookup of a member takes as long as a call


class OpenCall:
    """A tool call; as a context manager it is timed, and an exception marks it as failed."""

    _began: float | None = None
    """Start time of the ``with`` block, while it runs."""
    _shown: Shown | None = None

    def __init__(
        self, recording: Recording, draft: TurnDraft, values: dict[str, Any], repeats: int
    ) -> None:
        self._recording = recording
        self._draft = draft
        self._values = values
        self.repeats = repeats
        """Number of equal calls before it, known before the tool runs."""

    def result(self, value: JsonInput) -> None:
        """Record the tool's result.

        Raises:
            InputError: It cannot be represented in JSON.
            SessionFinishedError: The session is already finished.
        """
        checked = checked_json(value, "result")
        with self._recording.lock:
            self._draft = self._recording.open_draft(self._draft)
            self._values["result"] = checked
            self._draft.record = None
            if self._began is None:  # the end of the block decides whether it failed
                self._settle()

    def failed(self, error: str) -> None:
        """Record that the tool failed.

        Raises:
            InputError: The error is not text.
            SessionFinishedError: The session is already finished.
        """
        check_text(error, "error")
        with self._recording.lock:
            self._recording.open_draft(self._draft)
            self._fail(error)

    def __enter__(self) -> Self:
        self._began = perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        now = perf_counter()
        with self._recording.lock:
            if self._recording.is_finished and error is not None:
                return  # the exception says more than SessionFinishedError
            self._recording.open_draft(self._draft)
            if self._began is not None:
                self._values["duration_seconds"] = now - self._began
                self._began = None
            if error is not None:
                self._fail(format_exception(error))
            elif self._values["success"] is None:
                self._values["success"] = True
            self._settle()

    def settle(self) -> None:
        """Add the call's result and views, if both were recorded with it."""
        if self._values["success"] is False:
            self._recording.count_failures()
        if self._values["result"] is not None:
            self._settle()

    def _settle(self) -> None:
        self._draft.record = None
        if self._shown is None:
            self._shown = self._recording.settle_call(self._draft, self._values)

    def _fail(self, error: str) -> None:
        if self._values["success"] is not False:
            self._recording.count_failures()
        self._values["success"], self._values["error"] = False, error
        self._draft.record = None
        if self._shown is not None:
            self._recording.take_back(self._draft, self._shown)


class TurnRecorder:
    """Records one turn of an attempt; every method is thread-safe."""

    _recording: Recording
    _draft: TurnDraft | None = None

    def view(
        self,
        path: str,
        first: int | None = None,
        last: int | None = None,
        *,
        symbols: Sequence[str] = (),
    ) -> None:
        """Record that the agent looked at a file.

        Args:
            path: Path of the file.
            first: First line, from 1; without ``first`` and ``last``, the whole file was seen.
            last: Last line, inclusive; without it, everything to the end of the file.
            symbols: Names of the definitions that it requested. With names but without lines, the
                file was only named.

        Raises:
            InputError: An argument is of the wrong type.
            SessionFinishedError: The session is already finished.
        """
        if type(path) is not str:
            check_text(path, "path")
        if first is not None and type(first) is not int:
            raise InputError(f"first is {first!r}, expected a line number")
        if last is not None and type(last) is not int:
            raise InputError(f"last is {last!r}, expected a line number")
        names = checked_names(symbols) if symbols != () else ()
        extent = _LINES
        if first is None:
            if last is not None:
                first = 1
            else:
                extent = Extent.UNKNOWN if names else Extent.WHOLE
        fields = {  # of a view, in their order
            "path": path,
            "extent": extent,
            "start": first,
            "end": last,
            "symbols": names,
            "listed": True,
            "searched": False,
        }
        view = frozen(View, fields)
        recording = self._recording
        with recording.lock:
            if recording.is_finished:
                recording.refuse()
            drafts = recording.drafts  # inlined from `see`, whose call would take a tenth of this
            draft = self._draft or (drafts[-1] if drafts else recording.open_draft(None))
            draft.record = None
            if draft.views is None:
                draft.views = [view]
            else:
                draft.views.append(view)
            recording.views += 1
            if draft is not drafts[-1]:
                recording.tracking.is_stale = True

    def tool_call(
        self,
        name: str,
        arguments: JsonInput = None,
        *,
        id: str | None = None,  # noqa: A002 - the field's own name
        result: JsonInput = None,
        success: bool | None = None,
        error: str | None = None,
    ) -> OpenCall:
        """Record a tool call by the agent.

        Args:
            name: Name of the tool.
            arguments: Its arguments: an object, or text if they are malformed.
            id: Id of the call.
            result: Its result, if already known.
            success: Whether it succeeded; ``False`` if there is an error.
            error: Why it failed.

        Returns:
            The call, to record its result later, or to wrap the tool in ``with``.

        Raises:
            InputError: An argument is of the wrong type, or cannot be represented in JSON.
            SessionFinishedError: The session is already finished.
        """
        if type(name) is not str or not name:
            raise InputError(f"name is {name!r}, expected the name of a tool")
        if id is not None:
            check_text(id, "id")
        if error is not None:
            check_text(error, "error")
            success = False if success is None else success
        if success is not None and type(success) is not bool:
            raise InputError(f"success is {success!r}, expected True, False or None")
        values: dict[str, Any] = {
            "name": name,
            "arguments": checked_json(arguments, "arguments"),
            "id": id,
            "result": None if result is None else checked_json(result, "result"),
            "duration_seconds": None,
            "success": success,
            "error": error,
            "turn": None,
        }
        recording = self._recording
        with recording.lock:
            draft = recording.open_draft(self._draft)
            draft.calls.append(values)
            call = OpenCall(recording, draft, values, recording.count_call(draft, values))
            if result is not None or success is False:
                call.settle()
        return call

    def usage(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cached_input_tokens: int | None = None,
        cost_usd: float | None = None,
    ) -> None:
        """Add the tokens and cost of a model call.

        Args:
            input_tokens: Prompt tokens, including cached ones.
            output_tokens: Completion tokens, including reasoning.
            cached_input_tokens: Prompt tokens that were read from a cache.
            cost_usd: Cost in US dollars.

        Raises:
            InputError: A number has the wrong type, or is too large.
            SessionFinishedError: The session is already finished.
        """
        more: dict[str, Any] = {}
        if input_tokens is not None:
            more["input_tokens"] = input_tokens
        if output_tokens is not None:
            more["output_tokens"] = output_tokens
        if cached_input_tokens is not None:
            more["cached_input_tokens"] = cached_input_tokens
        for name, value in more.items():
            if type(value) is not int or not _LEAST_COUNT <= value <= LARGEST_COUNT:
                raise InputError(f"{name} is {value!r}, expected a number of tokens")
        if cost_usd is not None:
            more["cost_usd"] = checked_number(cost_usd, "cost_usd")
        recording = self._recording
        with recording.lock:
            recording.spend(recording.open_draft(self._draft), more)


class OpenTurn(TurnRecorder):
    """A turn that is recorded separately, for sessions with several agents or coroutines."""

    def __init__(self, recording: Recording, draft: TurnDraft) -> None:
        self._recording = recording
        self._draft = draft
