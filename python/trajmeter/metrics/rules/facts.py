"""Facts about attempts that the rules need, computed from the columns of a batch."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter import kernels
from trajmeter.arrays import ROWS_AT_ONCE, filled, flags, ragged
from trajmeter.arrays.text import coded, text_array, text_bytes
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.rules.inputs import Attempt, CannotScoreError
from trajmeter.metrics.states import distinct
from trajmeter.metrics.tools.call_columns import call_columns
from trajmeter.metrics.usage import Amount, add_amounts
from trajmeter.metrics.usage_columns import TokenColumns, tokens_of_rows
from trajmeter.records import Cause, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.rules.checks import TaskChecks
    from trajmeter.metrics.rules.inputs import Budgeted
    from trajmeter.records import Trajectory

__all__ = ["ABSENT", "Facts", "RowAttempt"]

ABSENT = -1
"""Placeholder for missing values among codes and counts of 0 or more."""

_BLANK, _FULL = 0, 1

_NOT_ASCII = -2
"""Result of the extension for a text that it leaves to Python."""


class Facts:
    """Facts about the attempts in some rows, each computed on first use.

    Args:
        rows: Valid rows whose ``unusable`` is empty.
        checks: What to search for in the attempts at each task.
        tasks: Index in ``checks`` of each row's task.
    """

    def __init__(
        self, rows: pa.RecordBatch, checks: Sequence[TaskChecks], tasks: Int64Array
    ) -> None:
        self.rows = rows
        self.checks = checks
        self.tasks = tasks
        self._added: dict[str, dict[int, Amount]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def texts(self) -> Int64Array:
        """Which of its task's texts each transcript contains, as bits; ``ABSENT`` without one."""
        return _contained(
            self.rows.column("transcript"), [each.texts for each in self.checks], self
        )

    @cached_property
    def output_texts(self) -> Int64Array:
        """Which of its task's texts each final output contains, as bits."""
        wanted = [each.output_texts for each in self.checks]
        return _contained(self.rows.column("final_output"), wanted, self)

    @cached_property
    def output(self) -> Int64Array:
        """1 if the final output is not blank, else 0; ``ABSENT`` without one."""
        column = self.rows.column("final_output")
        # Text that begins with a letter is not blank; for the rest Python decides what is white
        # space.
        begins = pc.match_substring_regex(column, r"\A[!-~]").cast(pa.int64())
        state = np.where(filled(begins, 0) == 1, _FULL, ABSENT)
        for row in np.flatnonzero(flags(column.is_valid()) & (state == ABSENT)).tolist():
            state[row] = _FULL if column[row].as_py().strip() else _BLANK
        return state

    @cached_property
    def called(self) -> Int64Array:
        """Code of the set of tools that each attempt called; ``ABSENT`` without recorded calls."""
        return self._called[0]

    @cached_property
    def _called(self) -> tuple[Int64Array, list[list[str]]]:
        calls, offsets, recorded = call_columns(self.rows)
        names, codes = coded(pc.struct_field(calls, "name"))
        row = np.repeat(np.arange(len(self)), np.diff(offsets))
        pairs = np.unique(row * len(names) + codes)
        different = pairs % max(len(names), 1)
        bounds = np.searchsorted(pairs // max(len(names), 1), np.arange(len(self) + 1))
        memory, width = different.tobytes(), different.itemsize
        places: dict[bytes, int] = {}
        starts = (bounds * width).tolist()
        found = [
            places.setdefault(memory[start:stop], len(places)) for start, stop in pairwise(starts)
        ]
        sets = [[names[at] for at in np.frombuffer(each, np.int64).tolist()] for each in places]
        return np.where(recorded, np.array(found, np.int64), ABSENT), sets

    def called_tools(self) -> Int64Array:
        """Which tools named by its assertions each attempt called, as bits."""
        has_tools = np.array([bool(each.tools) for each in self.checks], np.bool_)[self.tasks]
        if not has_tools.any():
            return np.zeros(len(self), np.int64)
        sets = self._called[1]
        found = np.where(has_tools & (self.called == ABSENT), ABSENT, 0)
        asked = np.flatnonzero(has_tools & (found == 0))
        if len(asked):
            first, codes = distinct(self.tasks[asked], self.called[asked])
            pairs = zip(
                self.tasks[asked[first]].tolist(), self.called[asked[first]].tolist(), strict=True
            )
            found[asked] = np.array(
                [_bits(self.checks[task].tools, sets[at]) for task, at in pairs], np.int64
            )[codes]
        return found

    def called_names(self, row: int) -> list[str] | None:
        """Distinct names that an attempt called."""
        code = int(self.called[row])
        return None if code == ABSENT else self._called[1][code]

    @cached_property
    def turn_count(self) -> Array:
        """Number of turns, recorded or only counted."""
        turns = self.rows.column("turns")
        counts: Array = pc.if_else(
            turns.is_valid(),
            pc.list_value_length(turns).cast(pa.int64()),
            self.rows.column("turn_count"),
        )
        return counts

    @cached_property
    def dropped(self) -> Int64Array:
        """Unnamed calls, which the reader dropped."""
        return filled(self.rows.column("dropped_calls"), 0)

    @cached_property
    def seconds(self) -> Array:
        """Duration of each run."""
        return self.rows.column("duration_seconds")

    def usage(self, field: Budgeted) -> Array:
        """A field of each run's usage."""
        recorded: Array = pc.struct_field(self.rows.column("usage"), field)
        return recorded

    @cached_property
    def tokens(self) -> TokenColumns:
        """Tokens of each run."""
        return tokens_of_rows(self.rows)

    def add_up(
        self, field: Literal["cost_usd", "credits"], wanted: Int64Array
    ) -> dict[int, Amount]:
        """Summed costs of runs that recorded none as a whole, by position."""
        rows = self.rows.select(["usage", "turns"]).take(wanted)
        turns, offsets = ragged(rows.column("turns"))
        of_run = pc.struct_field(rows.column("usage"), field).to_pylist()
        of_turn = pc.struct_field(pc.struct_field(turns, "usage"), field).to_pylist()
        bounds = offsets.tolist()
        added = self._added[field] = {
            row: add_amounts(field, recorded, of_turn[start:stop], {})
            for row, recorded, start, stop in zip(
                wanted.tolist(), of_run, bounds[:-1], bounds[1:], strict=True
            )
        }
        return added

    def used(self, field: Budgeted, row: int) -> Amount:
        """Usage of a run: as recorded, or summed."""
        if field == "total_tokens":
            columns = self.tokens.counts[2], self.tokens.source, self.tokens.reason
            return Amount(*[column[row].as_py() for column in columns])
        added = self._added.get(field, {}).get(row)
        return added or Amount(self.usage(field)[row].as_py(), "run", None)


class RowAttempt(Attempt):
    """The attempt of one row, with the interface of :class:`Attempt`."""

    def __init__(self, facts: Facts, row: int) -> None:
        self._facts = facts
        self._row = row
        self._checks = facts.checks[facts.tasks[row]]

    @cached_property
    def trajectory(self) -> Trajectory:  # type: ignore[override] # made when a judge asks for it
        """The attempt as a record."""
        return records_of(self._facts.rows.slice(self._row, 1))[0]

    @property
    def called(self) -> Sequence[str]:
        """Distinct names of the called tools."""
        names = self._facts.called_names(self._row)
        if names is None:
            raise self.absence("tool_calls", Cause.MISSING_CALLS, "no tool calls were recorded")
        return names

    @property
    def turn_count(self) -> int | None:
        """Number of turns."""
        return cast("int | None", self._facts.turn_count[self._row].as_py())

    def contains(self, text: str) -> bool:
        """Whether the transcript contains one of the texts in the task's rules."""
        found = int(self._facts.texts[self._row])
        if found == ABSENT:
            reason = "no transcript was recorded"
            raise self.absence("transcript", Cause.MISSING_TRANSCRIPT, reason)
        return bool(found >> self._checks.texts.index(text.lower()) & 1)

    def output_contains(self, text: str) -> bool:
        """Whether the final output contains one of the texts in the task's assertions."""
        found = int(self._facts.output_texts[self._row])
        if found == ABSENT:
            raise self._no_output()
        return bool(found >> self._checks.output_texts.index(text.lower()) & 1)

    @property
    def has_output(self) -> bool:
        """Whether the final output is not blank."""
        state = int(self._facts.output[self._row])
        if state == ABSENT:
            raise self._no_output()
        return state == _FULL

    @property
    def dropped_calls(self) -> int:
        """Number of calls that the reader skipped."""
        return int(self._facts.dropped[self._row])

    @property
    def duration_seconds(self) -> float | None:
        """Duration of the run."""
        return cast("float | None", self._facts.seconds[self._row].as_py())

    @property
    def verdicts(self) -> tuple[Verdict, ...] | None:
        """A judge's verdicts, as recorded."""
        recorded = self._facts.rows.column("verdicts")[self._row].as_py()
        return None if recorded is None else tuple([Verdict(**each) for each in recorded])

    def recorded(self, field: Budgeted) -> float | None:
        """A field of the run's usage."""
        return cast("float | None", self._facts.usage(field)[self._row].as_py())

    def used(self, field: Budgeted) -> Amount:
        """Usage of the run."""
        return self._facts.used(field, self._row)

    def absence(self, field: str, cause: Cause, reason: str) -> CannotScoreError:
        """Why a field is empty: nothing was recorded."""
        del field
        return CannotScoreError(cause, reason)

    def _no_output(self) -> CannotScoreError:
        return self.absence("final_output", Cause.MISSING_OUTPUT, "no output was recorded")


def _contained(column: Array, wanted: Sequence[Sequence[str]], facts: Facts) -> Int64Array:
    """Which of its task's texts each row contains, ignoring case, as bits."""
    bits = [[(1 << at, text) for at, text in enumerate(texts)] for texts in wanted]
    found = np.where(flags(column.is_valid()), 0, ABSENT)
    is_wanted = np.array([bool(texts) for texts in wanted], np.bool_)[facts.tasks]
    looked_at = np.flatnonzero((found == 0) & is_wanted)
    if kernels.backend() == "rust" and len(looked_at):
        from trajmeter.kernels._rust import found_texts

        groups = np.full(len(found), -1, np.int64)
        groups[looked_at] = facts.tasks[looked_at]
        sought = text_bytes(text_array(chain.from_iterable(wanted)))
        offsets = np.concatenate([[0], np.cumsum([len(texts) for texts in wanted])])
        held = found_texts(text_bytes(column), groups, sought, offsets)
        found[looked_at] = held[looked_at]
        # Non-ASCII text is lower-cased by Python's rules.
        looked_at = looked_at[held[looked_at] == _NOT_ASCII]
    for start in range(0, len(looked_at), ROWS_AT_ONCE):
        rows = looked_at[start : start + ROWS_AT_ONCE]
        texts = map(str.lower, cast("list[str]", column.take(rows).to_pylist()))
        tasks = facts.tasks[rows].tolist()
        found[rows] = [
            sum([bit for bit, sought in bits[task] if sought in text])
            for text, task in zip(texts, tasks, strict=True)
        ]
    return found


def _bits(sought: Sequence[object], among: Collection[object]) -> int:
    return sum([1 << at for at, each in enumerate(sought) if each in among])
