"""Inputs that change while a run reads them end it, as their rows may be torn."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.scoring.attempts import score_units, write_attempts
from trajmeter.errors import ConfigurationError
from trajmeter.scoring.runs.unit_files import UnitFiles

if TYPE_CHECKING:
    from trajmeter.scoring.runs.unit import UnitScorer

_RUN_FOLDER = Path(__file__).parents[3] / "examples" / "speedup" / "june"


def test_an_input_that_changes_meanwhile_ends_the_run(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = UnitFiles.commit

    def touching(files: UnitFiles, scorer: UnitScorer, layout: Any) -> Any:
        if scorer.unit.number == 2:
            os.utime(runs, (5, 5))
        return commit(files, scorer, layout)

    with monkeypatch.context() as patch:
        patch.setattr(UnitFiles, "commit", touching)
        with pytest.raises(
            ConfigurationError, match=r"runs\.jsonl changed while .* --overwrite once"
        ):
            score_units(runs, tmp_path / "scores")
    parts = sorted(each.name for each in (tmp_path / "scores" / "rows").iterdir())
    assert parts == ["part-000000.parquet", "part-000001.parquet"]
    write_attempts(runs, 100)
    assert score_units(runs, tmp_path / "scores", overwrite=True).rows == 100


@pytest.mark.parametrize("change", ["touch", "grow"])
def test_a_run_folder_that_changes_meanwhile_ends_the_run(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tmp_path / "job"
    shutil.copytree(_RUN_FOLDER, job)
    file = next(each for each in sorted(job.rglob("*")) if each.is_file())
    commit = UnitFiles.commit

    def touching(files: UnitFiles, scorer: UnitScorer, layout: Any) -> Any:
        made = scorer._rows_of  # noqa: SLF001 - takes what is read

        def changed(batches: Any) -> Any:
            for batch in batches:
                if change == "touch":
                    os.utime(file, (2_000_000_000, 2_000_000_000))
                else:
                    (file.parent / "more.log").write_text("a line that was written later\n")
                yield batch

        monkeypatch.setattr(scorer, "_rows_of", lambda batches: made(changed(batches)))
        return commit(files, scorer, layout)

    with monkeypatch.context() as patch:
        patch.setattr(UnitFiles, "commit", touching)
        with pytest.raises(ConfigurationError, match=r"job changed while the run read it"):
            score_units(job, tmp_path / "scores", metrics=("speedup",))
    assert not [*(tmp_path / "scores" / "rows").iterdir()]
