"""Compatibility profiles: values where a benchmark's original differs from the default."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

from trajmeter.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Profile", "find_profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """All choices in which a family's original differs, as named values.

    A family subclasses it with a default for each choice, and lists its profiles as ``PROFILES`` in
    its ``profile.py``, the default first.
    """

    name: str | None = None
    """Name of the profile; ``None`` for the default."""


ProfileT = TypeVar("ProfileT", bound=Profile)


def find_profile(family: str, name: str | None, profiles: Sequence[ProfileT]) -> ProfileT:
    """Find a profile of a family by its name; ``None`` finds the default.

    Raises:
        UnknownNameError: The family has no profile of this name.
    """
    for profile in profiles:
        if profile.name == name:
            return profile
    known = sorted(profile.name for profile in profiles if profile.name is not None)
    if not known:
        raise UnknownNameError(f"metric {family!r} has no profiles")
    close = get_close_matches(str(name), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; profiles: {', '.join(known)}"
    raise UnknownNameError(f"metric {family!r} has no profile {name!r}{hint}")
