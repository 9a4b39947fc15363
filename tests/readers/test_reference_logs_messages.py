"""Real logs that hold messages, against what is known of the runs that they are about.

What a format does not carry is named here, by file; everything else has to be there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.records import ToolCall, Trajectory, Turn, Usage

FOLDERS = ("inspect", "otel", "openai-agents", "langchain", "smolagents")
ALSO = {
    "otel/spans-a.jsonl": ["messages-a.json"],
    "openai-agents/trace-oaia-a.jsonl": ["items-oaia-a.json"],
    "openai-agents/trace-oaia-b.jsonl": ["items-oaia-b.json"],
    **{
        f"langchain/{run}.messages.json": [f"{run}.state.json", f"{run}.openai.json"]
        for run in "abd"
    },
    **{
        f"smolagents/{run}.memory.json": [f"{run}.run.json"]
        for run in ("smolt-a", "smolt-b", "smolc-a")
    },
}
"""Further files of a run, which are no less than the first."""
USED = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cached_input_tokens",
    "cache_write": "cache_write_tokens",
    "reasoning": "reasoning_tokens",
}
ROOT = "/testbed/"

Run = tuple[str, dict[str, Any], "Trajectory"]


@pytest.fixture(scope="module")
def runs(reference_data: Path) -> list[Run]:
    """Every log with what is expected of it and what was read."""
    return [
        (name, line, attempt)
        for folder in FOLDERS
        for name, line, attempt in _runs(reference_data / "logs" / folder)
    ]


def _runs(folder: Path) -> Iterator[Run]:
    for text in (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines():
        expected = json.loads(text)
        name = f"{folder.name}/{expected['file']}"
        for file in [expected["file"], *ALSO.get(name, ())]:
            attempts = [*read_trajectories(folder / file)]
            if "epoch" in expected:
                of = (str(expected["task_id"]), str(expected["epoch"]))
                attempts = [each for each in attempts if (each.task_id, each.attempt) == of]
            (attempt,) = attempts
            yield f"{folder.name}/{file}", expected, attempt


def has_no_usage(name: str) -> bool:
    """Lists of messages in OpenAI's shape say nothing of tokens."""
    return name.endswith(".openai.json") or name.startswith("openai-agents/items")


def has_no_marks(name: str) -> bool:
    """Nor do they say whether calls succeeded."""
    return has_no_usage(name)


def is_of_code(name: str) -> bool:
    """Agents that write code call an interpreter, which calls the tools."""
    return name.startswith("smolagents/smolc")


def lacks_last(name: str, expected: dict[str, Any], turn: dict[str, Any]) -> bool:
    """The last step of smolagents has no calls where the limit was reached."""
    return name.startswith("smolagents/smolt-b") and turn is expected["turns"][-1]


def pairs(runs: list[Run]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any], Turn]]:
    for name, expected, attempt in runs:
        turns = attempt.turns or ()
        assert len(turns) == len(expected["turns"]), name
        for wanted, turn in zip(expected["turns"], turns, strict=True):
            yield name, expected, wanted, turn


def check_usage(name: str, expected: dict[str, Any], usage: Usage | None) -> None:
    assert usage is not None, name
    assert usage.input_tokens is not None, name
    assert usage.output_tokens is not None, name
    for theirs, ours in USED.items():
        value = getattr(usage, ours)
        # Most programs leave out counts that are 0.
        assert value == expected[theirs] or (value is None and expected[theirs] == 0), (name, ours)


def test_every_log_is_read_as_the_run_that_it_is_of(runs: list[Run]) -> None:
    assert len(runs) == 10 + 3 + 4 + 9 + 6
    for name, expected, attempt in runs:
        if has_no_usage(name) or name.startswith("openai-agents/"):
            assert attempt.model is None, name
        else:
            assert attempt.model is not None, name
            assert attempt.model.rpartition("/")[2] == expected["model"], name
        if name.startswith("inspect/"):
            assert attempt.task_id == str(expected["task_id"])
            assert attempt.metadata["scores"] == (expected["scores"] or {})
        assert attempt.unusable == {}, name
        assert attempt.dropped_calls == 0, name


def test_how_runs_ended(runs: list[Run]) -> None:
    for name, expected, attempt in runs:
        tells = name.startswith(("inspect/", "otel/spans", "openai-agents/trace", "smolagents/"))
        if not tells:
            assert attempt.failure is None, name  # messages do not say why they end
            continue
        assert (attempt.failure is not None) is bool(expected["failure"]), name
        if expected.get("budget_exhausted"):
            assert attempt.failure is not None
            assert attempt.failure.reason in BUDGET_REASONS, name
        elif expected.get("error"):
            assert attempt.failure is not None
            assert expected["error"] in str(attempt.failure.message), name
        status = expected.get("exit_status", expected.get("log_status"))
        if not name.startswith("openai-agents/") and not name.endswith(".memory.json"):
            assert attempt.metadata["exit_status"] == status, name
    reasons = {a.failure.reason for name, _, a in runs if a.failure and "openai-agents" in name}
    assert reasons == {"max_turns_exceeded"}


