"""However a run is divided and carried out, it gives the bytes and the summary of one pass."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow.dataset
from pyarrow import parquet

import trajmeter
from tests.scoring.attempts import contents, score_units
from tests.summaries.test_batches import ATTEMPTS, TASKS
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.runs.plan import PlanSizes
from trajmeter.system.processors import limited_threads

if TYPE_CHECKING:
    from trajmeter.records import Trajectory

_FAMILIES = ["turns", "rules", "speedup", "context", "tools", "answers"]
_PROFILES = {"turns": "ptcrunner", "rules": "transform-gym", "context": "contextbench"}


def write_runs(folder: Path, attempts: list[Trajectory], group: int) -> Path:
    """A file of JSON lines, or, where there are row groups of some size, of Parquet."""
    if not group:
        file = folder / "runs.jsonl"
        file.write_text("".join(f"{each.model_dump_json()}\n" for each in attempts))
        return file
    file = folder / "runs.parquet"
    table = pyarrow.Table.from_batches([trajectory_batch(attempts)])
    parquet.write_table(table, file, row_group_size=group)
    return file


@settings(max_examples=6, deadline=None)
@given(
    attempts=ATTEMPTS.filter(bool),
    group=st.integers(0, 4),
    families=st.lists(st.sampled_from(_FAMILIES), min_size=1, max_size=3, unique=True),
    has_profiles=st.booleans(),
    sizes=st.builds(PlanSizes, st.integers(1, 900), st.integers(1, 9), st.integers(1, 3)),
    data=st.data(),
)
def test_any_way_to_carry_out_a_run_gives_the_same_bytes(
    attempts: list[Trajectory],
    group: int,
    families: list[str],
    has_profiles: bool,
    sizes: PlanSizes,
    data: st.DataObject,
) -> None:
    metrics = tuple(families)
    profiles = tuple(_PROFILES[name] for name in families if has_profiles and name in _PROFILES)
    with TemporaryDirectory() as place:
        folder = Path(place)
        file = write_runs(folder, attempts, group)
        one, other = folder / "one", folder / "other"
        done = score_units(
            file, one, metrics=metrics, profiles=profiles, sizes=sizes, tasks=TASKS, resume=False
        )
        # Tasks that are objects make each run another one, so that only the rows can be compared.
        direct = trajmeter.score(file, metrics=metrics, profiles=profiles, tasks=TASKS)
        assert done.summary.model_dump_json() == direct.summary.model_dump_json()
        direct.write(folder / "direct.parquet")
        table = pyarrow.dataset.dataset(one / "rows").to_table()
        assert table.equals(parquet.read_table(folder / "direct.parquet"))

        tasks = folder / "tasks.jsonl"
        tasks.write_text("".join(f"{each.model_dump_json()}\n" for each in TASKS))
        whole = folder / "whole"
        score_units(file, whole, metrics=metrics, profiles=profiles, sizes=sizes, tasks=(tasks,))
        count = data.draw(st.integers(1, 4), label="shards")
        for number in data.draw(st.permutations(range(1, count + 1)), label="order"):
            # Only new processes take another number of threads: kernels here have begun before.
            threads = data.draw(st.sampled_from([None, None, None, 1, 3]), label="threads")
            with limited_threads(threads):
                score_units(
                    file,
                    other,
                    metrics=metrics,
                    profiles=profiles,
                    sizes=sizes,
                    tasks=(tasks,),
                    shard=(number, count),
                    batch_rows=data.draw(st.integers(1, 50), label="rows at a time"),
                    workers=1 if threads is None else 2,
                )
        assert contents(other) == contents(whole)
