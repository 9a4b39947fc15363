"""Files of attempts to score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scoring.attempts import write_attempts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """200 attempts, and 3 lines that cannot be read."""
    return write_attempts(tmp_path / "runs.jsonl", broken=3)
