"""Options for the LLM judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._paths import local
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from trajmeter.judges import ChatModel, Judge, ModelAssertionJudge

__all__ = [
    "JUDGE_PANEL",
    "JudgeBaseUrl",
    "JudgeRecord",
    "JudgeReplay",
    "JudgeRequestsPerMinute",
    "JudgeTimeoutSeconds",
    "make_assertion_judge",
    "make_judge",
]

JUDGE_PANEL = "Judge options"
"""Heading of the judge's options in a command's help."""

JudgeBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--judge-base-url",
        metavar="URL",
        show_default=False,
        rich_help_panel=JUDGE_PANEL,
        help="OpenAI-compatible endpoint; the API key is read from OPENAI_API_KEY.",
    ),
]
JudgeRequestsPerMinute = Annotated[
    float | None,
    typer.Option(
        "--judge-requests-per-minute",
        min=0.001,
        metavar="N",
        show_default=False,
        rich_help_panel=JUDGE_PANEL,
        help="Rate limit.",
    ),
]
JudgeTimeoutSeconds = Annotated[
    float | None,
    typer.Option(
        "--judge-timeout-seconds",
        min=0.001,
        metavar="N",  # a longer one leaves too little room for the names at 80 columns
        show_default=False,
        rich_help_panel=JUDGE_PANEL,
        help="Time limit for each reply (default: 60); one that takes longer is requested again.",
    ),
]
JudgeRecord = Annotated[
    Path | None,
    typer.Option(
        "--judge-record",
        callback=lambda file: file and local(file),
        metavar="FILE",
        show_default=False,
        rich_help_panel=JUDGE_PANEL,
        help="Record every exchange with the judge; an existing recording is appended to.",
    ),
]
JudgeReplay = Annotated[
    Path | None,
    typer.Option(
        "--judge-replay",
        exists=True,
        metavar="FILE",
        show_default=False,
        rich_help_panel=JUDGE_PANEL,
        help="Replay recorded exchanges instead of calling a model: offline and free.",
    ),
]


def make_judge(
    model: str | None,
    *,
    base_url: str | None,
    requests_per_minute: float | None,
    timeout_seconds: float | None,
    record: Path | None,
    replay: Path | None,
) -> Judge:
    """Create the judge that the options describe.

    Raises:
        ConfigurationError: Both a recording and a replay are requested, or the key is missing.
        ReadError: The recording cannot be read.
        ExtraMissingError: pydantic-ai is not installed.
    """
    from trajmeter.judges import (
        DEFAULT_MODEL,
        DEFAULT_TIMEOUT_SECONDS,
        Judge,
        OpenAIChat,
        Recorder,
        Replay,
    )
    from trajmeter.prices import price_usd

    if record is not None and replay is not None:
        raise ConfigurationError("--judge-record and --judge-replay cannot be used together")
    model = model or DEFAULT_MODEL
    chat: ChatModel
    if replay is not None:
        chat = Replay(model, replay)
    else:
        seconds = timeout_seconds or DEFAULT_TIMEOUT_SECONDS
        chat = OpenAIChat(model, base_url=base_url, timeout_seconds=seconds)
    if record is not None:
        chat = Recorder(chat, record)
    return Judge(chat, price_usd, requests_per_minute=requests_per_minute)


def make_assertion_judge(
    model: str | None,
    *,
    base_url: str | None,
    requests_per_minute: float | None,
    timeout_seconds: float | None,
    record: Path | None,
    replay: Path | None,
) -> ModelAssertionJudge | None:
    """Create the judge of assertions that the options describe; ``None`` without a judge.

    Raises:
        ConfigurationError: As :func:`make_judge`, or there are options but no judge.
        ReadError: The recording cannot be read.
        ExtraMissingError: pydantic-ai is not installed.
    """
    if model is None and replay is None:
        if any(
            each is not None for each in (base_url, requests_per_minute, timeout_seconds, record)
        ):
            raise ConfigurationError("judge options need --judge MODEL")
        return None
    from trajmeter.judges import ModelAssertionJudge

    return ModelAssertionJudge(
        make_judge(
            model,
            base_url=base_url,
            requests_per_minute=requests_per_minute,
            timeout_seconds=timeout_seconds,
            record=record,
            replay=replay,
        )
    )
