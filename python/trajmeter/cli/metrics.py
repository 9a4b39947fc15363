"""``trajmeter metrics``: list the metrics, or describe one of them."""

from __future__ import annotations

import inspect
import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._completion import metric_names
from trajmeter.cli._fields import PlainFormat
from trajmeter.cli._lists import ListFormat, print_list
from trajmeter.cli._process import ExitCode
from trajmeter.cli._terminal import Command, new_group, stdout_console
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from trajmeter.metrics import AnyMetric
    from trajmeter.metrics.column import Column
    from trajmeter.shapes import Shape

__all__ = ["app", "list_metrics", "show"]

app = new_group("List metrics, or describe one.", name="metrics")


@app.command("list", cls=Command)
def list_metrics(
    output_format: Annotated[
        ListFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ListFormat.TABLE,
) -> ExitCode:
    """List built-in metrics and those of plug-ins.

    A broken plug-in is listed with its error.
    """
    from trajmeter.metrics import available

    print_list(
        [
            {
                "metric": info.name,
                "version": info.metric.version if info.metric else "",
                "from": info.origin,
                "profiles": info.profiles,
                "description": (
                    _description(info.metric) if info.metric else f"broken: {info.error}"
                ),
            }
            for info in available()
        ],
        output_format,
    )
    return ExitCode.OK


@app.command("show", cls=Command)
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            autocompletion=metric_names,
            help="Metric name, or file.py@name.",
        ),
    ],
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
) -> ExitCode:
    """Show what a metric needs, and all its columns.

    **Example**

        trajmeter metrics show context
    """
    from trajmeter.metrics import RowLayout, describe
    from trajmeter.reports.tables import Table
    from trajmeter.reports.terminal import print_table

    info = describe(name)
    metric = info.metric
    if metric is None:
        raise ConfigurationError(info.error)
    (family,) = RowLayout([metric]).families
    columns = tuple(_column_cells(column) for column in family.columns)
    header = ("column", "type", "range", "better", "description")
    if output_format is PlainFormat.JSON:
        described = {
            "metric": metric.name,
            "description": _description(metric),
            "version": metric.version,
            "from": info.origin,
            "profiles": info.profiles,
            "parameters": dict(metric.parameters),
            "needs": metric.requires,
            "columns": [dict(zip(header, cells, strict=True)) for cells in columns],
        }
        sys.stdout.write(json.dumps(described, indent=2, ensure_ascii=False) + "\n")
        return ExitCode.OK
    console = stdout_console()
    facts = (
        ("description", _description(metric)),
        ("version", metric.version),
        ("from", info.origin),
        ("profiles", ", ".join(info.profiles) or "none"),
        ("parameters", json.dumps(dict(metric.parameters))),
        ("needs", ", ".join(metric.requires) or "not specified"),
    )
    print_table(Table("", (metric.name, ""), facts, texts=(0, 1)), console)
    console.print()
    print_table(Table("", header, columns, texts=(0, 1, 2, 3, 4)), console)
    return ExitCode.OK


def _description(metric: AnyMetric) -> str:
    from trajmeter.metrics import FunctionMetric

    described = metric if isinstance(metric, FunctionMetric) else metric.result_type
    return (inspect.getdoc(described) or "").partition("\n")[0]


def _column_cells(column: Column) -> tuple[str, str, str, str, str]:
    figure = column.figure
    direction = {None: "", True: "higher", False: "lower"}
    return (
        column.name,
        _type(column.shape),
        _range(figure.low, figure.high, figure.unit) if figure else "",
        direction[figure.higher_is_better] if figure else "",
        (column.description or "").partition("\n\n")[0].replace("``", ""),
    )


def _type(shape: Shape) -> str:
    return f"{shape.kind} of {shape.item.kind}" if shape.item else shape.kind


def _range(low: float | None, high: float | None, unit: str | None) -> str:
    ends = "" if low is None and high is None else f"{_end(low)}..{_end(high)}"
    return f"{ends} {unit or ''}".strip()


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
