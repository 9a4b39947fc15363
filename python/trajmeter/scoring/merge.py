"""Putting the shards of a run together: each unit once, then the summary and the manifest."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError
from trajmeter.metrics import RowLayout, TaskIndex, create
from trajmeter.readers.pieces import FolderNotes, FolderTally
from trajmeter.scoring.files import tasks_from
from trajmeter.scoring.parts import RunFolder
from trajmeter.scoring.plan import FORMAT, Plan, plan_from_json
from trajmeter.scoring.publishing import manifest_of
from trajmeter.scoring.run import RunResult
from trajmeter.scoring.run_key import PARTS_FORMAT, differences
from trajmeter.scoring.stream import StreamScorer
from trajmeter.writers.files import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.metrics import AnyMetric

__all__ = ["merge"]

_SHOWN = 5


def merge(
    folders: str | Path | Iterable[str | Path], *, output: str | Path, verify: bool = False
) -> RunResult:
    """Check that the shards of a run hold each unit once, and complete it.

    Args:
        folders: Folders that shards were scored to; one that all shared is enough.
        output: The folder to complete: one of these, or a new one, to which parts are copied.
        verify: Whether to compare parts that are there twice, and those of a complete folder with
            its manifest, byte by byte.

    Returns:
        The run, with its summary.

    Raises:
        ConfigurationError: A folder is none of a run, or of another one; a unit is missing, or is
            there twice with different bytes; or the output cannot be written.
        ReadError: A part or a state cannot be read.
    """
    places = [Path(each) for each in paths_and_records(folders, name="folders")]
    if not places:
        raise ConfigurationError("merge needs at least one folder")
    plans = [_read(place) for place in places]
    first = plans[0]
    for place, other in zip(places, plans, strict=True):
        if other["run_key"] != first["run_key"]:
            differs = "; ".join(differences(first["settings"], other["settings"]))
            raise ConfigurationError(f"{place} is of another run than {places[0]} ({differs})")
    key = first["run_key"]
    sources = [RunFolder(place, key) for place in places]
    plan = plan_from_json(first["plan"])
    found = _units(sources, plan)
    if verify:
        _verify(sources)
    metrics = create(first["job"]["metrics"], profiles=first["job"]["profiles"])
    for source in sources:
        source.check_layout(RowLayout(metrics))
    target = RunFolder(Path(output), key)
    target.check_is_no_other()
    target.make()
    with target.locked((1, 1)):
        earlier = target.read_plan()
        if earlier is not None and earlier["run_key"] != key:
            raise ConfigurationError(f"{output} holds the results of another run")
        for number, source in enumerate(found):
            if source.folder.resolve() != target.folder.resolve():
                _copy(source.state_file(number), target.state_file(number), target)
                _copy(source.part(number), target.part(number), target)
        target.write_plan(plan, first["settings"], first["job"])
        return _complete(target, plan, first, metrics)


def _read(place: Path) -> dict[str, Any]:
    found = RunFolder(place, "").read_plan()
    if found is None:
        raise ConfigurationError(f"{place} is not the folder of a run")
    formats = found["settings"].get("formats", {})
    if (formats.get("plan"), formats.get("parts")) != (FORMAT, PARTS_FORMAT):
        raise ConfigurationError(f"{place} was made by a version of Trajmeter that differs in form")
    return found


def _units(sources: Sequence[RunFolder], plan: Plan) -> list[RunFolder]:
    """The folder that holds each unit.

    Raises:
        ConfigurationError: A unit is missing, or there twice with different bytes.
    """
    found = []
    missing = []
    for unit in plan.units:
        holders = [each for each in sources if each.has_part(unit)]
        if not holders:
            missing.append(f"{unit.number} ({unit.place})")
            continue
        first, *others = holders
        for other in others:
            is_same = first.folder.resolve() == other.folder.resolve()
            if not is_same and first.digest(unit.number) != other.digest(unit.number):
                raise ConfigurationError(
                    f"unit {unit.number} ({unit.place}) is in {first.folder} and in "
                    f"{other.folder}, with different bytes"
                )
        found.append(first)
    if missing:
        more = f" and {len(missing) - _SHOWN:,} more" if len(missing) > _SHOWN else ""
        raise ConfigurationError(
            f"{len(missing):,} of {len(plan.units):,} units are missing: "
            f"{', '.join(missing[:_SHOWN])}{more}"
        )
    return found


def _verify(sources: Sequence[RunFolder]) -> None:
    """Compare parts with the manifest of their folder, where it has one."""
    for source in sources:
        for unit in source.read_manifest().get("units", ()):
            number = unit["unit"]
            if source.part(number).exists() and source.digest(number) != unit["sha256"]:
                raise ConfigurationError(
                    f"{source.part(number)} is not the part that the manifest names: its SHA-256 "
                    "differs"
                )


def _copy(source: Path, target: Path, folder: RunFolder) -> None:
    with source.open("rb") as content, replacing(target, folder=folder.state) as copy:
        shutil.copyfileobj(content, copy)


def _complete(
    target: RunFolder, plan: Plan, about: Mapping[str, Any], metrics: Sequence[AnyMetric]
) -> RunResult:
    """Write summary and manifest."""
    layout = RowLayout(metrics)
    tasks = [Path(each) for each in about["job"]["tasks"]]
    known = tasks if all(each.exists() for each in tasks) else []
    index = TaskIndex(tasks_from(known, on_problem=lambda _: None))
    scorer = StreamScorer(metrics, tasks=index)
    rows = problems = 0
    folders = [FolderNotes(Path(each)) for each in about["job"]["folders"]]
    for state in target.states(plan.units):
        rows += state["rows"]
        problems += state["problem_count"]
        scorer.merge(state["totals"])
        for number, *tally in state["folders"]:
            folders[number].merge(FolderTally(*tally))
    problems += sum(len([*notes.end()]) for notes in folders)
    summary = scorer.summary()
    target.write_summary(summary)
    target.write_manifest(manifest_of(target, plan, about["settings"], layout))
    target.remove_abandoned()
    return RunResult(
        output=target.folder,
        rows=rows,
        parts=tuple(target.part(unit.number) for unit in plan.units),
        resumed=len(plan.units),
        problems=problems,
        failed=(),
        is_complete=True,
        summary=summary,
    )
