"""The key of a run: a digest of everything that its results depend on.

Parts of a run are reused only by runs with the same key. How a run is executed (threads, workers,
batches, shards) is not part of the key.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from trajmeter.errors import ReadError
from trajmeter.metrics.metric_files import metric_file
from trajmeter.metrics.registry import BUILT_IN, plugins
from trajmeter.remote import RemotePath
from trajmeter.scoring.runs import plan as plans

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from trajmeter.metrics import AnyMetric
    from trajmeter.records import Task
    from trajmeter.scoring.reading_options import ReadingOptions
    from trajmeter.scoring.runs.job import Job, OpenedJob
    from trajmeter.snapshots import SnapshotStore

__all__ = [
    "PARTS_FORMAT",
    "SCORES",
    "cuts_alike",
    "file_digest",
    "input_settings",
    "key_of",
    "settings_of",
]

SCORES = "scores"
"""What a scoring run produces."""

PARTS_FORMAT = 6
"""Version of parts and states: changes whenever an earlier version could not read them."""

_BLOCK = 1 << 20
_DIGITS = 16


def settings_of(opened: OpenedJob, plan: plans.Plan) -> dict[str, Any]:
    """Everything that the results of a run depend on.

    Args:
        opened: The specification with its tasks and snapshots.
        plan: The units.

    Raises:
        ReadError: A file of tasks or snapshots cannot be read.
    """
    job, layout = opened.job, opened.layout
    families = [family.metric for family in layout.families]
    return {
        "results": SCORES,
        **input_settings(job.reading, plan),
        "trajmeter": layout.package_version,
        "backend": layout.backend,
        "metrics": {metric.name: _metric(metric, job.metrics) for metric in families},
        "columns": ",".join(layout.names),  # depends on metric order and chosen groups
        "quantiles": job.quantiles,  # stored in the states, not in the rows
        "judge": _judge(job),
        "tasks": _tasks(job.tasks),
        "snapshots": _store(job.snapshots),
        "repositories": None if job.repos is None else str(job.repos),
        "commits": _commits(opened),
        "packages": _packages(job, {metric.name for metric in families}),
    }


def input_settings(reading: ReadingOptions, plan: plans.Plan) -> dict[str, Any]:
    """What all rows depend on: the inputs, and how they are read."""
    return {
        **_splitting(reading, plan.sizes),
        "inputs": {
            name: _identity(each.size, each.content) for name, each in plan.identities.items()
        },
        "pieces": _pieces(plan),
    }


def cuts_alike(
    settings: Mapping[str, Any], reading: ReadingOptions, sizes: plans.PlanSizes
) -> bool:
    """Whether a run with these settings splits unchanged files the same way."""
    own = _splitting(reading, sizes)
    return all(name in settings and settings[name] == each for name, each in own.items())


def _splitting(reading: ReadingOptions, sizes: plans.PlanSizes) -> dict[str, Any]:
    """What decides how unchanged files are split."""
    return {
        "formats": {"plan": plans.FORMAT, "parts": PARTS_FORMAT, **asdict(sizes)},
        "input format": reading.input_format,
        "longest line": reading.max_line,
        "map": dict(reading.mapping or {}),
        "profiles": sorted(reading.profiles),
    }


def key_of(settings: Mapping[str, Any]) -> str:
    """The key of a run: 16 hexadecimal digits."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _metric(metric: AnyMetric, asked: Sequence[str | AnyMetric]) -> dict[str, Any]:
    settings: dict[str, Any] = {"version": metric.version, "parameters": dict(metric.parameters)}
    if any(metric is each for each in asked):
        # An object may score in any way, so objects cannot be compared.
        settings["object"] = uuid4().hex
        return settings
    for name in asked:
        file = metric_file(name) if isinstance(name, str) else None
        if file is not None and metric.name not in BUILT_IN:
            settings[file] = file_digest(Path(file))
    point = None if metric.name in BUILT_IN else plugins().get(metric.name)
    if point is not None and point.dist is not None:
        settings["distribution"] = f"{point.dist.name} {point.dist.version}"
    return settings


def _pieces(plan: plans.Plan) -> str:
    """Values that differ between two ways to split the same inputs."""
    text = json.dumps(plan.to_json()["units"])
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _identity(size: int, content: str | None) -> str:
    return f"{size} bytes, {content}" if content is not None else uuid4().hex


def _judge(job: Job) -> dict[str, Any] | None:
    if job.judge is None:
        return None
    settings = dict(job.judge_settings or {"object": uuid4().hex})
    replay = settings.get("replay")
    return settings if replay is None else {**settings, "replay": file_digest(Path(replay))}


def _tasks(tasks: Sequence[Path | Task]) -> dict[str, str]:
    """Content of task files by name, regardless of their folder."""
    if not all(isinstance(each, Path) for each in tasks):
        return {"objects": uuid4().hex}
    digests_of: dict[str, list[str]] = {}
    for path in tasks:
        if isinstance(path, Path):
            for name, file in _files(path):
                digests_of.setdefault(name, []).append(file_digest(file))
    return {name: " ".join(sorted(digests)) for name, digests in digests_of.items()}


def _files(path: Path) -> list[tuple[str, Path]]:
    """A file with its name, or the files in a folder with their relative paths."""
    if not path.is_dir():
        return [(path.name, path)]
    files = sorted(each for each in path.rglob("*") if each.is_file())
    return [(each.relative_to(path).as_posix(), each) for each in files]


def _store(path: Path | SnapshotStore | None) -> dict[str, str]:
    """Identity of snapshots: content of a file; sizes and times of a folder's files."""
    if path is None:
        return {}
    if not isinstance(path, Path):
        return {"object": uuid4().hex}
    if not path.is_dir():
        return {str(path): file_digest(path)}
    listed = []
    for folder, _, files in sorted(os.walk(path)):
        for name in sorted(files):
            file = Path(folder, name)
            with suppress(FileNotFoundError):  # a broken link
                status = file.stat()
                listed.append((str(file.relative_to(path)), status.st_size, status.st_mtime_ns))
    text = json.dumps(listed)
    return {str(path): sha256(text.encode()).hexdigest()}


def _packages(job: Job, metrics: Collection[str]) -> dict[str, str]:
    """Versions of the optional packages that the results depend on, if they are installed.

    Without them costs and definitions are missing, so what was scored before they were installed
    is not used afterwards.
    """
    names = ["genai-prices"] if "speedup" in metrics else []
    is_prepared = isinstance(job.snapshots, Path) and not job.snapshots.is_dir()
    if job.repos is not None or (job.snapshots is not None and not is_prepared):
        from trajmeter.snapshots._languages import LANGUAGES

        names += ["tree-sitter", *dict.fromkeys(language.package for language in LANGUAGES)]
    versions = {}
    for name in names:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def _commits(opened: OpenedJob) -> str | None:
    """Commits that are read from repositories, some of which may not be present yet."""
    if opened.job.repos is None:
        return None
    from trajmeter.snapshots import RepositoryFolder

    if not isinstance(opened.store, RepositoryFolder):
        return None
    commits = opened.store.commits(opened.tasks)
    return sha256(json.dumps(commits, sort_keys=True).encode()).hexdigest()


def file_digest(file: Path) -> str:
    """SHA-256 or remote identity of a file; for a pipe, a unique value."""
    if file.exists() and not file.is_file():
        return uuid4().hex
    digest = sha256()
    try:
        if isinstance(file, RemotePath):
            return file.identity() or uuid4().hex
        with file.open("rb") as content:
            while block := content.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise ReadError(f"{file}: {error.strerror or error}") from error
    return digest.hexdigest()
