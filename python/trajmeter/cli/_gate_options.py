"""Options for the gates of the commands that score and summarize."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from trajmeter.cli._tables import margins, named, number
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.summaries.gates import Gate, GateKind

__all__ = [
    "STEP_SUMMARY",
    "FailOver",
    "FailOverUpper",
    "FailUnder",
    "FailUnderLower",
    "GateOptions",
    "Inconclusive",
    "InconclusiveOption",
    "JUnitFile",
    "Margin",
    "MaxNotScored",
    "MinTasks",
    "NoRegression",
    "StepSummary",
]

_PANEL = "Gates"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Environment variable with the file to which a job's summary is appended."""


class Inconclusive(str, Enum):
    """How to treat a gate without enough evidence."""

    PASS = "pass"  # noqa: S105 - not a password
    """It passes."""
    FAIL = "fail"
    """It fails."""


def _threshold(option: str, text: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        option, metavar="FIGURE=X", show_default=False, rich_help_panel=_PANEL, help=text
    )
    return found


FailUnder = Annotated[
    list[str] | None, _threshold("--fail-under", "Fail if the mean is below X. May be repeated.")
]
FailOver = Annotated[
    list[str] | None, _threshold("--fail-over", "Fail if the mean is above X. May be repeated.")
]
FailUnderLower = Annotated[
    list[str] | None,
    _threshold("--fail-under-lower", "Pass only if the whole interval is at least X."),
]
FailOverUpper = Annotated[
    list[str] | None,
    _threshold("--fail-over-upper", "Pass only if the whole interval is at most X."),
]
MaxNotScored = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        show_default=False,
        rich_help_panel=_PANEL,
        help="Pass only if at most this share could not be scored: 5% or 0.05.",
    ),
]
NoRegression = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        metavar="BASELINE",
        show_default=False,
        rich_help_panel=_PANEL,
        help="Fail if worse than this results table by more than --margin.",
    ),
]
Margin = Annotated[
    list[str] | None,
    typer.Option(
        "--margin",
        metavar="M|FIGURE=M",
        show_default=False,
        rich_help_panel=_PANEL,
        help="Largest difference that does not matter, in the figure's unit. May be repeated by "
        "figure.",
    ),
]
MinTasks = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=_PANEL,
        help="Minimum number of tasks for gates on intervals.",
    ),
]
InconclusiveOption = Annotated[
    Inconclusive | None,
    typer.Option(
        "--inconclusive",
        show_default=False,
        rich_help_panel=_PANEL,
        help="Let gates without enough evidence pass or fail, instead of exit code 5.",
    ),
]
JUnitFile = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="FILE",
        show_default=False,
        rich_help_panel=_PANEL,
        help="Write the gates as JUnit XML.",
    ),
]
StepSummary = Annotated[
    bool,
    typer.Option(
        "--step-summary",
        rich_help_panel=_PANEL,
        help="Append gates and summary to the file named by GITHUB_STEP_SUMMARY.",
    ),
]


class GateOptions(NamedTuple):
    """The options of gates, unparsed."""

    fail_under: Sequence[str] | None = None
    fail_over: Sequence[str] | None = None
    fail_under_lower: Sequence[str] | None = None
    fail_over_upper: Sequence[str] | None = None
    max_not_scored: str | None = None
    no_regression: Path | None = None
    margin: Sequence[str] | None = None
    inconclusive: Inconclusive | None = None
    junit: Path | None = None
    step_summary: bool = False

    def gates(self) -> list[Gate]:
        """The requested gates.

        Raises:
            ConfigurationError: An option is wrong, or requires another.
        """
        if self == GateOptions():  # no option was given, so nothing is imported
            return []
        from trajmeter.summaries.gates import Gate
        from trajmeter.writers import check_place

        if self.junit is not None:
            check_place(self.junit)
        if self.step_summary and not os.environ.get(STEP_SUMMARY):
            raise ConfigurationError(f"--step-summary: {STEP_SUMMARY} names no file")
        thresholds: dict[GateKind, Sequence[str] | None] = {
            "fail_under": self.fail_under,
            "fail_over": self.fail_over,
            "fail_under_lower": self.fail_under_lower,
            "fail_over_upper": self.fail_over_upper,
        }
        gates = [
            Gate(kind=kind, figure=figure, threshold=number(text, f"--{kind.replace('_', '-')}"))
            for kind, values in thresholds.items()
            for figure, text in named(values, f"--{kind.replace('_', '-')}").items()
        ]
        if self.max_not_scored is not None:
            share = number(self.max_not_scored, "--max-not-scored")
            gates.append(Gate(kind="max_not_scored", threshold=share))
        gates += self._regressions()
        if not gates and (self.junit is not None or self.inconclusive is not None):
            raise ConfigurationError("--junit and --inconclusive are for gates, but none was given")
        return gates

    def _regressions(self) -> list[Gate]:
        from trajmeter.summaries.gates import Gate

        margin = margins(self.margin)
        if (margin is None) != (self.no_regression is None):
            missing = "--margin M" if margin is None else "--no-regression BASELINE"
            given = "--no-regression" if margin is None else "--margin"
            raise ConfigurationError(f"{given} needs {missing}")
        if margin is None or self.no_regression is None:
            return []
        by_figure = margin if isinstance(margin, dict) else {None: margin}
        return [
            Gate(kind="no_regression", figure=figure, threshold=each, baseline=self.no_regression)
            for figure, each in by_figure.items()
        ]
