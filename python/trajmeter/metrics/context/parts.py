"""Parts of the context metrics; only requested ones are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.metrics.context.profile import ContextProfile

__all__ = ["ALL_PARTS", "Parts", "parts_of"]

_EDITS = {"edit_location", "contextbench_editloc"}


class Parts(NamedTuple):
    """Which parts of a result to compute."""

    final: bool
    """The final context."""
    trajectory: bool
    """The steps of the trajectory."""
    edits: bool
    """Both edit locations."""
    views: bool
    """Counts of views."""
    leaks: bool
    """Counts of leaks."""

    def need_views(self, profile: ContextProfile) -> bool:
        """Whether any part needs the views of attempts."""
        return self.trajectory or self.need_final_views(profile)

    def need_final_views(self, profile: ContextProfile) -> bool:
        """Whether any part needs final contexts, which can also void an entire attempt."""
        return self.final or self.views or profile.voids_whole_attempt

    def columns(self, profile: ContextProfile) -> frozenset[str]:
        """Columns of trajectories that the parts depend on."""
        columns = {
            "turns.views": self.need_views(profile),
            "final_views": self.need_final_views(profile),
            "final_patch": self.edits,
            "leaks": self.leaks,
        }
        return frozenset(name for name, is_needed in columns.items() if is_needed)


ALL_PARTS = Parts(final=True, trajectory=True, edits=True, views=True, leaks=True)
"""Every part."""


def parts_of(groups: Iterable[str]) -> Parts:
    """Return the parts that the given groups of a result belong to.

    Args:
        groups: Dotted names of groups.
    """
    names = {group.partition(".")[0] for group in groups}
    return Parts(
        final="final" in names,
        trajectory="trajectory" in names,
        edits=not names.isdisjoint(_EDITS),
        views="views" in names,
        leaks="leaks" in names,
    )
