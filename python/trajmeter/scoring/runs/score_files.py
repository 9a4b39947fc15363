"""Scoring files of any size to a folder of parts or to one file, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.json_input import LONGEST_LINE
from trajmeter.metrics.registry import listed_names
from trajmeter.readers.pieces import MOST_ROWS
from trajmeter.records import Task
from trajmeter.remote import path_of
from trajmeter.schemas import require_pyarrow
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.sources import DEFAULT_METRICS
from trajmeter.system.processors import limited_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trajmeter.metrics import AnyMetric
    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.options import Engine
    from trajmeter.scoring.runs.run import RunResult
    from trajmeter.scoring.sources import RecordSource
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.summaries.summary import Summary

__all__ = ["score_files"]


def score_files(
    inputs: str | Path | Iterable[str | Path],
    *,
    output: str | Path | None = None,
    tasks: RecordSource[Task] = (),
    snapshots: str | Path | SnapshotStore | None = None,
    repos: str | Path | None = None,
    metrics: str | Iterable[str | AnyMetric] = DEFAULT_METRICS,
    profiles: str | Iterable[str] = (),
    input_format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    workers: int | Literal["auto"] = "auto",
    engine: Engine = "local",
    threads: int | None = None,
    batch_rows: int = MOST_ROWS,
    max_line: int = LONGEST_LINE,
    shard: tuple[int, int] | None = None,
    resume: bool = True,
    overwrite: bool = False,
    quantiles: bool = False,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> RunResult[Summary]:
    """Score files unit by unit, in memory that does not grow with them.

    Repeat the same call to resume an interrupted run: finished units are not scored again, and the
    results are those of a run that was never interrupted.

    Args:
        inputs: Files, folders and patterns, as for :func:`trajmeter.readers.read_trajectories`.
        output: A folder of parts in Parquet, or a file with the suffix ``.parquet``, ``.jsonl`` or
            ``.csv``. Without it, the rows are only scored and summarized.
        tasks: As for :func:`trajmeter.score`.
        snapshots: As for :func:`trajmeter.score`.
        repos: As for :func:`trajmeter.score`.
        metrics: As for :func:`trajmeter.score`. A run with metric objects, rather than names,
            cannot be resumed.
        profiles: As for :func:`trajmeter.score`.
        input_format: As for :func:`trajmeter.score`.
        mapping: As for :func:`trajmeter.score`.
        workers: Number of scoring processes; ``"auto"`` is one for small inputs, otherwise as many
            as cores, units and memory allow.
        engine: What runs the workers: ``"local"``, or ``"ray"``, which uses the cluster that
            ``RAY_ADDRESS`` names or to which this process is connected, otherwise this machine. All
            nodes must see inputs and output under the same paths.
        threads: Threads of each process; by default the cores divided by the workers.
        batch_rows: Rows read at a time; fewer take less memory. Results do not depend on it.
        max_line: Longest accepted line of JSON, in bytes. A longer line is reported as a problem,
            and is not held in memory.
        shard: ``(i, n)`` scores every n-th unit, counted from 1; the output is a folder, which
            several shards may share.
        resume: Whether to resume an earlier, unfinished run of the same kind.
        overwrite: Whether to replace a folder that contains the results of another run.
        quantiles: Whether the summary includes quantiles for each agent and model, in addition to
            those over all attempts.
        on_problem: As for :func:`trajmeter.score`.

    Returns:
        What was scored, with the summary.

    Raises:
        UnknownNameError: A metric, profile or format is unknown.
        ConfigurationError: Two options contradict each other; the output contains another run's
            results, is being written by another process or cannot be written; or an input changed
            while it was read.
        ReadError: Without ``on_problem``: something cannot be read.
        ExtraMissingError: pyarrow is not installed, Ray is the engine and is not installed, or a
            metric or a file needs another extra.

    Example:
        >>> import tempfile, trajmeter
        >>> from pathlib import Path
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "runs.jsonl").write_text('{"task_id": "a", "turns": []}')
        >>> run = trajmeter.score_files(
        ...     folder / "runs.jsonl", output=folder / "scores", metrics=["turns"]
        ... )
        >>> run.rows, [part.name for part in run.parts]
        (1, ['part-000000.parquet'])
    """
    require_pyarrow("scoring in parts")
    from trajmeter.scoring.runs.run import RunListener, RunOptions, run

    names = tuple(listed_names(metrics, "metrics"))
    given = (
        path_of(each) if isinstance(each, str) else each
        for each in paths_and_records(tasks, Task, name="tasks")
    )
    files = [path_of(each) for each in paths_and_records(inputs, name="inputs")]
    job = Job(
        metrics=names,
        tasks=tuple(given),
        snapshots=path_of(snapshots) if isinstance(snapshots, str) else snapshots,
        repos=None if repos is None else Path(repos),
        reading=ReadingOptions(
            input_format=input_format,
            mapping=mapping,
            profiles=tuple(listed_names(profiles, "profiles")),
            max_line=max_line,
            batch_rows=batch_rows,
        ),
        quantiles=quantiles,
    )
    with limited_threads(threads):
        return run(
            job,
            files,
            output=None if output is None else path_of(output),
            options=RunOptions(
                workers=workers, engine=engine, shard=shard, resume=resume, overwrite=overwrite
            ),
            listener=RunListener(on_problem=on_problem or _refuse),
        )


def _refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
