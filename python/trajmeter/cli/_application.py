"""The application: its commands, in the order of the help, and the defaults of their options."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer import Typer

__all__ = ["COMMANDS", "NAME", "application", "default_map"]

NAME = "trajmeter"
COMMANDS = (
    "score",
    "view",
    "convert",
    "snapshot",
    "run",
    "judge",
    "merge",
    "summarize",
    "compare",
    "report",
    "agreement",
    "average",
    "quality",
    "price",
    "bench",
    "metrics",
    "formats",
)
"""Modules of the commands, in the order of the help."""
_VERSION = "--version"
"""The option that prints the version, for which no command is imported."""
_GROUPS = ("metrics",)
"""Modules of commands that have subcommands."""


def application(words: Sequence[str] = ()) -> Typer:
    """The application; its commands import what they need when they run.

    Args:
        words: Arguments of the program; only the commands that they may need are imported.

    Raises:
        ExtraMissingError: typer or rich is not installed.
    """
    for needed in ("typer", "rich"):
        if find_spec(needed) is None:
            raise ExtraMissingError(
                f"the command line needs {needed}: pip install 'trajmeter[cli]'"
            )
    from trajmeter.cli import _terminal

    app = _terminal.new_group("Score recorded agent trajectories.", name=NAME, completes=True)
    app.callback()(_terminal.program_options)
    for name in _possible(words):
        module = import_module(f"trajmeter.cli.{name}")
        if name in _GROUPS:
            app.add_typer(module.app)
        else:
            app.command(cls=_terminal.Command)(getattr(module, name))
    return app


def _possible(words: Sequence[str]) -> Sequence[str]:
    """The commands that the program's arguments may need."""
    if [*words] == [_VERSION]:
        return ()
    named = _named(words)
    return (named,) if named in COMMANDS else COMMANDS


def _named(words: Sequence[str]) -> str | None:
    """What the program's arguments name as the command."""
    return next((word for word in words if not word.startswith("-")), None)


def default_map(command: Any, words: Sequence[str], used: list[str]) -> dict[str, Any]:  # noqa: ANN401 - its class has moved between versions
    """Defaults of the options of the named command, from a settings file.

    Args:
        command: The application, as created by typer.
        words: Arguments of the program.
        used: Gets a line on the defaults, if there are any.

    Raises:
        ConfigurationError: The file cannot be read, or a key is not an option.
    """
    from trajmeter.cli._settings_file import find_settings

    named = _named(words)
    found = find_settings(Path.cwd()) if named in COMMANDS and named not in _GROUPS else None
    if named is None or found is None:
        return {}
    from trajmeter.cli._defaults import defaults_for, described

    file, settings = found
    parameters = command.commands[named].params
    options = _long_options(parameters)
    if not {key for key, value in settings.items() if not isinstance(value, dict)} <= set(options):
        from typer.main import get_command

        every = get_command(application()).commands  # type: ignore[attr-defined]  # of the group
        options = [name for each in every.values() for name in _long_options(each.params)]
    own = defaults_for(
        named, parameters, settings, file, words=words, commands=COMMANDS, all_options=options
    )
    used += described(own, parameters, file, words)
    return {named: own}


def _long_options(parameters: Sequence[Any]) -> list[str]:
    return [
        option[2:]
        for parameter in parameters
        for option in parameter.opts
        if option.startswith("--")
    ]
