"""``trajmeter run``: ask agents the questions of a scenario, and score their answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._agents import printing_to_stderr, run_with_agents
from trajmeter.cli._frameworks import load_frameworks
from trajmeter.cli._judging import (
    PANEL,
    BaseUrl,
    Recording,
    Replayed,
    RequestsPerMinute,
    make_judge,
)
from trajmeter.cli._messages import Messages
from trajmeter.cli._options import OriginalProfile, PlainFormat
from trajmeter.cli._progress_line import progress_line
from trajmeter.cli._stdout import stdout_console
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.frameworks.compare import is_original
from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.harness import (
    AskingOptions,
    EvaluationOptions,
    Framework,
    RunOptions,
    evaluate,
)
from trajmeter.frameworks.report import print_comparison
from trajmeter.frameworks.results import NamedResult
from trajmeter.frameworks.scenario import read_scenario
from trajmeter.judges import DEFAULT_MODEL
from trajmeter.metrics.answers import scenario_profile
from trajmeter.writers import json_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.frameworks.harness import Progress
    from trajmeter.frameworks.scenario import Scenario
    from trajmeter.judges import Judge

__all__ = ["run"]

_CODE = "Code quality"


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
            help="Agent to ask, as MODULE:OBJECT or NAME=MODULE:OBJECT, in a module of this folder "
            "or an installed one: a class, an object with query, or a function. May be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder of the result files; it is made."
        ),
    ] = Path("results"),
    runs: Annotated[int, typer.Option(min=1, metavar="N", help="Runs to average.")] = 1,
    query_timeout_seconds: Annotated[
        float, typer.Option(min=0.001, metavar="S", help="Deadline of each question.")
    ] = 120.0,
    concurrency: Annotated[
        int,
        typer.Option(
            min=1, metavar="K", help="Questions under way at once; more than 1 disturbs latencies."
        ),
    ] = 1,
    mode: Annotated[
        str,
        typer.Option(metavar="MODE", help="Mode of the scenario, such as baseline or capability."),
    ] = "baseline",
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            show_default=False,
            help=f"Model that judges answers and code; {DEFAULT_MODEL} by default.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    judge_base_url: BaseUrl = None,
    judge_requests_per_minute: RequestsPerMinute = None,
    judge_record: Recording = None,
    judge_replay: Replayed = None,
    skip_judge: Annotated[
        bool, typer.Option("--skip-judge", help="Judge no answer.", rich_help_panel=PANEL)
    ] = False,
    skip_code_review: Annotated[
        bool,
        typer.Option(
            "--skip-code-review", help="Have no code reviewed by the judge.", rich_help_panel=PANEL
        ),
    ] = False,
    skip_code_quality: Annotated[
        bool,
        typer.Option(
            "--skip-code-quality", help="Measure and review no code.", rich_help_panel=_CODE
        ),
    ] = False,
    packages: Annotated[
        list[str] | None,
        typer.Option(
            "--package",
            metavar="PACKAGE",
            show_default=False,
            rich_help_panel=_CODE,
            help="Top-level package that counts as the frameworks'. May be repeated.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the scenario as it is read, and ask nothing.")
    ] = False,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="What to print.")
    ] = PlainFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Ask agents the questions of a scenario, score and judge their answers, and write results.

    A question that times out or fails scores 0 and the run goes on. After Ctrl-C the same call
    resumes where it was.

    **Examples**

        trajmeter run scenario/ -a agents:Graph -a plain=agents:answer --runs 3
        trajmeter run scenario/ -a agents:Graph --judge-replay judge.jsonl
    """
    original = is_original(profile)
    read = read_scenario(scenario, mode=mode)
    if dry_run:
        _check_profile(read)
        sys.stdout.write(json_document(read) + "\n")
        return ExitCode.OK
    wants_review = not (skip_code_review or skip_code_quality)
    judge_options = (judge, judge_base_url, judge_requests_per_minute, judge_record, judge_replay)
    if skip_judge and not wants_review and any(option is not None for option in judge_options):
        other = "--skip-code-review" if skip_code_review else "--skip-code-quality"
        raise ConfigurationError(
            f"options of a judge have no effect with --skip-judge and {other}: nothing is judged"
        )
    messages = Messages()
    with printing_to_stderr():
        # Before the judge is made, whose key an agent's module may put into the environment.
        frameworks = load_frameworks(agents or ())
        # After agents are loaded, whose modules may register one, and before anything is asked.
        _check_profile(read)
        judging: Judge | None = None
        if not skip_judge or wants_review:
            judging = make_judge(
                judge or DEFAULT_MODEL,
                base_url=judge_base_url,
                requests_per_minute=judge_requests_per_minute,
                record=judge_record,
                replay=judge_replay,
            )
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
            results = run_with_agents(_evaluate_all(read, frameworks, options, output, messages))
        except KeyboardInterrupt:
            messages.tell("finished questions are kept; the same call resumes the run")
            raise
    if not results:
        raise ConfigurationError("no agent could be run")
    _print(results, output_format, original=original)
    return ExitCode.OK if len(results) == len(frameworks) else ExitCode.USAGE


def _check_profile(scenario: Scenario) -> None:
    try:
        scenario_profile(scenario.profile)
    except UnknownNameError as error:
        place = Path(scenario.folder, "spec.yaml")
        raise UnknownNameError(f"{place}: evaluation.profile: {error}") from error


async def _evaluate_all(
    scenario: Scenario,
    frameworks: Sequence[Framework],
    options: EvaluationOptions,
    folder: Path,
    messages: Messages,
) -> list[NamedResult]:
    results = []
    for framework in frameworks:

        def tell(progress: Progress, name: str = framework.name) -> None:
            messages.tell(
                f"{name}: "
                + progress_line(progress, runs=options.runs, questions=len(scenario.questions))
            )

        try:
            file, evaluation = await evaluate(
                scenario, framework, options=options, folder=folder, progress=tell
            )
        except ConfigurationError as error:
            messages.tell(f"error: {error}")
            continue
        messages.tell(f"{framework.name}: wrote {folder / file.name}")
        results.append(NamedResult(file.name, evaluation))
    return results


def _print(results: Sequence[NamedResult], form: PlainFormat, *, original: bool) -> None:
    comparison = build_comparison(results, original=original)
    if form is PlainFormat.JSON:
        sys.stdout.write(json_document(comparison) + "\n")
        return
    print_comparison(comparison, stdout_console())
