"""``trajmeter judge``: judge answers and code in result files that are not judged yet."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._fields import PlainFormat
from trajmeter.cli._input_options import OriginalProfile
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._judge_options import (
    JUDGE_PANEL,
    JudgeBaseUrl,
    JudgeRecord,
    JudgeReplay,
    JudgeRequestsPerMinute,
    JudgeTimeoutSeconds,
    make_judge,
)
from trajmeter.cli._process import ExitCode, print_message
from trajmeter.cli._terminal import stdout_console

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.frameworks.judging import JudgedFile, Unjudged
    from trajmeter.judges import Judge
    from trajmeter.records import JudgeRecord as JudgingRecord
    from trajmeter.records import ReadProblem

__all__ = ["judge", "judge_and_report", "report_unjudged"]

_SHOWN_CHARACTERS = 160
"""Maximum length of an error in a progress line; the result file has the full text."""


def judge(
    results: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            dir_okay=False,
            metavar="RESULTS",
            show_default=False,
            help="Result files of `trajmeter run`, which are updated. An average represents its "
            "runs.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="MODEL",
            show_default=False,
            help="Model that judges answers (default: gpt-5-mini).",
            rich_help_panel=JUDGE_PANEL,
        ),
    ] = None,
    judge_base_url: JudgeBaseUrl = None,
    judge_requests_per_minute: JudgeRequestsPerMinute = None,
    judge_timeout_seconds: JudgeTimeoutSeconds = None,
    judge_record: JudgeRecord = None,
    judge_replay: JudgeReplay = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Judge answers and code that have not been judged, without asking the agents again.

    Use it after `trajmeter run --skip-judge`, or after a run whose judge failed. An average in the
    folder of its runs' files is updated too.

    **Example**

        trajmeter judge results/*.json --judge gpt-5-mini
    """
    from trajmeter.frameworks.compare import is_original

    asked = make_judge(
        model,
        base_url=judge_base_url,
        requests_per_minute=judge_requests_per_minute,
        timeout_seconds=judge_timeout_seconds,
        record=judge_record,
        replay=judge_replay,
    )
    unreadable = Unreadable()
    judged = judge_and_report(
        without_repeats(results),
        asked,
        original=is_original(profile),
        on_problem=unreadable.report,
    )
    unreadable.report_total()
    _print(judged, output_format)
    code = report_unjudged([(each.file, each.unjudged) for each in judged])
    return ExitCode.UNREADABLE_INPUT if unreadable.count else code


def judge_and_report(
    files: Sequence[Path],
    asked: Judge,
    *,
    original: bool,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> list[JudgedFile]:
    """Judge result files, and show each judgement as it happens."""
    import asyncio

    from trajmeter.frameworks.judging import judge_files

    def show(file: Path, name: str, record: JudgingRecord | None) -> None:
        cause = record.cause if record is not None else None
        message = (record.message or "")[:_SHOWN_CHARACTERS] if record is not None else ""
        outcome = "judged" if cause is None else f"not judged: {cause.value}: {message}"
        print_message(f"{file.name}: {name} {outcome}")

    return asyncio.run(
        judge_files(files, asked, original=original, progress=show, on_problem=on_problem)
    )


def report_unjudged(files: Sequence[tuple[Path, Unjudged]]) -> ExitCode:
    """Explain how to judge what is not scored yet; returns the exit code."""
    unjudged = [(file, count) for file, count in files if count.total]
    if not unjudged:
        return ExitCode.OK
    answers = sum(count.answers for _, count in unjudged)
    reviews = sum(count.reviews for _, count in unjudged)
    counts = [f"answers not judged: {answers:,}"] if answers else []
    counts += [f"code reviews that failed: {reviews:,}"] if reviews else []
    names = shlex.join(str(file) for file, _ in unjudged)
    print_message(f"trajmeter: {'; '.join(counts)}; to judge them: trajmeter judge {names}")
    return ExitCode.UNJUDGED


def _print(judged: Sequence[JudgedFile], output_format: PlainFormat) -> None:
    import json

    from trajmeter.reports.tables import Table
    from trajmeter.reports.terminal import print_table

    if output_format is PlainFormat.JSON:
        rows = [
            {"file": str(each.file), "judged": each.judged, "unjudged": each.unjudged.total}
            for each in judged
        ]
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return
    table = Table(
        "",
        ("file", "judged", "not judged"),
        tuple((str(each.file), f"{each.judged:,}", f"{each.unjudged.total:,}") for each in judged),
    )
    print_table(table.visible(), stdout_console())
