"""The application: its commands and the options that stand before them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from trajmeter.cli import average, compare, metrics, price, quality, run, score
from trajmeter.kernels import backend

__all__ = ["app"]

app = typer.Typer(
    name="trajmeter",
    help="Score recorded agent trajectories.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
app.command("score")(score.score)
app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("average")(average.average)
app.command("quality")(quality.quality)
app.command("price")(price.price)
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
