"""Output files that cannot be written after all."""

from __future__ import annotations

import re
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
    assert (code, out) == (2, "")
    message = f"out{suffix}: cannot be written: No space left on device"
    told = r" \(the file needs at least [\d,]+ bytes, and [\d,]+ are free\)\n"
    assert re.fullmatch(f"trajmeter: error: {re.escape(message)}{told}", err)
