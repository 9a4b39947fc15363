"""The application: its commands and the options that stand before them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from trajmeter.cli import average, compare, metrics, price, quality, run, score
from trajmeter.cli._command import Command, Group
from trajmeter.kernels import backend

__all__ = ["app"]

app = typer.Typer(
    name="trajmeter",
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Score recorded agent trajectories.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command("score", cls=Command)(score.score)
app.command("run", cls=Command)(run.run)
app.command("compare", cls=Command)(compare.compare)
app.command("average", cls=Command)(average.average)
app.command("quality", cls=Command)(quality.quality)
app.command("price", cls=Command)(price.price)
app.add_typer(metrics.app, name="metrics")


def _print_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"trajmeter {version('trajmeter')} ({backend()} kernels)")
        raise typer.Exit


@app.callback()
def _options(
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
    """Score recorded agent trajectories."""
