"""Locks in processes forked while threads hold them."""

from __future__ import annotations

import multiprocessing
from threading import RLock

import pytest

from trajmeter.system.forks import lock_for

pytestmark = [
    pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # as other threads run
]


class _Shared:
    def __init__(self) -> None:
        self._lock = lock_for(self)

    def use(self) -> None:
        with self._lock:
            pass

    def fork_within(self) -> int | None:
        with self._lock:
            return _exit_code_of_child(self)


class _SharedAgain(_Shared):
    def __init__(self) -> None:
        self._lock = lock_for(self, RLock)


def _exit_code_of_child(shared: _Shared) -> int | None:
    child = multiprocessing.get_context("fork").Process(target=shared.use)
    child.start()
    child.join(60)
    return child.exitcode


@pytest.mark.parametrize("kind", [_Shared, _SharedAgain])
def test_a_forked_process_waits_for_no_thread_of_its_parent(kind: type[_Shared]) -> None:
    shared = kind()
    assert shared.fork_within() == 0
    assert _exit_code_of_child(shared) == 0
    shared.use()
