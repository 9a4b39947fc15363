"""Runs the scripts of ``docs/large-data.md`` that score with other engines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
import pyarrow.dataset
from pyarrow import parquet

import trajmeter
from tests.scoring.attempts import write_attempts
from trajmeter.readers.batches import TrajectoryBatches

_PAGE = Path(__file__).parents[1] / "docs" / "large-data.md"
_SCRIPT = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SCRIPTS = dict(_SCRIPT.findall(_PAGE.read_text()))
_PACKAGES = {
    "score_with_ray_data.py": "ray",
    "score_with_spark.py": "pyspark",
    "score_with_daft.py": "daft",
    "score_with_polars.py": "polars",
}
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "DO_NOT_TRACK": "1", "DAFT_ANALYTICS_ENABLED": "0"}


def test_every_script_of_the_page_is_run() -> None:
    assert _SCRIPTS.keys() == _PACKAGES.keys()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", _PACKAGES)
def test_a_script_gives_the_rows_of_score_batches(name: str, tmp_path: Path) -> None:
    if find_spec(_PACKAGES[name]) is None:
        pytest.skip(f"{_PACKAGES[name]} is not installed")
    if name == "score_with_spark.py" and shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    attempts = [*TrajectoryBatches(write_attempts(tmp_path / "runs.jsonl", 1_000))]
    source = tmp_path / "runs.parquet"
    parquet.write_table(pa.Table.from_batches(attempts), source, row_group_size=150)
    script = tmp_path / name
    script.write_text(_SCRIPTS[name])
    target = tmp_path / "scored"
    paths = [str(Path(trajmeter.__file__ or "").parents[1]), *sys.path]
    done = subprocess.run(
        [sys.executable, str(script), str(source), str(target)],
        env={
            **os.environ,
            **_QUIET,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = pyarrow.dataset.dataset(target, format="parquet").to_table()
    expected = pa.Table.from_batches(trajmeter.score_batches(attempts, metrics=["turns"]))
    assert found.column_names == expected.column_names
    assert _rows(found) == _rows(expected)


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    """Rows in the order of the attempts, whose numbers are unique; mappings as pairs."""
    rows = [{name: _pairs(value) for name, value in row.items()} for row in table.to_pylist()]
    return sorted(rows, key=lambda row: int(row["attempt"]))


def _pairs(value: Any) -> Any:
    if isinstance(value, list):
        return [tuple(each.values()) if isinstance(each, dict) else each for each in value]
    return value
