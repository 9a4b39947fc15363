"""``trajmeter metrics``: which metrics there are, and what each of them gives."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._command import Command, Group
from trajmeter.cli._stdout import stdout_console
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.errors import ConfigurationError
from trajmeter.metrics import FunctionMetric, RowLayout, available, describe
from trajmeter.reports.tables import Table
from trajmeter.reports.terminal import print_table

if TYPE_CHECKING:
    from trajmeter.metrics import AnyMetric
    from trajmeter.metrics.rows import Column

__all__ = ["app", "list_metrics", "show"]

app = typer.Typer(
    cls=Group, help="List metrics, or show what one of them gives.", no_args_is_help=True
)


@app.command("list", cls=Command)
def list_metrics() -> ExitCode:
    """List the metrics that come with the package, and those of plug-ins.

    A plug-in that is broken is listed with its error.
    """
    rows = tuple(
        (
            info.name,
            info.metric.version if info.metric else "",
            info.origin,
            ", ".join(info.profiles),
            _meaning(info.metric) if info.metric else f"broken: {info.error}",
        )
        for info in available()
    )
    header = ("metric", "version", "from", "profiles", "gives")
    print_table(Table("", header, rows, texts=(0, 1, 2, 3, 4)), stdout_console())
    return ExitCode.OK


@app.command("show", cls=Command)
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a metric, or file.py@name.")],
) -> ExitCode:
    """Show what a metric needs, and every column it gives.

    **Example**

        trajmeter metrics show context
    """
    info = describe(name)
    metric = info.metric
    if metric is None:
        raise ConfigurationError(info.error)
    console = stdout_console()
    about = (
        ("gives", _meaning(metric)),
        ("version", metric.version),
        ("from", info.origin),
        ("profiles", ", ".join(info.profiles) or "none"),
        ("settings", json.dumps(dict(metric.parameters))),
        ("scores from", ", ".join(metric.requires) or "not told"),
    )
    print_table(Table("", (metric.name, ""), about, texts=(0, 1)), console)
    console.print()
    (family,) = RowLayout([metric]).families
    columns = tuple(_column_cells(column) for column in family.columns)
    header = ("column", "type", "range", "better", "meaning")
    print_table(Table("", header, columns, texts=(0, 1, 2, 3, 4)), console)
    return ExitCode.OK


def _meaning(metric: AnyMetric) -> str:
    described = metric if isinstance(metric, FunctionMetric) else metric.result_type
    return (inspect.getdoc(described) or "").partition("\n")[0]


def _column_cells(column: Column) -> tuple[str, str, str, str, str]:
    figure = column.figure
    direction = {None: "", True: "higher", False: "lower"}
    return (
        column.name,
        column.kind if column.shape == "scalar" else f"{column.shape} of {column.kind}",
        _range(figure.low, figure.high, figure.unit) if figure else "",
        direction[figure.higher_is_better] if figure else "",
        (column.description or "").partition("\n\n")[0].replace("``", ""),
    )


def _range(low: float | None, high: float | None, unit: str | None) -> str:
    ends = "" if low is None and high is None else f"{_end(low)}..{_end(high)}"
    return f"{ends} {unit or ''}".strip()


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
