"""Merges the shards of a run: checks each unit, then writes the summary and manifest."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.metrics.metric_files import metric_file
from trajmeter.metrics.registry import listed_names
from trajmeter.readers.pieces import FolderNotes
from trajmeter.remote import path_of
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.converting import TRAJECTORIES, Conversion
from trajmeter.scoring.runs.differences import differences
from trajmeter.scoring.runs.folder import RunFolder
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.key import PARTS_FORMAT, file_digest
from trajmeter.scoring.runs.options import RunResult
from trajmeter.scoring.runs.plan import FORMAT, Plan, plan_from_json
from trajmeter.scoring.runs.publishing import complete_folder
from trajmeter.scoring.runs.totals import totals_of
from trajmeter.spelling import unknown_name
from trajmeter.writers.atomic import replacing
from trajmeter.writers.files import is_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.scoring.runs.plan import Unit
    from trajmeter.scoring.runs.work import OpenedWork

__all__ = ["merge"]

_SHOWN = 5


def merge(
    folders: str | Path | Iterable[str | Path],
    *,
    output: str | Path,
    verify: bool = False,
    metrics: str | Iterable[str] = (),
) -> RunResult[Any]:
    """Check that the shards of a run contain each unit once, and complete the run.

    Args:
        folders: Output folders of the shards; a single one if all shards shared it.
        output: The folder to complete: one of these, or a new one to copy the parts to.
        verify: Whether to read every part and compare it with its recorded SHA-256.
        metrics: The run's own metrics, ``file.py@name``, as they were scored, or where the same
            files are now. A folder may be anyone's, so only files named here are run.

    Returns:
        The run, with its summary.

    Raises:
        ConfigurationError: A folder does not belong to a run, or to another one; a unit is missing,
            or occurs twice with different bytes; a metric of the run's own is not in ``metrics``,
            or one of ``metrics`` is not of the run; or the output cannot be written.
        ReadError: A part or a state cannot be read.
    """
    whole = path_of(output)
    if not is_folder(whole):
        raise ConfigurationError(
            f"{output}: merged shards are a folder of parts; give the name of a folder"
        )
    places = [path_of(each) for each in paths_and_records(folders, name="folders")]
    if not places:
        raise ConfigurationError("merge needs at least one folder")
    plans = [_read(place) for place in places]
    first = plans[0]
    for place, other in zip(places, plans, strict=True):
        if other["run_key"] != first["run_key"]:
            differs = "; ".join(differences(first["settings"], other["settings"]))
            raise ConfigurationError(f"{place} belongs to another run than {places[0]} ({differs})")
    key = first["run_key"]
    sources = [RunFolder(place, key) for place in places]
    plan = plan_from_json(first["plan"])
    sources_of_units = _sources_of_units(sources, plan)
    if verify:
        _verify(sources, plan)
    opened = _opened(first, [*listed_names(metrics, "metrics")])
    for source in sources:
        source.units.check_schema(opened.part_schema())
    target = RunFolder(whole, key)
    target.check_is_no_other()
    target.make()
    with target.locked((1, 1)):
        earlier = target.read_plan()
        if earlier is not None and earlier["run_key"] != key:
            raise ConfigurationError(f"{output} contains the results of another run")
        # First, because it marks the rest of the folder as part of this run.
        target.write_plan(plan, first["settings"], first["job"])
        for number, source in enumerate(sources_of_units):
            if source.folder.resolve() != target.folder.resolve():
                _copy(source.units.state_file(number), target.units.state_file(number), target)
                _copy(source.units.part(number), target.units.part(number), target)
        return _complete(target, plan, first, opened)


def _read(place: Path) -> dict[str, Any]:
    plan = RunFolder(place, "").read_plan()
    if plan is None:
        raise ConfigurationError(f"{place} is not the folder of a run")
    formats = plan["settings"].get("formats", {})
    if (formats.get("plan"), formats.get("parts")) != (FORMAT, PARTS_FORMAT):
        raise ConfigurationError(f"{place} was written by an incompatible version of Trajmeter")
    return plan


def _sources_of_units(sources: Sequence[RunFolder], plan: Plan) -> list[RunFolder]:
    """The folder of each unit.

    Raises:
        ConfigurationError: A unit is missing, or occurs twice with different bytes.
    """
    units = []
    missing = []
    for unit in plan.units:
        holders = [each for each in sources if each.units.has_part(unit)]
        if not holders:
            missing.append(f"{unit.number} ({unit.place})")
            continue
        first, *others = holders
        for other in others:
            is_same = first.folder.resolve() == other.folder.resolve()
            if not is_same and first.units.digest(unit.number) != other.units.digest(unit.number):
                raise ConfigurationError(
                    f"unit {unit.number} ({unit.place}) is in {first.folder} and in "
                    f"{other.folder}, with different bytes"
                )
        units.append(first)
    if missing:
        more = f" and {len(missing) - _SHOWN:,} more" if len(missing) > _SHOWN else ""
        raise ConfigurationError(
            f"{len(missing):,} of {len(plan.units):,} units are missing: "
            f"{', '.join(missing[:_SHOWN])}{more}"
        )
    return units


def _verify(sources: Sequence[RunFolder], plan: Plan) -> None:
    """Compare every part with the digests recorded by its unit and by a manifest.

    Raises:
        ConfigurationError: One differs.
    """
    for source in sources:
        named = {each["unit"]: each["sha256"] for each in source.read_manifest().get("units", ())}
        for unit in filter(source.units.has_part, plan.units):
            (state,) = source.units.states((unit,))
            digest = source.units.digest(unit.number)
            if digest != state["sha256"]:
                raise _other_part(source, unit, source.units.state_file(unit.number))
            if digest != named.get(unit.number, digest):
                raise _other_part(source, unit, source.manifest)


def _other_part(source: RunFolder, unit: Unit, where: Path) -> ConfigurationError:
    return ConfigurationError(
        f"{source.units.part(unit.number)} is not the part that {where} names: its SHA-256 differs"
    )


def _copy(source: Path, target: Path, folder: RunFolder) -> None:
    with source.open("rb") as content, replacing(target, folder=folder.state) as copy:
        shutil.copyfileobj(content, copy)


def _opened(about: Mapping[str, Any], named: Sequence[str]) -> OpenedWork[Any]:
    """The work of a run, opened as far as its parts and summary require.

    Raises:
        ConfigurationError: A metric is in a Python file that is not named.
        UnknownNameError: The run does not have a named metric.
    """
    job = about["job"]
    is_conversion = about["settings"]["results"] == TRAJECTORIES
    scored = () if is_conversion else tuple(job["metrics"])
    metrics = tuple(_named(each, named, about["settings"]) for each in scored)
    for name in named:
        if name not in (*scored, *metrics):
            raise UnknownNameError(unknown_name("metric of this run", name, scored))
    if is_conversion:
        return Conversion().open(None)
    tasks = [path_of(each) for each in job["tasks"]]
    known = tasks if all(each.exists() for each in tasks) else []
    return Job(
        metrics=metrics,
        tasks=tuple(known),
        reading=ReadingOptions(profiles=tuple(job["profiles"])),
        quantiles=job["quantiles"],
    ).open(lambda _: None)


def _named(metric: str, names: Sequence[str], settings: Mapping[str, Any]) -> str:
    """A metric of the run, by the name that the user gave it.

    Raises:
        ConfigurationError: It is in a Python file that the user did not name.
        ReadError: A file that the user named cannot be read.
    """
    file = metric_file(metric)
    if file is None or metric in names:
        return metric
    recorded = [each[file] for each in settings["metrics"].values() if file in each]
    for name in names:
        other = metric_file(name)
        if other is None or name.removeprefix(other) != metric.removeprefix(file):
            continue
        if file_digest(Path(other)) in recorded:
            return name
    raise ConfigurationError(
        f"the run was scored with {metric!r}, which is only run if you name it too: --metrics "
        f"{shlex.quote(metric)}, or another path to the same file"
    )


def _complete(
    target: RunFolder, plan: Plan, about: Mapping[str, Any], opened: OpenedWork[Any]
) -> RunResult[Any]:
    """Write the summary and the manifest."""
    totals = totals_of(opened, target.units, plan.units)
    folders = [FolderNotes(path_of(each)) for each in about["job"]["folders"]]
    totals.problems += totals.end(folders)
    complete_folder(target, plan, about["settings"], opened, totals.summary)
    return RunResult(
        output=target.folder,
        rows=totals.rows,
        parts=tuple(target.units.part(unit.number) for unit in plan.units),
        resumed=len(plan.units),
        problems=totals.problems,
        failed=(),
        is_complete=True,
        summary=totals.summary,
    )
