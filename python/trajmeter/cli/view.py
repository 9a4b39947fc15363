"""``trajmeter view``: read one trajectory."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._input_options import ColumnMap, InputFormat, LogFile, TaskFiles, column_map
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._libraries import prepare_libraries
from trajmeter.cli._pager import print_lines
from trajmeter.cli._process import ExitCode, print_message, tolerating_closed_stdout
from trajmeter.cli._progress import records_tracked
from trajmeter.cli._snapshots import (
    CacheFolder,
    NoCache,
    RepositoryFolders,
    cache_choice,
    check_store_options,
)
from trajmeter.cli._terminal import stdout_console
from trajmeter.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.records import Task, Trajectory
    from trajmeter.reports.trajectory import Search, Section, Surroundings

__all__ = ["view"]

_LISTED = 500
"""Number of trajectories to list if none is named."""


def view(
    file: LogFile,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            show_default=False,
            help="Task id of the trajectory, or #N for the N-th (default: the only one; if there "
            "are several, list them).",
        ),
    ] = None,
    tasks: TaskFiles = None,
    repos: RepositoryFolders = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            show_default=False,
            help="Write one .html page that opens offline; its folder is created if missing.",
        ),
    ] = None,
    grep: Annotated[
        str | None,
        typer.Option(
            "--grep",
            "-g",
            metavar="REGEX",
            show_default=False,
            help="Show only matching turns, with the lines around each match; without an ID, list "
            "matching trajectories. Case-sensitive if the pattern has a capital letter.",
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show everything, without folding.")] = False,
    no_pager: Annotated[
        bool, typer.Option("--no-pager", help="Print to the terminal, not to $PAGER.")
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "-p",
            metavar="PROFILE",
            show_default=False,
            help="contextbench: compute views, definitions and coverage like ContextBench.",
        ),
    ] = None,
    input_format: InputFormat = None,
    mapping: ColumnMap = None,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
) -> ExitCode:
    """Show one trajectory: turns, calls with their results, views, errors, tokens and cost.

    With --tasks, show how much of the gold context has been seen; with --repos, the viewed lines,
    from the task's commit (without --tasks: HEAD, or a folder's files on disk).

    **Examples**

        trajmeter view run.traj.json
        trajmeter view preds.jsonl django__django-11099 --tasks gold.jsonl --repos repositories/
        trajmeter view logs/ '#3' --grep 'Traceback|assert' --html run.html
    """
    check_store_options(None, repos, cache, no_cache=no_cache)
    prepare_libraries()
    from trajmeter.readers import read_tasks, read_trajectories
    from trajmeter.reports.trajectory import Search, html_page, sections

    if profile is not None:
        from trajmeter.metrics.context.profile import PROFILES
        from trajmeter.metrics.profile import find_profile

        find_profile("context", profile, PROFILES)
    if html is not None:
        from trajmeter.writers import check_is_no_input, check_place

        if html.suffix.lower() not in {".html", ".htm"}:
            raise ConfigurationError(f"{html}: expected a file that ends in .html")
        check_place(html)
        check_is_no_input(html, [file, *(tasks or ())])
    columns = column_map(mapping)
    search = None if grep is None else Search(grep)
    unreadable = Unreadable()
    found = read_trajectories(
        file,
        input_format=input_format,
        mapping=columns,
        profiles=() if profile is None else (profile,),
        on_problem=unreadable.report,
    )
    with records_tracked(found, [file]) as tracked:
        chosen, rows = _chosen(tracked, name, search)
    unreadable.report_total()
    code = ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK
    if chosen is None:
        if name is not None and not rows:
            raise _unknown(file, name)
        if search is not None and not rows:
            _report_no_match(file, search)
            return code
        _list(rows, html)
        return code
    known = [*read_tasks(without_repeats(tasks or ()), on_problem=unreadable.report)]
    if columns:
        known += read_tasks(file, mapping=columns, on_problem=unreadable.report)
    choice = cache_choice(cache, no_cache=no_cache)
    parts = sections(chosen, _surroundings(chosen, known, repos, profile, cache=choice))
    if search is not None:
        parts = _matching(parts, search, file)
    if html is not None:
        from trajmeter.writers import write_text

        write_text("".join(html_page(chosen.task_id, parts, search=search, full=full)), html)
        print_message(f"trajmeter: wrote {html}")
    else:
        _print(parts, search, full=full, pages=not no_pager)
    return code


def _report_no_match(file: Path, search: Search) -> None:
    print_message(f"trajmeter: {file}: nothing matches {search.pattern!r}")


def _matching(parts: Iterable[Section], search: Search, file: Path) -> Iterator[Section]:
    matching = [*search.sections(parts)]
    if not matching:
        _report_no_match(file, search)
    return iter(matching)


def _unknown(file: Path, name: str) -> UnknownNameError:
    number = f"; a number is written as '#{name}'" if name.lstrip("0").isdecimal() else ""
    return UnknownNameError(
        f"{file}: no trajectory {name!r}; without an id, all are listed{number}"
    )


def _chosen(
    trajectories: Iterable[Trajectory], name: str | None, search: Search | None
) -> tuple[Trajectory | None, list[tuple[str, ...]]]:
    """The trajectory to show, if exactly one matches, and rows of all that match.

    Without a name, those with search hits match. A number ends the reading.
    """
    from trajmeter.reports.trajectory import Surroundings, sections

    chosen = first = None
    rows: list[tuple[str, ...]] = []
    number = 0
    for number, trajectory in enumerate(trajectories, 1):
        if number == 1:
            first = trajectory
        if name is not None:
            is_meant = name in (trajectory.task_id, f"#{number}")
        else:
            is_meant = search is None or any(search.sections(sections(trajectory, Surroundings())))
        if is_meant:
            if not rows:
                chosen = trajectory
            rows.append(_row(number, trajectory))
        if name == f"#{number}":
            return trajectory, rows
    if number == 1 and name is None:
        return first, rows
    return (chosen if len(rows) == 1 else None), rows


def _row(number: int, trajectory: Trajectory) -> tuple[str, ...]:
    from trajmeter.reports.cells import NOTHING, amount, visible
    from trajmeter.reports.trajectory import tokens_of

    turns = trajectory.turn_count if trajectory.turns is None else len(trajectory.turns)
    named = (trajectory.task_id, trajectory.agent, trajectory.model, trajectory.attempt)
    return (
        f"#{number}",
        *(NOTHING if each is None else visible(each) for each in named),
        amount(turns),
        ", ".join(tokens_of(trajectory.usage)) or NOTHING,
    )


def _list(rows: Sequence[tuple[str, ...]], html: Path | None) -> None:
    """List trajectories, one of which must be named.

    Raises:
        ConfigurationError: A page was requested, which shows one.
    """
    from trajmeter.reports.tables import Table
    from trajmeter.reports.terminal import print_table

    if not rows:
        print_message("trajmeter: no trajectories")
        return
    header = ("", "task", "agent", "model", "attempt", "turns", "tokens and cost")
    table = Table("", header, tuple(rows[:_LISTED]), texts=(0, 1, 2, 3, 4, 6))
    with tolerating_closed_stdout():
        print_table(table, stdout_console())
    more = f", of which the first {_LISTED:,} are listed" if len(rows) > _LISTED else ""
    print_message(
        f"trajmeter: {len(rows):,} trajectories{more}; show one by its task id, "
        "or by its number, such as '#1'"
    )
    if html is not None:
        raise ConfigurationError(f"{html} was not written, as a page shows one trajectory")


def _surroundings(
    trajectory: Trajectory,
    tasks: Sequence[Task],
    repos: Path | None,
    profile: str | None,
    *,
    cache: Path | bool,
) -> Surroundings:
    """References for the trajectory; prints a message about missing ones."""
    from trajmeter.reports.trajectory import Surroundings

    if not tasks and repos is None:  # avoids importing the metrics
        return Surroundings()
    from trajmeter.metrics import TaskIndex
    from trajmeter.metrics.context import ContextTracker, prepare
    from trajmeter.snapshots import open_files, open_repositories, open_snapshots

    task = TaskIndex(tasks).find(trajectory.task_id)
    if tasks and task is None:
        print_message(f"trajmeter: no task {trajectory.task_id!r} among {len(tasks):,}")
    files = None
    snapshot = None
    if repos is not None:
        store = open_repositories(repos, cache=cache, profile=profile)
        places = store.places
        if not places:  # a folder without git
            files = open_files(repos)
            snapshot = None if task is None else open_snapshots(repos).find(task)
        elif task is not None:
            snapshot = store.find(task)
            files = store.contents(task)
        elif len(places) == 1:
            files = open_files(places[0])
        else:
            print_message(
                f"trajmeter: {len(places):,} repositories in {repos}: name one, or the task"
            )
        for text in store.missing():
            print_message(f"trajmeter: {text}")
    tracker = None
    if task is not None and task.gold_ranges is not None:
        tracker = ContextTracker(prepare(task, snapshot, profile=profile))
    return Surroundings(
        task=task,
        tracker=tracker,
        files=() if files is None else files.paths,
        content=None if files is None else files.read,
    )


def _print(parts: Iterable[Section], search: Search | None, *, full: bool, pages: bool) -> None:
    """Print to stdout; on a terminal, through the user's pager."""
    from trajmeter.reports.trajectory import terminal_lines

    is_plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    styled = sys.stdout.isatty() and not is_plain
    lines = terminal_lines(parts, search=search, full=full, styled=styled)
    with tolerating_closed_stdout():
        print_lines(lines, pages=pages)
