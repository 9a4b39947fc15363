"""Recorded exchanges replay to the same verdicts, offline and at no cost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.judges.scripted import GOOD, ScriptedModel
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.judges import AnswerScores, Judge, Judgement, Recorder, Replay, Reply, TransientError
from trajmeter.prices import price_usd
from trajmeter.records import Cause

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.judges import ChatModel


def ask(model: ChatModel, text: str = "what") -> Judgement[AnswerScores]:
    judge = Judge(model, price_usd, first_pause_seconds=0.0)
    return asyncio.run(judge.ask("how", text, AnswerScores))


def test_a_replay_returns_the_same_verdict_at_no_cost(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    busy = TransientError("status 503", retry_after_seconds=0.0)
    first = ask(Recorder(ScriptedModel(busy, "nonsense", GOOD), file))
    again = ask(Replay("gpt-5-mini", file))
    assert again.value == first.value is not None
    assert again.record.attempts == first.record.attempts == 3
    assert (again.record.replayed, again.record.cost_usd) == (True, 0.0)


def test_a_recorded_refusal_and_a_recorded_error_are_replayed(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    slow = TransientError("late", Cause.JUDGE_TIMEOUT, retry_after_seconds=0.0)
    ask(Recorder(ScriptedModel(Reply(refusal="no")), file), "one")
    ask(Recorder(ScriptedModel(slow, slow, slow, slow), file), "two")
    assert ask(Replay("gpt-5-mini", file), "one").record.cause is Cause.JUDGE_REFUSED
    assert ask(Replay("gpt-5-mini", file), "two").record.cause is Cause.JUDGE_TIMEOUT


def test_the_error_for_an_unrecorded_prompt_says_what_may_have_changed(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    ask(Recorder(ScriptedModel(GOOD), file))
    got = ask(Replay("gpt-5-mini", file), "something else")
    assert got.record.cause is Cause.JUDGE_ERROR
    assert "begins 'something else'" in (got.record.message or "")


def test_the_recording_of_another_model_is_not_replayed(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    ask(Recorder(ScriptedModel(GOOD), file))
    got = ask(Replay("gpt-5", file))
    assert got.record.cause is Cause.JUDGE_ERROR
    assert "has no exchange of 'gpt-5'" in (got.record.message or "")


def test_a_broken_recording_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    ask(Recorder(ScriptedModel(GOOD), file))
    with file.open("a") as lines:
        lines.write("{}\n")
    with pytest.raises(ReadError, match=r"judge\.jsonl:2: not a recorded exchange"):
        Replay("gpt-5-mini", file)
    with pytest.raises(ReadError, match="cannot be read"):
        Replay("gpt-5-mini", tmp_path / "absent.jsonl")


def test_line_separators_in_an_answer_do_not_break_a_recording(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    text = "one\u2028two\x85three"
    first = ask(Recorder(ScriptedModel(GOOD), file), text)
    assert ask(Replay("gpt-5-mini", file), text).value == first.value is not None


def test_a_recording_that_is_not_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ReadError, match=r"judge\.jsonl:1: not a recorded exchange"):
        Replay("gpt-5-mini", file)


def recorded(file: Path, *texts: str) -> list[bytes]:
    """Record an exchange about each text; the lines of the recording."""
    for text in texts:
        ask(Recorder(ScriptedModel(GOOD), file), text)
    return file.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("kept", [1, 40, -40, -3])
def test_a_line_that_was_cut_off_while_it_was_written_is_not_replayed(
    tmp_path: Path, kept: int
) -> None:
    file = tmp_path / "judge.jsonl"
    one, two = recorded(file, "one", "two")
    file.write_bytes(one + two[:kept])
    with pytest.warns(UserWarning, match=r"judge\.jsonl:2: incomplete exchange ignored"):
        replay = Replay("gpt-5-mini", file)
    assert ask(replay, "one").value is not None
    assert "has no exchange" in (ask(replay, "two").record.message or "")


@pytest.mark.parametrize("before", [[], ["one"]])
def test_a_recording_that_was_cut_off_is_continued(tmp_path: Path, before: list[str]) -> None:
    file = tmp_path / "judge.jsonl"
    *whole, last = recorded(file, *before, "caf\u00e9")
    inside_a_character = last.index("\u00e9".encode()) + 1
    file.write_bytes(b"".join(whole) + last[:inside_a_character])
    with pytest.warns(
        UserWarning, match=rf"judge\.jsonl:{len(before) + 1}: incomplete exchange ignored"
    ):
        recorded(file, "next")
    assert file.read_bytes().startswith(b"".join(whole) + b'{"key":')
    replay = Replay("gpt-5-mini", file)
    assert all(ask(replay, text).value is not None for text in [*before, "next"])


def test_an_exchange_that_lacks_only_the_end_of_its_line_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    (line,) = recorded(file, "one")
    file.write_bytes(line.rstrip(b"\n"))
    assert ask(Replay("gpt-5-mini", file), "one").value is not None
    recorded(file, "two")
    replay = Replay("gpt-5-mini", file)
    assert [ask(replay, text).value is not None for text in ("one", "two")] == [True, True]


def test_a_cut_line_with_others_after_it_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    one, two = recorded(file, "one", "two")
    file.write_bytes(one[:-40] + b"\n" + two)
    with pytest.raises(ReadError, match=r"judge\.jsonl:1: not a recorded exchange"):
        Replay("gpt-5-mini", file)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"task_id": "one"}\n', 1),
        (b"\n\nnotes\n", 3),
        (b"notes", 1),
        (b'{"task_id": "o', 1),
        (b"\xff\xfe\x00", 1),
        (b"{}", 1),
    ],
)
def test_nothing_is_appended_to_other_files(tmp_path: Path, content: bytes, line: int) -> None:
    file = tmp_path / "preds.jsonl"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"preds\.jsonl:{line}: not a recorded exchange;"):
        Recorder(ScriptedModel(GOOD), file)
    assert file.read_bytes() == content


@pytest.mark.parametrize("before", [b"", b"\n\n"])
def test_a_recording_and_an_empty_file_are_appended_to(tmp_path: Path, before: bytes) -> None:
    file = tmp_path / "judge.jsonl"
    file.write_bytes(before)
    for text in ("one", "two"):
        ask(Recorder(ScriptedModel(GOOD), file), text)
    for text in ("one", "two"):
        assert ask(Replay("gpt-5-mini", file), text).value is not None


def test_a_recording_that_cannot_be_written_is_reported_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    model = ScriptedModel(GOOD)
    with pytest.raises(ConfigurationError, match=r"judge\.jsonl: cannot be written: "):
        Recorder(model, tmp_path / "file" / "judge.jsonl")
    deep = tmp_path / "new" / "folder" / "judge.jsonl"
    ask(Recorder(model, deep))
    assert len(deep.read_text().splitlines()) == 1


def test_a_recording_that_can_no_longer_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    recorder = Recorder(ScriptedModel(GOOD), file)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigurationError, match=r"judge\.jsonl: cannot be written: "):
        ask(recorder)
