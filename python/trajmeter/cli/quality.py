"""``trajmeter quality``: measure the source code of a framework's implementation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._fields import PlainFormat, print_fields
from trajmeter.cli._input_options import OriginalProfile
from trajmeter.cli._process import ExitCode, print_message

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
            help="Framework whose imports to count: langgraph, pydantic_ai, smolagents or crewai.",
        ),
    ] = "",
    packages: Annotated[
        list[str] | None,
        typer.Option(
            "--package",
            metavar="PACKAGE",
            show_default=False,
            help="Another top-level package that belongs to the framework. May be repeated.",
        ),
    ] = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Measure size, complexity, imports and type annotations of a Python source file.

    **Example**

        trajmeter quality agent.py --framework langgraph
    """
    from trajmeter.frameworks.compare import is_original
    from trajmeter.metrics.quality import framework_packages, static_quality

    original = is_original(profile)
    named = [*framework_packages(framework, original=original), *(packages or ())]
    if framework and not named:
        print_message(
            f"trajmeter: no packages are known for framework {framework!r}; name them with "
            "--package"
        )
    measured = static_quality(file, packages=named, original=original)
    if output_format is PlainFormat.JSON:
        sys.stdout.write(
            measured.model_dump_json(indent=2, exclude={"code_review", "judge"}) + "\n"
        )
    elif measured.static_metrics is not None:
        print_fields(measured.static_metrics.model_dump())
    if measured.error is not None:
        print_message(f"trajmeter: not scored: {measured.error}")
        return ExitCode.UNREADABLE_INPUT
    return ExitCode.OK
