"""Every fact that is known of the logs of real programs, through the commands.

What a log lacks stays unknown, and what it tells otherwise is listed; nothing else may differ, and
nothing may be listed that is as it was expected.
"""

from __future__ import annotations

import json
import warnings
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.readers.expected_facts import Fact, facts

pytest.importorskip("pyarrow", reason="trajmeter[cli] is not installed")
pytest.importorskip("typer", reason="trajmeter[cli] is not installed")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ALSO = {
    "otel/spans-a.jsonl": ["messages-a.json"],
    "openai-agents/trace-oaia-a.jsonl": ["items-oaia-a.json"],
    "openai-agents/trace-oaia-b.jsonl": ["items-oaia-b.json"],
    "openhands/a.output.jsonl": ["a/conversation", "a/completions/tide__gauge-7"],
    "openhands/b.output.jsonl": ["b/conversation"],
    **{
        f"langchain/{run}.messages.json": [f"{run}.state.json", f"{run}.openai.json"]
        for run in "abd"
    },
    **{
        f"smolagents/{run}.memory.json": [f"{run}.run.json"]
        for run in ("smolt-a", "smolt-b", "smolc-a")
    },
}
"""Further logs of a run."""
LOST = {"atif-converted/mini-a.trajectory.json": frozenset({3})}
"""Replies that a conversion loses: their arguments were malformed."""
COUNTS = "run.tokens.* turns.tokens.*"
UNKNOWN = (
    ("aider/*", "final_patch *.tokens.cached"),
    ("atif-converted/swe-*", f"model {COUNTS} turns.calls.success"),
    ("atif-converted/cla-a*", "*.tokens.reasoning"),
    ("claude-code/*", "final_patch"),
    ("claude-code/*-a*", "*.tokens.reasoning"),
    ("claude-code/session-a/*", "exit_status"),
    ("claude-code/stream-*", "turns.tokens.*"),
    ("codex/*", "final_patch"),
    ("codex/exec-*", "model turns.tokens.*"),
    ("codex/exec-a*", "turns.calls.result"),
    ("codex/exec-b*", "run.tokens.*"),
    ("langchain/*.openai.json", f"model {COUNTS} turns.calls.success"),
    ("langchain/b.*", "exit_status"),
    ("openai-agents/*", "model"),
    ("openai-agents/trace-*", "turns.calls.id"),
    ("openai-agents/items-*", f"{COUNTS} turns.calls.success"),
    ("openai-agents/items-oaia-b*", "exit_status"),
    ("openhands/a/completions/*", "exit_status final_patch turns.calls.success"),
    ("openhands/?/conversation", "final_patch"),
    ("otel/messages-a*", "exit_status"),
    ("smolagents/*.memory.json", "exit_status"),
    # The output of several calls is one text.
    ("smolagents/smolt-a*", "turns.calls.success turns.calls.result"),
    ("swe-agent/*", "turns.calls.success turns.tokens.*"),
    ("swe-agent/a/*", "run.tokens.cached run.tokens.reasoning"),
)
"""What logs lack, and nobody knows of their records."""
OTHERWISE = (
    # No task is named: the log's own id is the task's.
    *(
        (f"{folder}/*", "task_id")
        for folder in (
            *("aider", "atif-converted", "claude-code", "codex", "langchain", "mini-swe-agent"),
            *("openai-agents", "otel", "smolagents"),
        )
    ),
    ("openhands/?/conversation", "task_id"),
    # One reply is lost.
    ("atif-converted/mini-a*", "model_calls"),
    # The conversion names every call alike, and none of a reply with several.
    ("atif-converted/swe-*", "turns.calls turns.calls.id turns.calls.name turns.calls.arguments"),
    ("atif-converted/swe-b*", "turns.text"),  # SWE-agent's words for a reply that it did not use
    # Reminders to the model are not kept.
    ("atif-converted/cla-*", "turns.calls.error_ends"),
    ("claude-code/*", "turns.calls.error_ends"),
    ("claude-code/session-b/*", "exit_status"),
    ("codex/rollout-b/*", "exit_status"),
    # Items of a stream are named after what was done, in the order in which it ended, without the
    # header that the model was sent; a call that was malformed is none.
    ("codex/exec-*", "turns.calls turns.calls.name turns.calls.id turns.calls.arguments"),
    ("codex/exec-*", "turns.calls.error_ends turns.views exit_status"),
    # Without a message between them, two replies are one turn.
    ("codex/exec-b*", "turns model_calls turns.text turns.calls.success turns.calls.exit_code"),
    # Two fields of a reply that is JSON; and the end of the task is a call.
    ("harbor/*", "turns.text"),
    ("harbor/*hb-a", "turns.calls"),
    # Messages do not tell how a run ended, and a conversion drops the malformed call.
    ("langchain/[ab].*", "failure"),
    ("langchain/b.*", "budget_exhausted"),
    ("langchain/a.openai.json", "turns.calls"),
    ("mini-swe-agent/minit-a*", "turns.calls"),  # text without a block of code is no call
    ("openai-agents/trace-*", "turns.text"),  # spans have no text
    ("openai-agents/trace-oaia-b*", "exit_status"),
    # The last call ran, though the run was stopped.
    ("openai-agents/*-oaia-b*", "turns.views"),
    ("openai-agents/items-oaia-b*", "failure budget_exhausted"),
    ("openhands/a*", "turns.calls.arguments"),  # the SDK replaces malformed ones
    ("otel/*-a*", "turns.calls.error_ends"),  # a list of faults, sent in other words
    ("smolagents/smolt-*", "turns.views"),  # blank lines at the end of results are stripped
    ("smolagents/smolt-b*", "turns.calls"),  # the last step has no calls
    # The agent calls an interpreter, and code the tools.
    ("smolagents/smolc-a*", "turns.calls turns.calls.name turns.calls.arguments"),
    ("smolagents/smolc-a*", "turns.calls.success turns.calls.exit_code turns.calls.error_ends"),
    ("smolagents/smolc-a*", "turns.views turns.search_hits"),
    # Tokens are counted by the program's own tokenizer; replies with several calls are not used.
    ("swe-agent/*", "run.tokens.input run.tokens.output turns.calls"),
    ("swe-agent/b/*", "turns.text"),
)
"""What logs tell in another way, or wrongly."""


