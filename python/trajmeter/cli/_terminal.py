"""How the program and its commands look at the terminal: their help, and the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from trajmeter.cli._option_values import read_late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

__all__ = ["Command", "new_group", "program_options", "stdout_console"]

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


def stdout_console() -> Console:
    """Console for stdout: lines are wrapped on a terminal, and nowhere in a file or pipe."""
    from rich.console import Console

    class DataConsole(Console):
        def on_broken_pipe(self) -> None:
            """Let the command line handle it; rich would exit with 1, like a failed gate."""
            raise BrokenPipeError

    console = DataConsole()
    return console if console.is_terminal else DataConsole(width=_UNLIMITED)
