"""What commands share at the terminal: how help looks, common options, and the console."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from trajmeter.cli._option_values import read_late
from trajmeter.cli._paths import existing, present
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from trajmeter.judges import ChatModel, Judge

__all__ = [
    "JUDGE_PANEL",
    "ColumnMap",
    "Command",
    "InputFormat",
    "JudgeBaseUrl",
    "JudgeRecord",
    "JudgeReplay",
    "JudgeRequestsPerMinute",
    "JudgeTimeoutSeconds",
    "LogFile",
    "LogFiles",
    "OriginalProfile",
    "SnapshotFiles",
    "TaskFiles",
    "column_map",
    "make_judge",
    "new_group",
    "program_options",
    "stdout_console",
]

_UNLIMITED = 100_000
"""Line width if the output is not a terminal."""


class Command(TyperCommand):
    """A command whose help omits Python types, and that parses only the options that are passed."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - its class has moved between versions
        """The options and arguments, including ``--help``."""
        return _prepared(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - as above
        return _prepared(super().get_params(ctx))


def _prepared(parameters: Sequence[Any]) -> list[Any]:
    for parameter in parameters:
        if "process_value" not in vars(parameter):
            read_late(parameter)
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""  # typer would show <bool>
        elif parameter.param_type_name == "argument" and parameter.metavar:
            parameter.display_type_rich = _nothing  # typer would show <list[Path]> next to the name
    return list(parameters)


def _nothing(ctx: object) -> str:
    del ctx
    return ""


def new_group(text: str, *, name: str, completes: bool = False) -> typer.Typer:
    """An application, or a command with subcommands, that shows its help if none is named.

    Args:
        text: Its help.
        name: What it is called by.
        completes: Whether it has the options that set up shell completion.
    """
    return typer.Typer(
        name=name,
        cls=_Group,
        context_settings={"help_option_names": ["-h", "--help"]},
        help=text,
        no_args_is_help=True,
        add_completion=completes,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
    )


def _print_version(*, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from trajmeter.kernels import backend

        typer.echo(f"trajmeter {version('trajmeter')} ({backend()} kernels)")
        raise typer.Exit


def program_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda wanted: _print_version(wanted=wanted),
            is_eager=True,
            help="Print the version and the kernel backend.",
        ),
    ] = False,
) -> None:
    """Take the options that come before a command."""


OriginalProfile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="PROFILE",
        show_default=False,
        help="framework-comparison: reproduce the original benchmark's numbers, quirks included.",
    ),
]

JUDGE_PANEL = "Judge options"
"""Heading of the judge's options in a command's help."""

LogFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOGS",
        show_default=False,
        # Without annotations: on Python 3.10, typer mistakes a list of paths for a class.
        callback=lambda paths: [*map(existing, paths)],
        help="Files, folders or quoted patterns (logs/**/*.json) of recorded trajectories, or - "
        "for standard input; formats are detected from content.",
    ),
]
LogFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        callback=existing,
        help="File, folder or quoted pattern of recorded trajectories, or - for standard input; "
        "the format is detected from content.",
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="NAME",
        show_default=False,
        help="Format of all logs, instead of detecting it. See trajmeter formats.",
    ),
]
ColumnMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN,…",
        show_default=False,
        help="Columns or keys of the logs that contain fields of a trajectory under other names: "
        "turns=steps,task_id=id. Prefix fields of its task with task.: task.gold_patch=patch. May "
        "be repeated.",
    ),
]


def column_map(options: Sequence[str] | None) -> dict[str, str]:
    """The columns of :data:`ColumnMap` by field.

    Raises:
        ConfigurationError: A part is not ``FIELD=COLUMN``, or repeats a field.
    """
    columns: dict[str, str] = {}
    for part in (part for option in options or () for part in option.split(",")):
        field, separator, column = (text.strip() for text in part.partition("="))
        if not (field and separator and column):
            raise ConfigurationError(f"--map {part!r}: expected FIELD=COLUMN")
        if field in columns:
            raise ConfigurationError(f"--map: two columns for {field!r}")
        columns[field] = column
    return columns


TaskFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--tasks",
        "-t",
        callback=lambda paths: paths and [*map(present, paths)],
        metavar="FILE",
        show_default=False,
        help="Tasks with their references. May be repeated.",
    ),
]
SnapshotFiles = Annotated[
    Path | None,
    typer.Option(
        "--snapshots",
        "-s",
        callback=lambda path: path and present(path),
        metavar="FILE|DIR",
        show_default=False,
        help="Repositories at the tasks' commits: a file of snapshots, or a folder.",
    ),
]

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
        metavar="SECONDS",
        show_default=False,
        rich_help_panel=JUDGE_PANEL,
        help="Time limit for each reply (default: 60); one that takes longer is requested again.",
    ),
]
JudgeRecord = Annotated[
    Path | None,
    typer.Option(
        "--judge-record",
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


def stdout_console() -> Console:
    """Console for stdout: lines are wrapped on a terminal, and nowhere in a file or pipe."""
    from rich.console import Console

    class DataConsole(Console):
        def on_broken_pipe(self) -> None:
            """Let the command line handle it; rich would exit with 1, like a failed gate."""
            raise BrokenPipeError

    console = DataConsole()
    return console if console.is_terminal else DataConsole(width=_UNLIMITED)