class Read(NamedTuple):
    """What the commands made of all logs."""

    facts: list[Fact]
    rows: list[tuple[str, dict[str, Any], dict[str, Any]]]
    """Each log with the expected facts of its run and its row of scores."""


@pytest.fixture(scope="module")
def read(reference_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Read:
    logs, folder = reference_data / "logs", tmp_path_factory.mktemp("commands")
    records = _made_by("convert", logs, folder / "all.jsonl")
    rows = _made_by("score", logs, folder / "rows.jsonl", "-m", "turns", "-m", "tools")
    by_log: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for record, row in zip(records, rows, strict=True):
        assert record["task_id"] == row["task_id"]
        by_log.setdefault(record["source"]["file"][len(f"{logs}/") :], []).append((record, row))
    found: list[Fact] = []
    scored = []
    for log, expected in _expected(logs):
        attempts = by_log[log]
        if "epoch" in expected:
            of = (str(expected["task_id"]), str(expected["epoch"]))
            attempts = [each for each in attempts if (each[0]["task_id"], each[0]["attempt"]) == of]
        ((record, row),) = attempts
        found += facts(log, expected, record, lost=LOST.get(log, frozenset()))
        scored.append((log, expected, row))
    assert len(scored) == sum(map(len, by_log.values()))
    return Read(found, scored)


def _made_by(command: str, logs: Path, to: Path, *options: str) -> list[dict[str, Any]]:
    from trajmeter.cli import main

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files beside the logs, which are none
        assert main([command, str(logs), "-o", str(to), *options]) == 0
    return [json.loads(line) for line in to.read_text(encoding="utf-8").splitlines()]


def _expected(logs: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for known in sorted(logs.glob("*/expected.jsonl")):
        for line in known.read_text(encoding="utf-8").splitlines():
            run = json.loads(line)
            log = f"{known.parent.name}/{run['file']}"
            for each in (run["file"], *ALSO.get(log, ())):
                yield f"{known.parent.name}/{each}", run


def _listed(fact: Fact) -> set[tuple[str, str]]:
    """The entries of the lists that speak of a fact."""
    lists = (UNKNOWN, OTHERWISE) if fact.read is None else (OTHERWISE,)
    return {
        (log, key)
        for each in lists
        for log, keys in each
        if fnmatchcase(fact.log, log)
        for key in keys.split()
        if fnmatchcase(fact.key, key)
    }


def test_every_fact_is_read_or_listed(read: Read) -> None:
    assert len(read.facts) > 7_000
    unlike = [fact for fact in read.facts if not fact.is_as_expected and not _listed(fact)]
    assert unlike == []


def test_nothing_is_listed_that_is_as_expected(read: Read) -> None:
    used = {each for fact in read.facts if not fact.is_as_expected for each in _listed(fact)}
    listed = {
        (log, key) for each in (UNKNOWN, OTHERWISE) for log, keys in each for key in keys.split()
    }
    assert listed - used == set()


@pytest.mark.parametrize(
    ("column", "key"),
    [
        ("turns.run.turn_count", "turns"),
        ("turns.run.budget_exhausted", "budget_exhausted"),
        ("turns.tokens.input_tokens", "run.tokens.input"),
        ("turns.tokens.output_tokens", "run.tokens.output"),
    ],
)
def test_figures_are_those_of_the_facts(read: Read, column: str, key: str) -> None:
    known = {fact.log: fact.read for fact in read.facts if fact.key == key}
    assert len(known) > (10 if key == "budget_exhausted" else 40)
    epochs = {log for log, expected, _ in read.rows if "epoch" in expected}
    wrong = [
        (log, row[column], known[log])
        for log, _, row in read.rows
        if log in known and log not in epochs and row[column] != known[log]
    ]
    assert wrong == []


def test_calls_that_are_known_to_have_succeeded_are_counted(read: Read) -> None:
    told: dict[str, list[bool]] = {}
    for fact in read.facts:
        if fact.key == "turns.calls.success" and fact.read is not None:
            told.setdefault(fact.log, []).append(fact.read)
    for log, _, row in read.rows:
        known = told.get(log, [])
        # The last call of a run that was stopped may be known, though nothing was sent back.
        assert 0 <= row["turns.known_calls"] - len(known) <= 2, log
        assert 0 <= row["turns.successful_calls"] - sum(known) <= 2, log
