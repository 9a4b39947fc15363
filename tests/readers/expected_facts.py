"""Comparison of the facts known about a real program's log with the record that was read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.readers._logs.outputs import script_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["TOKENS", "Fact", "facts"]

TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cached_input_tokens",
    "cache_write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
}
_ROOTS = ("/workspace/gauge/", "/testbed/")
_OF_THE_RUN = frozenset(
    (
        *("file", "files", "run", "program", "version", "command", "why", "note", "epochs"),
        *("trajectory", "num_turns", "side_calls", "provider_errors"),
    )
)
"""What is said of the run and its files, but is no part of a record: calls outside the agent's
loop, and answers of the provider that were errors and were asked for again."""
_TAIL = "tail -n 6"
"""Shows lines whose numbers only the length of the file tells, which no log holds."""
_HEADER = re.compile(r"\A(?:OBSERVATION|Observation):\n")
"""What programs write before a result that they send back."""
_RAISED = re.compile(r"\w+\('(.*)'\)")
_DEFAULTS = frozenset(("description", "duration", "replace_all"))
"""Arguments that programs add."""
_UNKNOWN = object()


class Fact(NamedTuple):
    """One fact."""

    log: str
    """The log, from the folder of all logs."""
    key: str
    """What it is a fact about, such as ``turns.calls.success``."""
    place: str
    """Where in the log."""
    expected: Any
    read: Any

    @property
    def is_as_expected(self) -> bool:
        """Return whether it was read; most programs omit token counts that are 0."""
        left_out = self.read is None and self.expected == 0 and "tokens." in self.key
        return left_out or bool(self.read == self.expected)


def facts(
    log: str, expected: Mapping[str, Any], record: Mapping[str, Any], *, lost: frozenset[int]
) -> Iterator[Fact]:
    """Every fact of a run.

    Args:
        log: The log.
        expected: What is known of the run.
        record: What was read, as JSON.
        lost: Replies that the log lacks, by their position.

    Raises:
        KeyError: A key of the expected facts is not one that is compared.
    """
    known = {key: value for key, value in expected.items() if key not in _OF_THE_RUN}
    turns = [turn for place, turn in enumerate(known.pop("turns")) if place not in lost]
    read = record.get("turns") or []
    usage = known.pop("usage")
    for key, value in known.items():
        found = _of_run(key, record)
        if value is not None and found is not _UNKNOWN:
            is_name = key in ("task_id", "epoch")
            yield Fact(log, key, "", str(value) if is_name else value, found)
    for key, field in TOKENS.items():
        total = (record.get("usage") or {}).get(field)
        if total is None:
            total = _sum([(turn.get("usage") or {}).get(field) for turn in read])
        yield Fact(log, f"run.tokens.{key}", "", usage[key], total)
    yield Fact(log, "turns", "", len(turns), len(read))
    for place, (turn, of) in enumerate(zip(turns, read, strict=False)):
        yield from _of_turn(log, f"turns[{place}]", turn, of)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _of_run(key: str, record: Mapping[str, Any]) -> Any:
    metadata = record.get("metadata") or {}
    failure = record.get("failure") or {}
    turns = record.get("turns")
    raised = _RAISED.fullmatch(failure.get("message") or "")
    return {
        "task_id": record["task_id"],
        # Some programs put the provider before it.
        "model": (record.get("model") or "").rpartition("/")[2] or None,
        "epoch": record.get("attempt"),
        "model_calls": _UNKNOWN if turns is None else len(turns),
        "exit_status": metadata.get("exit_status"),
        "log_status": metadata.get("exit_status"),
        "rewards": metadata.get("rewards"),
        "scores": metadata.get("scores"),
        "final_patch": record.get("final_patch"),
        "failure": bool(failure) or record.get("passed") is False,
        "budget_exhausted": failure.get("reason") in BUDGET_REASONS,
        "error": raised and raised[1],  # with the name of its class
    }[key]


def _of_turn(
    log: str, place: str, turn: Mapping[str, Any], read: Mapping[str, Any]
) -> Iterator[Fact]:
    said = read.get("text")
    yield Fact(log, "turns.text", place, _plain(turn["text"]), _plain(said))
    if turn.get("reasoning"):
        repeated = turn["reasoning"] if turn["reasoning"] in (said or "") else ""
        yield Fact(log, "turns.text without reasoning", place, "", repeated)
    usage = read.get("usage") or {}
    for key, count in (turn.get("tokens") or {}).items():
        yield Fact(log, f"turns.tokens.{key}", place, count, usage.get(TOKENS[key]))
    calls = turn.get("calls", [])
    found = read.get("tool_calls") or []
    yield Fact(log, "turns.calls", place, len(calls), len(found))
    for number, (call, of) in enumerate(zip(calls, found, strict=False)):
        yield from _of_call(log, f"{place}.calls[{number}]", call, of)
    views = read.get("views") or []
    for key, expected, searched in (
        ("views", [_shown(view, calls) for view in turn.get("views", ())], False),
        ("search_hits", [_lines(hit) for hit in turn.get("search_hits", ())], True),
    ):
        shown = [_lines(view) for view in views if bool(view.get("searched")) is searched]
        yield Fact(log, f"turns.{key}", place, expected, shown)


def _of_call(
    log: str, place: str, call: Mapping[str, Any], read: Mapping[str, Any]
) -> Iterator[Fact]:
    yield Fact(log, "turns.calls.name", place, call["name"], read["name"])
    if "id" in call:
        yield Fact(log, "turns.calls.id", place, call["id"], read.get("id"))
    given = call.get("arguments")
    if given is None:
        given = call.get("raw_arguments", call.get("input"))
    asked = read.get("arguments")
    yield Fact(log, "turns.calls.arguments", place, _command(given), _command(asked))
    success = read.get("success")
    if call["success"] is not None:  # else nothing was sent back, or it does not tell
        yield Fact(log, "turns.calls.success", place, call["success"], success)
        for key, passed in (("exit_code", 0), ("is_error", False)):
            if key in call:
                yield Fact(log, f"turns.calls.{key}", place, call[key] == passed, success)
        ends = call.get("error_ends")
        if ends is None:
            kind = None if read.get("result") is None else "recorded"
            yield Fact(log, "turns.calls.result", place, "recorded", kind)
        else:
            ends = _HEADER.sub("", ends.strip())
            told = [str(read[key]).strip() for key in ("error", "result") if read.get(key)]
            is_there = any(text.endswith(ends) for text in told)
            found = ends if is_there else told[-1] if told else None
            yield Fact(log, "turns.calls.error_ends", place, ends, found)


def _command(arguments: Any) -> Any:
    """Return the command or request of a call, whatever the log calls its arguments."""
    if not isinstance(arguments, dict):
        return arguments
    asked = {key: value for key, value in arguments.items() if key not in _DEFAULTS}
    (value, *more) = asked.values() or [None]
    is_script = not more and asked.keys() <= {"command", "cmd", "keystrokes", "input"}
    return script_of(value) if is_script else asked


def _plain(text: str | None) -> str:
    return (text or "").strip("\n")


def _shown(view: Mapping[str, Any], calls: list[Any]) -> tuple[str, int | None, int | None]:
    command = str(_command(calls[view["call"]]["arguments"]))
    return (view["path"], None, None) if _TAIL in command else _lines(view)


def _lines(view: Mapping[str, Any]) -> tuple[str, int | None, int | None]:
    path = view["path"]
    for root in _ROOTS:
        path = path.removeprefix(root)
    if "line" in view:
        return path, view["line"], view["line"]
    return path, view.get("start"), view.get("end")
