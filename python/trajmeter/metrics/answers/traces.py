"""Tool traces: which tools and agents an answer's metadata says took part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

__all__ = ["ToolTrace", "names", "tool_trace"]

_KEYS = ("tool_trace", "tools_used", "tool_calls")


class ToolTrace(NamedTuple):
    """What an answer tells of the tools and agents behind it; names trimmed and in lower case."""

    tools: frozenset[str]
    """Tools that were called."""
    agents: frozenset[str]
    """Agents that took part: those listed, else the domains of the trace."""
    reported: bool
    """Whether there is a trace at all."""
    calls: int
    """Calls, as counted by the answer, else the length of the trace."""


def tool_trace(metadata: Mapping[str, Any], *, original: bool = False) -> ToolTrace:
    """Read the tool trace out of an answer's metadata.

    The trace is the first list of ``tool_trace``, ``tools_used`` and ``tool_calls`` that is not
    empty. An entry is a tool's name, or an object with ``tool`` (else ``name``) and ``domain``.

    Args:
        metadata: The answer's metadata.
        original: Count distinct tools where the answer gives no number of calls, as the
            ``framework-comparison`` profile does.

    Returns:
        Tools, agents, and whether and how many calls were reported.

    Example:
        >>> trace = tool_trace({"tool_trace": [{"tool": "SQL", "domain": "ops"}, "lookup"]})
        >>> sorted(trace.tools), sorted(trace.agents), trace.calls
        (['lookup', 'sql'], ['ops'], 2)
    """
    entries = _entries(metadata, _KEYS)
    tools = names(_tool(entry) for entry in entries)
    domains = names(entry.get("domain") for entry in entries if isinstance(entry, Mapping))
    return ToolTrace(
        tools=tools,
        agents=names(_items(metadata.get("agents_used"))) or domains,
        reported=bool(entries),
        calls=_calls(metadata, len(tools) if original else len(entries)),
    )


def objects_only_trace(metadata: Mapping[str, Any]) -> ToolTrace:
    """Read a trace as the ``framework-comparison`` profile does for coordination questions.

    Only objects count, ``tool_calls`` is no trace, and domains come from ``tool_trace`` alone.
    """
    entries = [entry for entry in _entries(metadata, _KEYS[:2]) if isinstance(entry, Mapping)]
    tools = names(_tool(entry) for entry in entries)
    traced = [entry for entry in _items(metadata.get("tool_trace")) if isinstance(entry, Mapping)]
    return ToolTrace(
        tools=tools,
        agents=names(_items(metadata.get("agents_used")))
        or names(entry.get("domain") for entry in traced),
        reported=bool(entries),
        calls=_calls(metadata, len(tools)),
    )


def names(values: Iterable[object]) -> frozenset[str]:
    """Names trimmed and in lower case; what is blank or no text is left out."""
    folded = (value.strip().lower() for value in values if isinstance(value, str))
    return frozenset(name for name in folded if name)


def _entries(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    return next((items for key in keys if (items := _items(metadata.get(key)))), [])


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _tool(entry: object) -> object:
    if isinstance(entry, Mapping):
        return entry.get("tool") or entry.get("name")
    return entry


def _calls(metadata: Mapping[str, Any], otherwise: int) -> int:
    count = metadata.get("tool_calls")
    return count if isinstance(count, int) and not isinstance(count, bool) else otherwise
