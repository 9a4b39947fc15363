"""Systems that are compared: the groups of results tables, and their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.records import Record
from trajmeter.summaries.attempt_keys import FILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.summaries.result_sums import ResultSums

__all__ = ["UNNAMED", "System", "system_name", "systems_of"]

UNNAMED = "unnamed"
"""Name of a system whose attempts record nothing that identifies it."""


class System(Record):
    """A system."""

    name: str
    """Its name."""
    group: int
    """Number of the group of its attempts."""


def systems_of(results: ResultSums) -> list[System]:
    """The systems, starting with those of the first table."""
    keyed = [(results.key(group), group) for group in results.groups]
    if FILE in results.by:
        order = {table: place for place, table in enumerate(results.tables)}
        keyed.sort(key=lambda each: order[each[0][FILE] or ""])
    systems = [
        System(name=system_name(key, results.by, results.tables), group=group)
        for key, group in keyed
    ]
    if len(systems) < 2:  # noqa: PLR2004 - it takes two
        raise ConfigurationError(
            f"there is only one system, {systems[0].name!r}, and nothing to compare it with"
            if systems
            else "the tables contain no attempts"
        )
    return systems


def system_name(
    key: Mapping[str, str | None], columns: Sequence[str], tables: Mapping[str, str]
) -> str:
    """Name of a system in comparisons.

    Args:
        key: Values that its attempts share.
        columns: Columns that identify a system.
        tables: Short names of all tables.
    """
    parts = [tables.get(key[FILE] or "", "")] if FILE in columns else []
    parts += [key[name] or "" for name in columns if name != FILE]
    return " / ".join(filter(None, parts)) or UNNAMED
