"""Options of commands that may ask a judge, and the judge that they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.errors import ConfigurationError
from trajmeter.judges import Judge, OpenAIChat, Recorder, Replay
from trajmeter.prices import price_usd

if TYPE_CHECKING:
    from trajmeter.judges import ChatModel

__all__ = ["PANEL", "BaseUrl", "Recording", "Replayed", "RequestsPerMinute", "make_judge"]

PANEL = "Judge"
"""Heading of the judge's options in a command's help."""

BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--judge-base-url",
        metavar="URL",
        show_default=False,
        rich_help_panel=PANEL,
        help="OpenAI-compatible endpoint of the judge; its key is read from OPENAI_API_KEY.",
    ),
]
RequestsPerMinute = Annotated[
    float | None,
    typer.Option(
        "--judge-requests-per-minute",
        min=0.001,
        metavar="R",
        show_default=False,
        rich_help_panel=PANEL,
        help="Rate limit of the judge.",
    ),
]
Recording = Annotated[
    Path | None,
    typer.Option(
        "--judge-record",
        metavar="FILE",
        show_default=False,
        rich_help_panel=PANEL,
        help="Record every exchange with the judge: in a new file, or at the end of a recording.",
    ),
]
Replayed = Annotated[
    Path | None,
    typer.Option(
        "--judge-replay",
        exists=True,
        metavar="FILE",
        show_default=False,
        rich_help_panel=PANEL,
        help="Judge from a recording: offline, at no cost.",
    ),
]


def make_judge(
    model: str,
    *,
    base_url: str | None,
    requests_per_minute: float | None,
    record: Path | None,
    replay: Path | None,
) -> Judge:
    """Make the judge that the options describe.

    Raises:
        ConfigurationError: Recording and replay are asked for at once, or there is no key.
        ReadError: The recording cannot be read.
        ExtraMissingError: pydantic-ai is not installed.
    """
    if record is not None and replay is not None:
        raise ConfigurationError("--judge-record and --judge-replay exclude each other")
    chat: ChatModel = Replay(model, replay) if replay else OpenAIChat(model, base_url=base_url)
    if record is not None:
        chat = Recorder(chat, record)
    return Judge(chat, price_usd, requests_per_minute=requests_per_minute)
