"""A cache of its own for every test of snapshots."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def cache_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep entries that other programs cached from standing for files that a test leaves out."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
