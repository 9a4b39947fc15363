"""Output files that cannot be written after all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_full_disk_is_an_error_that_names_the_file(run: Run, folder: Path, suffix: str) -> None:
    (folder / f"out{suffix}").symlink_to("/dev/full")
    code, out, err = run("score", "preds.jsonl", "-m", "metrics.py@length", "-o", f"out{suffix}")
    message = f"out{suffix}: cannot be written: No space left on device"
    assert (code, out, err) == (2, "", f"trajmeter: error: {message}\n")
