"""How fc-eval looks an agent up among the names of a merged trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.records.measurements import is_same_agent, split_key

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["resolve"]


def resolve(key: str, keys: Iterable[str]) -> str:
    """Find the name under which fc-eval looks an agent up.

    This is the name itself; else one that differs in the spelling of the model; else *the first of
    the same agent with any model*, which is how one model gets the numbers of another; else the
    name itself, which then leads to nothing.
    """
    known = list(keys)
    if key in known:
        return key
    siblings = [other for other in known if split_key(other)[0] == split_key(key)[0]]
    same = [other for other in siblings if is_same_agent(key, other)]
    return next(iter(same or siblings), key)
