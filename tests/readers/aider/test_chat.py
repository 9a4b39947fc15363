"""Chat histories of aider."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING

import pytest

from tests.readers.logs import read, read_one, turns_of
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

NAME = ".aider.chat.history.md"
CHAT = """
# aider chat started at 2026-03-01 10:00:00

> /usr/bin/aider --api-key openai=sk-1 --model openai/m-1··
> Aider v0.86.2··
> Model: openai/m-1 with diff edit format··
> Added src/a.py to the chat.··
> Added 13 lines of output to the chat.··
> Added 1 line of output to the chat.··

#### Fix the mean.··
#### Please.··

The loop stops short:

> as the task says
#### Where

src/a.py
```python
x = 1
```

> Tokens: 2.1k sent, 1k cache write, 512 cache hit, 88 received. Cost: $0.25 message, $1 session.··
> The LLM did not conform to the edit format.··
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: not found
include the whole line··

Sorry, rightly.

> Tokens: 15k sent, 1,204 received.··
> Applied edit to src/a.py··
> Commit da03ee0 fix: Mend the mean··
""".replace("·", " ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def test_replies_end_with_their_tokens(folder: Path) -> None:
    (folder / NAME).write_text(CHAT)
    attempt = read_one(folder / NAME)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("repo", "aider", "openai/m-1")
    assert attempt.attempt == "2026-03-01 10:00:00"
    assert attempt.failure is None
    assert attempt.metadata == {
        "version": "0.86.2",
        "started_at": "2026-03-01 10:00:00",
        "chat_files": ["src/a.py"],
        "commits": ["da03ee0"],
    }
    assert "sk-1" not in attempt.model_dump_json()
    first, second = turns_of(attempt)
    assert first.text == (
        "The loop stops short:\n\n> as the task says\n#### Where\n\nsrc/a.py\n```python\nx = 1\n```"
    )
    assert first.success is False
    assert first.error == Failure(
        reason="edit_format_error", message="The LLM did not conform to the edit format."
    )
    assert first.usage == Usage(
        input_tokens=2100,
        output_tokens=88,
        cached_input_tokens=512,
        cache_write_tokens=1000,
        cost_usd=0.25,
    )
    assert (second.text, second.success) == ("Sorry, rightly.", True)
    assert second.usage == Usage(input_tokens=15000, output_tokens=1204)
    assert attempt.final_output == "Sorry, rightly."


def test_tokens_that_were_cached_have_their_cost_on_the_next_line(folder: Path) -> None:
    (folder / NAME).write_text(
        "# aider chat started at 2026-03-01 10:00:00\n\n"
        "#### Fix the mean.  \n\nThe loop stops short.\n\n> as you say\n\n"
        "> Tokens: 13k sent, 1.2k cache write, 8.0k cache hit, 300 received.\n"
        "Cost: $0.02 message, $0.03 session.  \n"
        "> Applied edit to src/a.py  \n\n"
        "#### Thanks.  \n\nGladly.\n\n"
        "> Tokens: 900 sent, 5 received. Cost: $0.01 message, $0.04 session.  \n"
    )
    first, second = turns_of(read_one(folder / NAME))
    assert (first.text, first.success) == ("The loop stops short.\n\n> as you say", True)
    assert first.usage == Usage(
        input_tokens=13_000,
        output_tokens=300,
        cached_input_tokens=8_000,
        cache_write_tokens=1_200,
        cost_usd=0.02,
    )
    assert (second.text, second.usage) == (
        "Gladly.",
        Usage(input_tokens=900, output_tokens=5, cost_usd=0.01),
    )


def test_tokens_that_the_model_quotes_do_not_end_its_reply(folder: Path) -> None:
    quoted = "The log says:\n\n> Tokens: 2.0k sent, 88 received.\n\nThat is few."
    (folder / NAME).write_text(
        "# aider chat started at 2026-03-01 10:00:00\n\n"
        f"#### Read the log.  \n\n{quoted}\n\n> Tokens: 900 sent, 5 received.  \n"
    )
    (turn,) = turns_of(read_one(folder / NAME))
    assert (turn.text, turn.usage) == (quoted, Usage(input_tokens=900, output_tokens=5))


def test_reasoning_that_never_ends_is_kept_and_takes_linear_time(folder: Path) -> None:
    text = f"<thinking-content-{'7b' * 16}>\n" * 100_000
    (folder / NAME).write_text(f"# aider chat started at 2026-03-01 10:00:00\n\n{text}")
    (turn,) = turns_of(read_one(folder / NAME))
    assert turn.text == text.strip("\n")


def test_reasoning_is_left_out(folder: Path) -> None:
    tag = f"thinking-content-{'7b' * 16}"
    (folder / NAME).write_text(
        "# aider chat started at 2026-03-01 10:00:00\n\n#### Fix the mean.  \n\n"
        f"<{tag}>\n\nWhere is it?\n\n</{tag}>\n\nThe loop stops short.\n\n"
        "> Tokens: 900 sent, 5 received.  \n\n"
        f"<{tag}>\n\nHm.\n\n</{tag}>\n\n"
        "> Tokens: 901 sent, 6 received.  \n"
    )
    attempt = read_one(folder / NAME)
    assert [turn.text for turn in turns_of(attempt)] == ["The loop stops short.", None]
    assert attempt.final_output == "The loop stops short."


def test_a_prompt_that_was_too_long_has_no_turn(folder: Path) -> None:
    (folder / NAME).write_text(
        "# aider chat started at 2026-03-01 10:00:00\n\n#### Fix it.  \n"
        "> Tokens: 2.7k sent, 0 received.  \n>  \n> Model m-1 has hit a token limit!  \n"
    )
    attempt = read_one(folder / NAME)
    assert attempt.turns == ()
    assert attempt.failure == Failure(
        reason="budget_exhausted", message="Model m-1 has hit a token limit!"
    )


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("> litellm.AuthenticationError: Bad key  \n> Check your key.  \n", "api_error"),
        ("> litellm.InternalServerError: Down  \n> Retrying in 0.2 seconds...  \n\nHi.\n", None),
        ("> Only 3 reflections allowed, stopping.  \n", "max_turns_exceeded"),
    ],
)
def test_how_a_chat_may_end(folder: Path, end: str, reason: str | None) -> None:
    (folder / NAME).write_text(
        f"# aider chat started at 2026-03-01 10:00:00\n\n#### Fix it.  \n\nSo.\n\n{end}"
    )
    failure = read_one(folder / NAME).failure
    assert (failure and failure.reason) == reason


@pytest.mark.parametrize("mark", [b"", BOM_UTF8])
def test_every_chat_of_a_file_is_an_attempt(folder: Path, mark: bytes) -> None:
    chat = "# aider chat started at 2026-03-0{} 10:00:00\n\n#### Go.  \n\nReply {}.\n\n"
    path = folder / NAME
    text = (chat.format(1, 1) + chat.format(2, 2)).replace("\n", "\r\n")
    path.write_bytes(mark + text.encode())
    attempts, problems = read(path)
    assert problems == []
    assert [(a.attempt, a.final_output, a.source and a.source.record) for a in attempts] == [
        ("2026-03-01 10:00:00", "Reply 1.", "chat 1"),
        ("2026-03-02 10:00:00", "Reply 2.", "chat 2"),
    ]
    assert turns_of(attempts[0])[0].usage is None  # the chat was left before its tokens were told


def test_a_chat_that_goes_on_after_a_failure_has_not_failed(folder: Path) -> None:
    (folder / NAME).write_text(
        "# aider chat started at 2026-03-01 10:00:00\n> m-1 has hit a token limit!  \n"
        "#### Again.  \n\nDone.\n"
    )
    assert read_one(folder / NAME).failure is None
