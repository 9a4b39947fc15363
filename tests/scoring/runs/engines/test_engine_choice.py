"""Which engine does the units, where one is missing or cannot."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import pytest

import trajmeter
from tests.scoring.attempts import score_units, write_attempts
from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.scoring.runs.engines.workers import check_shareable
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.plan import Plan

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_attempts(tmp_path / "runs.jsonl", 10)


def test_a_missing_ray_is_said_before_anything_is_read(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExtraMissingError, match=r"needs Ray: pip install 'trajmeter\[ray\]'"):
        score_units(runs, tmp_path / "scores", engine="ray")
    assert not (tmp_path / "scores").exists()


def test_an_unknown_engine_is_named(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="engine 'dask': expected local or ray"):
        trajmeter.score_files(
            runs, output=tmp_path / "scores", metrics=["turns"], engine=cast("Any", "dask")
        )


def test_what_a_judge_answers_is_kept_in_one_process() -> None:
    job = Job(("answers",), judge=cast("Any", object()))
    with pytest.raises(ConfigurationError, match="a judge needs one worker"):
        check_shareable(Plan((), {}), job)
