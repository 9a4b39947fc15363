"""``trajmeter run``: ask agents the questions of a scenario, and score their answers."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._agent_runs import evaluate_all, run_without_waiting
from trajmeter.cli._fields import PlainFormat
from trajmeter.cli._input_options import OriginalProfile
from trajmeter.cli._judge_options import (
    JUDGE_PANEL,
    JudgeBaseUrl,
    JudgeRecord,
    JudgeReplay,
    JudgeRequestsPerMinute,
    JudgeTimeoutSeconds,
    make_judge,
)
from trajmeter.cli._paths import local
from trajmeter.cli._process import ExitCode, print_message, redirecting_stdout
from trajmeter.cli._terminal import stdout_console
from trajmeter.cli.judge import judge_and_report, report_unjudged
from trajmeter.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.frameworks.harness import Framework
    from trajmeter.frameworks.result_files import NamedResult
    from trajmeter.frameworks.scenario import Scenario

__all__ = ["run"]

_CODE_PANEL = "Code quality options"


def run(
    scenario: Annotated[
        Path,
        typer.Argument(
            exists=True,
            file_okay=False,
            metavar="SCENARIO",
            show_default=False,
            help="Folder with spec.yaml, questions.yaml and documents.",
        ),
    ],
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            metavar="AGENT",
            show_default=False,
            help="Agent to run, as MODULE:OBJECT or NAME=MODULE:OBJECT: a class, an object with a "
            "query method, or a function. The module is in this folder or installed. May be "
            "repeated.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            file_okay=False,
            callback=local,
            metavar="DIR",
            help="Output folder; created if missing.",
        ),
    ] = Path("results"),
    runs: Annotated[int, typer.Option(min=1, metavar="N", help="Number of runs to average.")] = 1,
    query_timeout_seconds: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Time limit for each question.")
    ] = 120.0,
    concurrency: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Questions to run concurrently; above 1, latencies are less reliable.",
        ),
    ] = 1,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            show_default=False,
            help="Scenario mode, such as capability (default: baseline, or the only mode).",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            show_default=False,
            help="Model that judges answers and code (default: gpt-5-mini).",
            rich_help_panel=JUDGE_PANEL,
        ),
    ] = None,
    judge_base_url: JudgeBaseUrl = None,
    judge_requests_per_minute: JudgeRequestsPerMinute = None,
    judge_timeout_seconds: JudgeTimeoutSeconds = None,
    judge_record: JudgeRecord = None,
    judge_replay: JudgeReplay = None,
    skip_judge: Annotated[
        bool,
        typer.Option(
            "--skip-judge",
            help="Skip judging answers. The judge still reviews code without --skip-code-review.",
            rich_help_panel=JUDGE_PANEL,
        ),
    ] = False,
    skip_code_review: Annotated[
        bool,
        typer.Option(
            "--skip-code-review", help="Skip the judge's code review.", rich_help_panel=JUDGE_PANEL
        ),
    ] = False,
    skip_code_quality: Annotated[
        bool,
        typer.Option(
            "--skip-code-quality",
            help="Skip code measurement and review.",
            rich_help_panel=_CODE_PANEL,
        ),
    ] = False,
    packages: Annotated[
        list[str] | None,
        typer.Option(
            "--package",
            metavar="PACKAGE",
            show_default=False,
            rich_help_panel=_CODE_PANEL,
            help="Top-level package that belongs to the frameworks. May be repeated.",
        ),
    ] = None,
    rejudge: Annotated[
        bool,
        typer.Option(
            "--rejudge",
            help="Judge unjudged answers of the latest results instead of asking the agents.",
            rich_help_panel=JUDGE_PANEL,
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the parsed scenario and exit.")
    ] = False,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Run agents on a scenario, score and judge their answers, and write result files.

    A question that times out or fails scores 0, and the run continues. After Ctrl-C, run the same
    command again to resume.

    **Examples**

        trajmeter run scenario/ -a agents:Graph -a plain=agents:answer --runs 3
        trajmeter run scenario/ -a agents:Graph --judge-replay judge.jsonl
    """
    from trajmeter.frameworks.compare import is_original
    from trajmeter.frameworks.harness import AskingOptions, EvaluationOptions, RunOptions
    from trajmeter.frameworks.judging import unjudged_count
    from trajmeter.frameworks.result_files import NamedResult
    from trajmeter.frameworks.scenario import read_scenario
    from trajmeter.writers import json_document

    original = is_original(profile)
    read = read_scenario(scenario, mode=mode)
    if dry_run:
        _check_profile(read)
        sys.stdout.write(json_document(read) + "\n")
        return ExitCode.OK
    if rejudge and skip_judge:
        raise ConfigurationError("--rejudge and --skip-judge cannot be used together")
    wants_review = not rejudge and not (skip_code_review or skip_code_quality)
    judge_options = (
        *(judge, judge_base_url, judge_requests_per_minute, judge_timeout_seconds),
        *(judge_record, judge_replay),
    )
    if skip_judge and not wants_review and any(option is not None for option in judge_options):
        other = "--skip-code-review" if skip_code_review else "--skip-code-quality"
        raise ConfigurationError(f"judge options have no effect with --skip-judge and {other}")
    with redirecting_stdout():
        # Before the judge is created, because an agent's module may set its key in the environment.
        frameworks = _load_frameworks(agents or ())
        # After agents are loaded, because their modules may register one, and before any run.
        _check_profile(read)
        judging = None
        if not skip_judge or wants_review:
            judging = make_judge(
                judge,
                base_url=judge_base_url,
                requests_per_minute=judge_requests_per_minute,
                timeout_seconds=judge_timeout_seconds,
                record=judge_record,
                replay=judge_replay,
            )
        if rejudge and judging is not None:
            files = [_latest(framework, read, output) for framework in frameworks]
            judged = judge_and_report(files, judging, original=original)
            results = [NamedResult(each.file.name, each.evaluation) for each in judged]
        else:
            options = EvaluationOptions(
                RunOptions(
                    AskingOptions(
                        profile=read.profile,
                        timeout_seconds=query_timeout_seconds,
                        judge=None if skip_judge else judging,
                        original=original,
                    ),
                    concurrency=concurrency,
                ),
                runs=runs,
                reviewer=judging if wants_review else None,
                code_quality=not skip_code_quality,
                packages=tuple(packages or ()),
            )
            try:
                results = run_without_waiting(evaluate_all(read, frameworks, options, output))
            except KeyboardInterrupt:
                print_message(
                    "trajmeter: finished questions are kept; run the same command again to resume"
                )
                raise
    if not results:
        raise ConfigurationError("no agent could be run")
    _print(results, output_format, original=original)
    unjudged = [(output / name, unjudged_count(evaluation)) for name, evaluation in results]
    complete = ExitCode.OK if len(results) == len(frameworks) else ExitCode.USAGE
    return ExitCode.first_of(complete, report_unjudged(unjudged))