def test_usage_of_runs(runs: list[Run]) -> None:
    for name, expected, attempt in runs:
        if name.endswith(".run.json"):
            assert attempt.usage is not None, name
            assert attempt.usage.input_tokens == expected["usage"]["input"]
            assert attempt.usage.output_tokens == expected["usage"]["output"]
        elif name.startswith("inspect/"):
            check_usage(name, expected["usage"], attempt.usage)
        else:
            assert attempt.usage is None, name


def test_usage_of_turns(runs: list[Run]) -> None:
    for name, _, wanted, turn in pairs(runs):
        if has_no_usage(name):
            assert turn.usage is None, name
        elif "tokens" in wanted:
            check_usage(name, wanted["tokens"], turn.usage)


def test_what_was_said(runs: list[Run]) -> None:
    for name, _, wanted, turn in pairs(runs):
        if name.startswith("openai-agents/trace"):
            assert turn.text is None  # spans of responses have no text
        elif is_of_code(name):
            assert (wanted["text"] or "") in (turn.text or ""), name
        else:
            assert turn.text == (wanted["text"] or None), name


def calls(runs: list[Run]) -> Iterator[tuple[str, dict[str, Any], ToolCall]]:
    for name, expected, wanted, turn in pairs(runs):
        if is_of_code(name):
            assert [call.name for call in turn.tool_calls] == ["python_interpreter"], name
            assert turn.program == turn.tool_calls[0].arguments
            continue
        ours, theirs = turn.tool_calls, wanted["calls"]
        if lacks_last(name, expected, wanted):
            assert ours == (), name
            continue
        if name == "langchain/a.openai.json" and wanted is expected["turns"][-1]:
            assert ours == ()  # the conversion leaves malformed calls out
            continue
        assert len(ours) == len(theirs), name
        for each, call in zip(theirs, ours, strict=True):
            yield name, each, call


def test_calls_and_their_results(runs: list[Run]) -> None:
    for name, wanted, call in calls(runs):
        assert call.name == wanted["name"], name
        given = wanted["arguments"]
        assert call.arguments == (wanted["raw_arguments"] if given is None else given), name
        if not name.startswith("openai-agents/trace"):
            assert call.id == wanted["id"], name
        is_only = name.startswith("smolagents/") and call.result is None
        if wanted["success"] is not None and not is_only:
            assert call.result is not None, name
            says = wanted["success"] is False and "exit_code" in wanted
            if not has_no_marks(name) or says:
                assert call.success is wanted["success"], (name, call)
        ends = wanted.get("error_ends")
        # pydantic-ai has a list of faults, which it sends as JSON of its own.
        if ends is not None and not (name.startswith("otel/") and given is None):
            told = str(call.result or call.error).strip()
            assert told.endswith(ends.removeprefix("Observation:\n").strip()), name


def test_what_was_seen(runs: list[Run]) -> None:
    for name, _, wanted, turn in pairs(runs):
        if is_of_code(name):
            assert turn.views is None, name
            continue
        found = [(view.path.removeprefix(ROOT), view) for view in turn.views or ()]
        hits = [(path, view.start) for path, view in found if view.searched]
        assert hits == [(hit["path"], hit["line"]) for hit in wanted.get("search_hits", ())], name
        seen = [(path, view) for path, view in found if not view.searched]
        views = list(wanted["views"])
        if name.startswith("openai-agents/"):  # which have the last call, though it was stopped
            views += [view for call in wanted["calls"] for view in call.get("views_if_run", ())]
        assert [path for path, _ in seen] == [view["path"] for view in views], name
        for (_, view), lines in zip(seen, views, strict=True):
            if view.start is None:
                # Of ``tail -n 6`` nobody knows the numbers, and smolagents keeps the output of
                # several calls in one text.
                command = wanted["calls"][lines["call"]]["arguments"]["command"]
                assert "tail -n 6" in command or name.startswith("smolagents/"), name
                continue
            if name.startswith("smolagents/"):  # which strips blank lines off the end
                assert view.start == lines["start"]
                assert (view.end or 0) <= lines["end"]
                continue
            assert (view.start, view.end) == (lines["start"], lines["end"]), name
