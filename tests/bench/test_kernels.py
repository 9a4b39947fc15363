from __future__ import annotations

import numpy as np
import pytest

from trajmeter.bench import kernels, time_kernels
from trajmeter.bench.kernels import Workload, agree, workloads
from trajmeter.errors import InternalError
from trajmeter.kernels import GMEAN_RELATIVE_TOLERANCE


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_ROUNDS", 1)
    monkeypatch.setattr(kernels, "_ROUND_SECONDS", 0.0)


@pytest.mark.usefixtures("rust")
def test_every_kernel_is_timed_by_both_backends() -> None:
    doing: list[str] = []
    timings = time_kernels(on_progress=doing.append)
    assert [timing.name for timing in timings] == [each.kernel for each in workloads()]
    assert len({timing.name for timing in timings}) == len(timings) > 10
    assert all((timing.ratio or 0.0) > 0.0 for timing in timings)
    assert doing == ["timing kernels"]


@pytest.mark.usefixtures("rust")
def test_answers_are_compared_before_anything_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Workload("union", "spans", id)
    monkeypatch.setattr(kernels, "workloads", lambda: iter([wrong]))
    with pytest.raises(InternalError, match="union: the backends give different answers"):
        time_kernels(on_progress=lambda _: None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (3, 3, True),
        (3, 4, False),
        (1.0, 1.0 + GMEAN_RELATIVE_TOLERANCE / 2, True),
        (1.0, 1.1, False),
        ((np.array([1, 2]), np.array([np.nan])), (np.array([1, 2]), np.array([np.nan])), True),
        ((np.array([1, 2]),), (np.array([1, 3]),), False),
        ((1, 2), (1, 2, 3), False),
        (np.array([2**60]), np.array([2**60 + 1]), False),
        (np.array([1, 2]), np.array([1, 2, 3]), False),
    ],
)
def test_answers_are_equal_or_close(one: object, other: object, *, same: bool) -> None:
    assert agree(one, other) is same
