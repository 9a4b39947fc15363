"""The recording of a session: its turns, and running totals over them."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from trajmeter.errors import InputError, SessionFinishedError
from trajmeter.metrics.tools.arguments import keyed_arguments
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.readers.tool_views.names import may_run
from trajmeter.records import ToolCall, Usage
from trajmeter.records.record import LARGEST_COUNT, default_fields, frozen
from trajmeter.scoring.sessions.drafts import TurnDraft
from trajmeter.scoring.sessions.live import Live
from trajmeter.scoring.sessions.view_tracking import ViewTracking

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.metrics.context import ContextTracker
    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.records import Leak, Turn, View

__all__ = ["Recording", "Shown"]

_USAGE = default_fields(Usage)
_new_tuple = tuple.__new__


class Shown(NamedTuple):
    """What a call showed."""

    views: Sequence[View]
    """Its views."""
    leaks: Sequence[Leak]
    """Parts of the solution that it read."""


_NO_VIEWS = Shown((), ())


class Recording:
    """Draft turns with running totals over them; every method is thread-safe.

    Args:
        begin_tracking: Starts tracking views; returns ``None`` if gold is unknown.
        views: Determines what calls show, if requested.
        max_turns: Turn budget of the task.
    """

    def __init__(
        self,
        begin_tracking: Callable[[], ContextTracker | None],
        views: ToolViews | None,
        max_turns: int | None,
    ) -> None:
        self.lock = Lock()
        self.drafts: list[TurnDraft] = []
        self.leaks: list[Leak] = []
        self.reads = False
        self.is_finished = False
        self._tool_views = views
        self._max_turns = max_turns
        self._folder: str | None = None
        self.tracking = ViewTracking(begin_tracking)
        """Coverage of gold by the views."""
        self._earlier: dict[object, int] = {}
        self._calls = self._failed = self._repeated = 0
        self.views = 0
        """Views so far."""
        self._spent = _USAGE.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Omit the lock, and the fingerprints of calls, which are valid in this process only."""
        return {**self.__dict__, "lock": None, "_earlier": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = Lock()
        self._calls = self._repeated = 0
        for draft in self.drafts:
            for values in draft.calls:
                self._count(values)

    def open_draft(self, draft: TurnDraft | None) -> TurnDraft:
        """The turn to record in: this one or the latest, created if there is none.

        Raises:
            SessionFinishedError: The attempt has ended.
        """
        if self.is_finished:
            self.refuse()
        if draft is not None:
            return draft
        if not self.drafts:
            self.drafts.append(TurnDraft())
        return self.drafts[-1]

    def refuse(self) -> NoReturn:
        """Raise, because the attempt has ended.

        Raises:
            SessionFinishedError: Always.
        """
        raise SessionFinishedError("the session is already finished; begin another one")

    def begin(self, draft: TurnDraft) -> None:
        """End the previous turn and begin a new one."""
        self.end_turn()
        self.drafts.append(draft)

    def end_turn(self) -> None:
        """End the latest turn, for figures over finished turns."""
        if self.drafts:
            self.tracking.end_turn(self.drafts[-1].views)

    def see(self, draft: TurnDraft, *views: View) -> None:
        """Add views to a turn."""
        draft.record = None
        if draft.views is None:
            draft.views = [*views]
        else:
            draft.views += views
        self.views += len(views)
        if draft is not self.drafts[-1]:
            self.tracking.is_stale = True

    def count_call(self, draft: TurnDraft, values: dict[str, Any]) -> int:
        """Count a call of a turn, and return how many equal calls preceded it."""
        draft.record = None
        if not draft.says_program and may_run(values["name"]):
            program = TOOL_VIEWS.program_of(frozen(ToolCall, values.copy()))
            if program is not None:
                draft.program = program if draft.program is None else f"{draft.program}\n{program}"
        return self._count(values)

    def _count(self, values: dict[str, Any]) -> int:
        self._calls += 1
        read = keyed_arguments(values["arguments"])
        if type(read) is not tuple:  # malformed arguments equal no others
            return 0
        key = values["name"], read[1]
        before = self._earlier.get(key, 0)
        self._earlier[key] = before + 1
        if before:
            self._repeated += 1
        return before

    def take_back(self, draft: TurnDraft, shown: Shown) -> None:
        """Remove what a call showed, which failed after all or has another result."""
        if shown.views and draft.views is not None:
            draft.record = None
            gone = {id(view) for view in shown.views}
            draft.views = [view for view in draft.views if id(view) not in gone] or None
            self.views -= len(shown.views)
            self.tracking.is_stale = True
        if shown.leaks:
            gone = {id(leak) for leak in shown.leaks}
            self.leaks = [leak for leak in self.leaks if id(leak) not in gone]

    def count_failures(self, number: int = 1) -> None:
        """Count calls as failed; fewer than before if negative."""
        self._failed += number

    def settle_call(
        self, draft: TurnDraft, values: dict[str, Any], exit_code: int | None = None
    ) -> Shown:
        """Record a call's result, and return what it showed.

        Args:
            draft: Its turn.
            values: The call.
            exit_code: Exit code of a command, if recorded separately from the result.
        """
        draft.record = None
        if self._tool_views is None or values["result"] is None:
            return _NO_VIEWS
        call = frozen(ToolCall, {**values})
        shown = self._tool_views.views_of(call, folder=self._folder, exit_code=exit_code)
        if shown is None:
            return _NO_VIEWS
        self.reads = draft.reads = True
        self._folder = shown.folder
        at = {"turn": self.drafts.index(draft) + 1} if shown.leaks else {}
        leaks = [leak.model_copy(update=at) for leak in shown.leaks]
        self.leaks += leaks
        if shown.views:
            self.see(draft, *shown.views)
        return Shown(shown.views, leaks)

    def spend(self, draft: TurnDraft, more: dict[str, Any]) -> None:
        """Add tokens and cost to a turn, given as fields of a usage.

        Raises:
            InputError: The sum exceeds the largest count; nothing is added.
        """
        known = draft.usage
        if known is None:
            draft.usage = {**_USAGE, **more}
        else:
            sums = {}
            for name, value in more.items():
                before = known[name]
                sums[name] = total = value if before is None else before + value
                if abs(total) > LARGEST_COUNT and type(total) is int:
                    raise InputError(f"{name} of the turn add up to {total}, more than is counted")
            known |= sums
        draft.record = None
        spent = self._spent
        for name, value in more.items():
            before = spent[name]
            spent[name] = value if before is None else before + value

    def live(self) -> Live:
        """The current figures."""
        tracking, drafts = self.tracking, self.drafts
        if tracking.is_stale:
            self._track_again()
        elif drafts and not self.is_finished:
            tracking.follow(drafts[-1].views)
        coverage, redundancy = tracking.figures()
        turns = len(drafts)
        spent = self._spent
        # Calling ``__new__`` with the values by name takes a third of this method's time.
        return _new_tuple(
            Live,
            (
                turns,
                None if self._max_turns is None else self._max_turns - turns,
                self._calls,
                self._failed,
                self._repeated,
                self.views,
                coverage,
                redundancy,
                spent["input_tokens"],
                spent["output_tokens"],
                spent["cost_usd"],
            ),
        )

    def finish(self) -> ContextTracker | None:
        """End the attempt, and return the view tracker if its views could be tracked."""
        if self.reads and not self.views:
            for draft in self.drafts:  # these turns are still steps
                if draft.reads:
                    draft.views, draft.record = [], None
            self.tracking.is_stale = True
        if self.tracking.is_stale:
            self._track_again()
        else:
            self.end_turn()
        return self.tracking.tracker

    def turns(self) -> tuple[Turn, ...]:
        """The turns in their current state."""
        return tuple([draft.turn() for draft in self.drafts])

    def _track_again(self) -> None:
        """Track all views again, because a finished turn has changed."""
        views = [draft.views for draft in self.drafts]
        open_views = views.pop() if views and not self.is_finished else None
        self.tracking.restart(views, open_views)