def _latest(framework: Framework, scenario: Scenario, folder: Path) -> Path:
    """The latest result file of a framework: its only run, or the average of several.

    Raises:
        ConfigurationError: The folder has none.
    """
    from trajmeter.frameworks.result_files import evaluation_stem

    stem = evaluation_stem(framework.name, scenario.name)
    stamped = re.compile(rf"{re.escape(stem)}_\d{{8}}_\d{{6}}\.json")
    found = [file for file in folder.glob("*.json") if stamped.fullmatch(file.name)]
    if not found:
        raise ConfigurationError(
            f"{folder}: no results of {framework.name} to judge; run without --rejudge"
        )
    return max(found)


def _load_frameworks(references: Sequence[str]) -> list[Framework]:
    """Load the agents, each with its own name.

    Args:
        references: Each ``MODULE:OBJECT`` or ``NAME=MODULE:OBJECT``.

    Raises:
        ConfigurationError: None are named, one cannot be loaded, or two would share the name of
            their result files.
    """
    from trajmeter.frameworks.harness import load_agent
    from trajmeter.frameworks.result_files import evaluation_stem

    if not references:
        raise ConfigurationError("name at least one agent with --agent MODULE:OBJECT")
    frameworks: list[Framework] = []
    for reference in references:
        chosen, separator, target = reference.partition("=")
        framework = load_agent(target if separator else reference)
        name = chosen if separator else framework.name
        if not name.strip():
            raise ConfigurationError(f"agent {reference!r}: expected a name before the '='")
        stem = evaluation_stem(name, "")
        if any(evaluation_stem(other.name, "") == stem for other in frameworks):
            raise ConfigurationError(
                f"two agents are called {name!r}, or would share the name of their result files; "
                f"name one with --agent NAME={target or reference}"
            )
        frameworks.append(replace(framework, name=name))
    return frameworks


def _check_profile(scenario: Scenario) -> None:
    from trajmeter.metrics.answers import scenario_profile

    try:
        scenario_profile(scenario.profile)
    except UnknownNameError as error:
        place = Path(scenario.folder, "spec.yaml")
        raise UnknownNameError(f"{place}: evaluation.profile: {error}") from error


def _print(
    results: Sequence[NamedResult],
    output_format: PlainFormat,
    *,
    original: bool,
) -> None:
    from trajmeter.frameworks.comparison import build_comparison
    from trajmeter.frameworks.report import print_comparison
    from trajmeter.writers import json_document

    comparison = build_comparison(results, original=original)
    if output_format is PlainFormat.JSON:
        sys.stdout.write(json_document(comparison) + "\n")
        return
    print_comparison(comparison, stdout_console())
