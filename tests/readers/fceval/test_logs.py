"""Logs beside a result: tokens, lengths and events; and what the two rules make of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.speedup.runs import FAST, own, score, write_json, write_run
from trajmeter.readers.fceval.logs import read_logs

if TYPE_CHECKING:
    from pathlib import Path

HEADER = '{"version": 2, "width": 80, "height": 24}\n'


def usage(prompt: object, completion: object) -> dict[str, Any]:
    tokens = {"prompt_tokens": prompt, "completion_tokens": completion}
    return {"llm_metrics": {"accumulated_token_usage": tokens}}


def log(folder: Path, entries: object, name: str = "trajectory.json", *, age: int = 0) -> None:
    path = folder / "agent-logs" / name
    write_json(path, entries)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))


def recording(
    folder: Path, content: str | bytes, name: str = "agent.cast", *, age: int = 0
) -> None:
    path = folder / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))


def test_tokens_are_cumulative_so_the_last_entry_counts(tmp_path: Path) -> None:
    log(tmp_path, [usage(5, 1), usage(9, 2), usage(0, 0), {}, {"llm_metrics": {}}])
    found = read_logs(tmp_path)
    assert (found["entries"], found["input_tokens"], found["output_tokens"]) == (5, 9, 2)
    assert not found["tokens_before_bad_entry"]


@pytest.mark.parametrize(
    "null",
    [
        {"llm_metrics": None},
        {"llm_metrics": {"accumulated_token_usage": None}},
        usage(0, None),
        usage(None, 0),
    ],
)
def test_null_counts_as_absent_but_ends_the_search_of_fceval(tmp_path: Path, null: object) -> None:
    trial = tmp_path / "r" / "t" / "t.1-of-1.r"
    write_run(tmp_path / "r", {FAST: own(FAST, f=(4.0, 2.0))})
    folder = trial.parent / f"{trial.name}.agent-1-{FAST.partition(':')[0]}"
    log(folder, [usage(9, 2), null])
    found = read_logs(folder)
    assert (found["input_tokens"], found["tokens_before_bad_entry"]) == (9, True)
    for profile, tokens in ((None, (9, 2)), ("fc-eval", (0, 0))):
        results, _ = score(tmp_path / "r", profile=profile)
        assert (results[FAST].input_tokens, results[FAST].output_tokens) == tokens


@pytest.mark.parametrize(("prompt", "completion"), [(9, 0), (0, 9), (9, None)])
def test_tokens_of_one_kind_are_enough(
    tmp_path: Path, prompt: int | None, completion: int | None
) -> None:
    log(tmp_path, [usage(5, 1), usage(prompt, completion), usage(0, None)])
    found = read_logs(tmp_path)
    assert (found["input_tokens"], found["output_tokens"]) == (prompt or 0, completion or 0)


@pytest.mark.parametrize(
    "bad", ["text", 5, None, {"llm_metrics": "x"}, usage("12", 1), usage(1.5, 1), usage(-1, 5)]
)
def test_a_bad_entry_is_passed_over_and_noted(tmp_path: Path, bad: object) -> None:
    log(tmp_path, [usage(9, 2), bad])
    found = read_logs(tmp_path)
    assert (found["input_tokens"], found["tokens_before_bad_entry"]) == (9, True)
    log(tmp_path, [bad, usage(9, 2)])
    assert not read_logs(tmp_path)["tokens_before_bad_entry"]


@pytest.mark.parametrize("value", [{"messages": []}, "text", 3, None])
def test_a_log_that_is_not_a_list_has_no_length(tmp_path: Path, value: object) -> None:
    log(tmp_path, value)
    found = read_logs(tmp_path)
    assert "entries" not in found
    assert "expected a list of entries" in found["problems"][0]


def test_a_log_that_is_not_json_is_reported(tmp_path: Path) -> None:
    log(tmp_path, [])
    (tmp_path / "agent-logs" / "trajectory.json").write_text("[{")
    found = read_logs(tmp_path)
    assert "trajectory.json: invalid JSON" in found["problems"][0]


def test_the_newest_log_of_the_folder_itself_counts(tmp_path: Path) -> None:
    log(tmp_path, [1, 2, 3], "a-new.json")
    log(tmp_path, [1], "z-old.json", age=60)
    log(tmp_path, [1, 2], "deeper/newer.json", age=-60)
    (tmp_path / "agent-logs" / "stream.jsonl").write_text("{}\n{}\n")
    assert read_logs(tmp_path)["entries"] == 3
    recording(tmp_path, HEADER + '[0, "i", "x"]\n')
    recording(tmp_path, HEADER, "older.cast", age=60)
    assert read_logs(tmp_path)["events"] == {"i": 1}


def test_events_are_lists_of_three_and_counted_by_code(tmp_path: Path) -> None:
    lines = [
        '[0.1, "o", "x"]',
        '[0.2, "i", "y", "more"]',
        "",
        '[0.3, "i"]',
        "{broken",
        '{"a": 1}',
        "null",
        "[1, 0, 2]",
        "[1, null, 2]",
        '[9, "i", "cu',
    ]
    recording(tmp_path, HEADER + "\r\n".join(lines))
    found = read_logs(tmp_path)
    assert found["events"] == {"o": 1, "i": 1, "0": 1, "null": 1}
    assert found["events_after_first_line"] == 4
    assert "5 of 11 lines are not events" in found["problems"][0]


def test_only_an_object_is_a_header(tmp_path: Path) -> None:
    recording(tmp_path, '[0, "i", "x"]\n[1, "i", "y"]\n')
    found = read_logs(tmp_path)
    assert (found["events"], found["events_after_first_line"]) == ({"i": 2}, 1)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_fceval_does_not_count_events_with_a_line_separator(tmp_path: Path, separator: str) -> None:
    recording(tmp_path, HEADER + f'[0, "o", "a{separator}b"]\n[1, "o", "c"]\n')
    found = read_logs(tmp_path)
    assert (found["events"], found["events_after_first_line"]) == ({"o": 2}, 1)
    assert not found["problems"]


def test_fceval_counts_an_event_before_a_form_feed(tmp_path: Path) -> None:
    recording(tmp_path, HEADER + '[0, "o", "a"]\f')
    found = read_logs(tmp_path)
    assert (found["events"], found["events_after_first_line"]) == ({}, 1)


def test_bytes_that_are_not_utf8_are_replaced(tmp_path: Path) -> None:
    recording(tmp_path, HEADER.encode() + b'[0, "i", "\xff"]\n')
    found = read_logs(tmp_path)
    assert (found["events"], found["recording_is_utf8"]) == ({"i": 1}, False)


def test_no_logs_at_all(tmp_path: Path) -> None:
    assert read_logs(tmp_path) == {"problems": ()}


class TestRules:
    """Length and cost of an attempt, by the default and as fc-eval has them."""

    @staticmethod
    def results(tmp_path: Path, **fields: Any) -> tuple[Any, Any]:
        metrics = {**own(FAST, f=(4.0, 2.0)), **fields.pop("metrics", {})}
        run = write_run(tmp_path / "r", {FAST: metrics}, results={FAST: fields})
        return score(run)[0][FAST], score(run, profile="fc-eval")[0][FAST]

    @staticmethod
    def folder(tmp_path: Path) -> Path:
        return tmp_path / "r" / "t" / "t.1-of-1.r.agent-1-fixer"

    def test_a_recorded_length_is_used_even_if_0(self, tmp_path: Path) -> None:
        log(self.folder(tmp_path), [1, 2, 3])
        for result in self.results(tmp_path, metrics={"trajectory_length": 0}):
            assert (result.trajectory_length, result.trajectory_length_source) == (0, "recorded")

    def test_the_log_goes_before_the_recording(self, tmp_path: Path) -> None:
        log(self.folder(tmp_path), [1, 2, 3])
        recording(self.folder(tmp_path), HEADER + '[0, "i", "x"]\n')
        for result in self.results(tmp_path):
            assert (result.trajectory_length, result.trajectory_length_source) == (3, "json")
            assert result.events_by_code == {"i": 1}

    @pytest.mark.parametrize("with_log", [False, True])
    def test_input_is_what_counts_of_a_recording(self, tmp_path: Path, with_log: bool) -> None:
        if with_log:
            log(self.folder(tmp_path), [])
        recording(self.folder(tmp_path), HEADER + '[0, "i", "x"]\n[1, "o", "y"]\n[2, "i", "z"]\n')
        ours, theirs = self.results(tmp_path)
        assert (ours.trajectory_length, theirs.trajectory_length) == (2, 3)
        assert ours.trajectory_length_source == theirs.trajectory_length_source == "cast"

    def test_a_recording_without_input_has_no_length(self, tmp_path: Path) -> None:
        recording(self.folder(tmp_path), HEADER + '[1, "o", "y"]\n')
        ours, theirs = self.results(tmp_path)
        assert (ours.trajectory_length, ours.trajectory_length_source) == (None, "cast")
        assert theirs.trajectory_length == 1

    def test_fceval_skips_recordings_that_are_not_utf8(self, tmp_path: Path) -> None:
        recording(self.folder(tmp_path), b'[0, "i", "\xff"]\n[1, "i", "y"]\n')
        ours, theirs = self.results(tmp_path)
        assert (ours.trajectory_length, theirs.trajectory_length) == (2, 0)

    def test_nothing_recorded_is_unknown_and_0_in_fceval(self, tmp_path: Path) -> None:
        ours, theirs = self.results(tmp_path)
        assert (ours.task_cost_usd, ours.trajectory_length, ours.input_tokens) == (None, None, None)
        assert (theirs.task_cost_usd, theirs.trajectory_length, theirs.input_tokens) == (0.0, 0, 0)
        assert ours.trajectory_length_source == theirs.trajectory_length_source == "none"

    def test_costs_are_taken_as_recorded(self, tmp_path: Path) -> None:
        for result in self.results(tmp_path, metrics={"task_cost_usd": 0.5}, total_cost=2.0):
            assert (result.task_cost_usd, result.cost_source) == (0.5, "recorded")
        for result in self.results(tmp_path, metrics={"task_cost_usd": "x"}, total_cost=2.0):
            assert result.task_cost_usd == 2.0

    def test_costs_of_tokens_without_a_price_are_marked(self, tmp_path: Path) -> None:
        ours, theirs = self.results(tmp_path, total_input_tokens=100)
        assert (ours.task_cost_usd, ours.priced, ours.cost_source) == (0.0, False, "tokens")
        assert ours.price_table.startswith("genai-prices ")
        assert (theirs.task_cost_usd, theirs.cost_source) == (0.0, "none")
        assert ours.outcome == "scored"

    def test_tokens_of_the_log_go_before_those_of_the_result(self, tmp_path: Path) -> None:
        log(self.folder(tmp_path), [usage(9, 2), "bad"])
        ours, theirs = self.results(tmp_path, total_input_tokens=100, total_output_tokens=7)
        assert (ours.input_tokens, ours.output_tokens) == (9, 2)
        # fc-eval's search ends at the bad entry.
        assert (theirs.input_tokens, theirs.output_tokens) == (100, 7)

    def test_tokens_have_the_price_of_the_models_configured_name(self, tmp_path: Path) -> None:
        key = "fixer:anthropic/claude-sonnet-4-20250514"
        run = write_run(
            tmp_path / "r",
            {key: own(key, f=(4.0, 2.0))},
            results={
                key: {
                    "total_input_tokens": 1_000_000,
                    "trial_started_at": "2026-01-05T10:00:00Z",
                }
            },
        )
        result = score(run)[0]["fixer:anthropic-claude-sonnet-4-20250514"]
        assert (result.task_cost_usd, result.priced) == (3.0, True)  # $3 a million
        (run / "fc.lock").unlink()
        metrics = {**own(key, f=(4.0, 2.0)), "agent_model_key": key.replace("/", "-")}
        folder = run / "t" / "t.1-of-1.r.agent-1-fixer" / "results.json"
        write_json(
            folder,
            {
                "trial_name": "x",
                "failure_mode": "none",
                "total_input_tokens": 1_000_000,
                "parser_extra_metrics": metrics,
            },
        )
        result = score(run)[0]["fixer:anthropic-claude-sonnet-4-20250514"]
        assert result.priced
