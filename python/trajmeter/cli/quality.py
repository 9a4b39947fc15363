"""``trajmeter quality``: static quality of a framework's implementation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._messages import Messages
from trajmeter.cli._options import PlainFormat
from trajmeter.cli._plain import print_fields
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.metrics.quality import framework_packages, static_quality

__all__ = ["quality"]


def quality(
    file: Annotated[
        Path,
        typer.Argument(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            show_default=False,
            help="Python source file.",
        ),
    ],
    framework: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Framework whose packages count as its own: langgraph, pydantic_ai, smolagents "
            "or crewai.",
        ),
    ] = "",
    packages: Annotated[
        list[str] | None,
        typer.Option(
            "--package",
            metavar="PACKAGE",
            show_default=False,
            help="Another top-level package that counts as the framework's. May be repeated.",
        ),
    ] = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="What to print.")
    ] = PlainFormat.TABLE,
) -> ExitCode:
    """Measure the size, complexity, imports and annotations of a Python source file.

    **Example**

        trajmeter quality agent.py --framework langgraph
    """
    named = [*framework_packages(framework), *(packages or ())]
    if framework and not named:
        Messages().tell(f"no packages of {framework!r} are known; name them with --package")
    measured = static_quality(file, packages=named)
    if output_format is PlainFormat.JSON:
        sys.stdout.write(
            measured.model_dump_json(indent=2, exclude={"code_review", "judge"}) + "\n"
        )
    elif measured.static_metrics is not None:
        print_fields(measured.static_metrics.model_dump())
    if measured.error is not None:
        Messages().tell(f"not scored: {measured.error}")
        return ExitCode.UNREADABLE_INPUT
    return ExitCode.OK
