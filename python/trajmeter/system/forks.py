"""Locks that no forked process waits for."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["lock_for"]


class _Owner(Protocol):
    """An object that threads share."""

    _lock: Any


_OWNERS: WeakKeyDictionary[_Owner, Callable[[], Any]] = WeakKeyDictionary()


def lock_for(owner: _Owner, kind: Callable[[], Any] = Lock) -> Any:  # noqa: ANN401 - either kind
    """A lock for the attribute ``_lock`` of an object; a forked process gets another.

    A fork copies locks as they are, but not the threads that would release them.

    Args:
        owner: The object, which is equal only to itself.
        kind: ``Lock``, or ``RLock``.
    """
    _OWNERS[owner] = kind
    return kind()


def _unlock() -> None:
    for owner, kind in [*_OWNERS.items()]:
        owner._lock = kind()  # noqa: SLF001 - made for it here


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)
