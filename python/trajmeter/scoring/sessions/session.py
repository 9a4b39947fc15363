"""An attempt recorded while it runs, with live figures and a score at the end."""

from __future__ import annotations

import pickle
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import as_iterable, check_type, records
from trajmeter.errors import SessionFinishedError, format_exception
from trajmeter.records import Failure, Trajectory, View
from trajmeter.records.record import default_fields, frozen
from trajmeter.scoring.sessions.drafts import TurnDraft
from trajmeter.scoring.sessions.live import Live
from trajmeter.scoring.sessions.message_turns import MessageTurns
from trajmeter.scoring.sessions.open_turns import OpenCall, OpenTurn, TurnRecorder
from trajmeter.scoring.sessions.recording import Recording
from trajmeter.scoring.sessions.values import check_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

    from pydantic import BaseModel
    from typing_extensions import Self

    from trajmeter.metrics import Scored
    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.records import Task
    from trajmeter.scoring.scorer import Scorer

__all__ = ["Live", "OpenCall", "OpenTurn", "Session"]

_TRAJECTORY = default_fields(Trajectory, task_id="")


class Session(TurnRecorder):
    """One attempt, recorded while it runs; :meth:`trajmeter.Scorer.session` begins one.

    Every method is thread-safe. Anything recorded on the session itself goes to its latest turn;
    the first record begins one. Leaving the ``with`` block finishes the session; an exception that
    leaves it is recorded as the attempt's failure, and propagates.
    """

    def __init__(
        self,
        scorer: Scorer,
        task: Task | str,
        identity: Mapping[str, str | None],
        views: ToolViews | None,
    ) -> None:
        for name, value in identity.items():
            if value is not None:
                check_text(value, name)
        self._scorer = scorer
        self._identity = identity
        if isinstance(task, str):
            self._task_id, self._task = task, scorer.find_task(task)
        else:
            self._task_id, self._task = task.id, task
        self._recording = Recording(
            partial(scorer.tracker, self._task),
            views,
            self._task.max_turns if self._task else None,
        )
        self._messages: MessageTurns | None = None
        self._ends: dict[str, Any] = {}
        self._scored: Scored | None = None
        self._scoring: _Scoring | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A consistent state, even if other threads are recording."""
        with self._recording.lock:
            return {"recorded": pickle.dumps({**self.__dict__, "_scoring": None})}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(pickle.loads(state["recorded"]))  # noqa: S301 - written above

    def __repr__(self) -> str:
        """The task and the number of turns so far."""
        from trajmeter.reports.cells import counted

        return f"<Session: {self._task_id}; {counted(self.live.turns, 'turn')}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._recording.is_finished:
            failure = None
            if error is not None:
                failure = Failure(reason=type(error).__name__, message=format_exception(error))
            self.finish(failure=failure)

    def turn(
        self, *, agent: str | None = None, program: str | None = None, text: str | None = None
    ) -> OpenTurn:
        """Begin a turn, ending the one before.

        Args:
            agent: Name of the acting agent, in runs with several agents.
            program: Program or command the agent wrote.
            text: What the agent said.

        Returns:
            The turn, for recording in it even after others have begun.

        Raises:
            InputError: An argument is not text.
            SessionFinishedError: The session is already finished.
        """
        if agent is not None:
            check_text(agent, "agent")
        if program is not None:
            check_text(program, "program")
        if text is not None:
            check_text(text, "text")
        draft = TurnDraft(agent, program, text)
        recording = self._recording
        with recording.lock:
            if recording.is_finished:
                recording.refuse()
            recording.begin(draft)
        return OpenTurn(recording, draft)

    def messages(self, new: Iterable[Mapping[str, Any] | BaseModel]) -> None:
        """Record messages as they arrive, in the form read by :func:`trajmeter.from_messages`.

        Args:
            new: The messages since the last call.

        Raises:
            InputError: It is a single message, or not a list.
            SessionFinishedError: The session is already finished.
        """
        added = [*as_iterable(new, "a list of messages", name="new")]
        recording = self._recording
        with recording.lock:
            if recording.is_finished:
                recording.refuse()
            if self._messages is None:
                self._messages = MessageTurns()
            self._messages.add(added, recording)

    @property
    def live(self) -> Live:
        """What is known about the attempt so far, at the cost of a few values."""
        with self._recording.lock:
            return self._recording.live()

    @property
    def trajectory(self) -> Trajectory:
        """The attempt as recorded so far."""
        with self._recording.lock:
            return self._trajectory()

    def _trajectory(self) -> Trajectory:
        recording = self._recording
        derived = {} if self._messages is None else self._messages.fields()
        identity = {name: value for name, value in self._identity.items() if value is not None}
        return frozen(
            Trajectory,
            {
                **_TRAJECTORY,
                "task_id": self._task_id,
                "unusable": {},
                "metadata": {},
                "extra": {},
                **derived,
                **identity,
                "turns": recording.turns(),
                "leaks": tuple(recording.leaks) if recording.reads else None,
                **self._ends,
            },
        )

    def result(self) -> Scored:
        """Score the attempt as if it had ended now; it is not counted in the scorer's summary.

        Once :meth:`finish` was called, this is what it returns; while it scores, other threads wait
        for it.

        Raises:
            SessionFinishedError: A metric asked for the result that it is part of.
        """
        with self._recording.lock:
            scoring, scored = self._scoring, self._scored  # in this order, as both may be set
            trajectory = self._trajectory() if scored is None and scoring is None else None
        if scored is not None:
            return scored
        if trajectory is not None:
            return self._scorer.scored(self._task, trajectory)
        if scoring is not None:
            scoring.wait()
        return self.result()  # again scored here if scoring was interrupted

    def finish(
        self,
        *,
        patch: str | None = None,
        output: str | None = None,
        passed: bool | None = None,
        failure: Failure | str | None = None,
        final_views: Sequence[View] | None = None,
    ) -> Scored:
        """End the attempt and score it; the scorer counts it in its summary.

        Args:
            patch: The final patch.
            output: The final answer; by default the text of the last message, if there are
                messages.
            passed: Whether the attempt passed its tests.
            failure: Why it failed.
            final_views: The context that the agent declares at the end; by default everything it
                saw.

        Returns:
            The same as ``scorer.score(session.trajectory)``.

        Raises:
            InputError: An argument has the wrong type.
            SessionFinishedError: The session is already finished.
        """
        ends: dict[str, Any] = {"final_patch": patch, "final_output": output}
        for name, value in (("patch", patch), ("output", output)):
            if value is not None:
                check_text(value, name)
        if passed is not None:
            check_type(passed, bool, name="passed")
            ends["passed"] = passed
        if isinstance(failure, str):
            failure = Failure(message=failure)
        if failure is not None:
            check_type(failure, Failure, name="failure")
            ends["failure"] = failure
        if final_views is not None:
            ends["final_views"] = records(final_views, View, name="final_views")
        recording = self._recording
        with recording.lock:
            if recording.is_finished:
                recording.refuse()
            recording.is_finished = True
            self._ends = {name: value for name, value in ends.items() if value is not None}
            tracker = recording.finish()
            trajectory = self._trajectory()
            self._scoring = scoring = _Scoring()
        # A metric may take long, as with a judge, or look at the session itself.
        try:
            self._scored = scored = self._scorer.count(self._task, trajectory, tracker)
        finally:
            self._scoring = None
            scoring.done.set()
        return scored


class _Scoring:
    """The scoring of a session that ends."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self._thread = threading.get_ident()

    def wait(self) -> None:
        """Wait for its end; a metric in its own thread would wait for ever."""
        if self._thread == threading.get_ident():
            raise SessionFinishedError(
                "a metric asked for the result of the session that it scores"
            )
        self.done.wait()
