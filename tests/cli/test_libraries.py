from __future__ import annotations

import os

import pytest

from trajmeter.cli._libraries import prepare_libraries


@pytest.mark.parametrize("chosen", [None, "3"])
def test_importing_numpy_leaves_the_threads_of_other_programs_alone(
    chosen: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.delenv(name, raising=False)
    if chosen is not None:
        monkeypatch.setenv(name, chosen)
    prepare_libraries()
    assert os.environ.get(name) == chosen
