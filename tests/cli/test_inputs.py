from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.cli._inputs import without_repeats

if TYPE_CHECKING:
    import pytest


def test_paths_in_a_folder_that_is_given_too_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, deeper, other = Path("runs"), Path("runs/old"), Path("runs-2")
    for each in (deeper, other):
        each.mkdir(parents=True)
        (each / "a.jsonl").touch()
    given = [folder, other / "a.jsonl", deeper / "a.jsonl", deeper]
    assert without_repeats(given) == given
    effect = "which is read too; the same attempts may count twice"
    assert capsys.readouterr().err.splitlines() == [
        f"trajmeter: {deeper / 'a.jsonl'} (and 1 more): also in {folder}, {effect}",
        f"trajmeter: {deeper / 'a.jsonl'}: also in {deeper}, {effect}",
    ]
    assert without_repeats([other, deeper]) == [other, deeper]
    assert capsys.readouterr().err == ""
