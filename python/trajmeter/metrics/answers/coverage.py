"""How much of a question's sources, hops, tools and agents an answer covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.metrics.answers.profile import DEFAULT
from trajmeter.records.openai_calls import plain_call

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trajmeter.metrics.answers.profile import AnswersProfile
    from trajmeter.records import Hop

__all__ = [
    "HopCoverage",
    "Retrieval",
    "ToolTrace",
    "folded",
    "hop_coverage",
    "names",
    "objects_only_trace",
    "retrieval",
    "tool_trace",
]


class Retrieval(NamedTuple):
    """Precision and recall of an answer's sources, each 0-1, or ``None`` if it abstains."""

    precision: float | None
    """Relevant retrieved sources / retrieved sources."""
    recall: float | None
    """Relevant retrieved sources / expected sources."""


def retrieval(
    retrieved: Sequence[str], expected: Sequence[str], *, profile: AnswersProfile = DEFAULT
) -> Retrieval:
    """Precision and recall of the sources an answer names.

    Names are compared exactly. Sources are sets: naming one twice changes nothing. If nothing is
    expected, both abstain; if nothing was retrieved, both are 0.

    Args:
        retrieved: Sources the answer names.
        expected: Sources that hold the answer.
        profile: Whether repeated sources count separately, and whether a question that expects
            nothing abstains; otherwise its recall is 1.

    Returns:
        Both figures.

    Example:
        >>> retrieval(["a.md", "b.md", "b.md"], ["a.md", "c.md"])
        Retrieval(precision=0.5, recall=0.5)
        >>> retrieval([], ["a.md"])
        Retrieval(precision=0.0, recall=0.0)
        >>> retrieval(["a.md"], [])
        Retrieval(precision=None, recall=None)
    """
    if profile.abstains and not expected:
        return Retrieval(None, None)
    if not profile.counts_copies:
        retrieved, expected = list(dict.fromkeys(retrieved)), list(dict.fromkeys(expected))
    found, wanted = set(retrieved), set(expected)
    relevant = sum(source in wanted for source in retrieved)
    recalled = sum(source in found for source in expected)
    return Retrieval(
        relevant / len(retrieved) if retrieved else 0.0,
        recalled / len(expected) if expected else 1.0,
    )


class HopCoverage(NamedTuple):
    """Hops of one question, counted."""

    required: int
    """Hops the question requires."""
    matched: int
    """Hops of which the answer contains an alias."""
    grounded: int
    """Matched hops whose source is among those the answer names."""

    @property
    def coverage(self) -> float | None:
        """Matched / required, 0-1; ``None`` if nothing is required."""
        return self.matched / self.required if self.required else None

    @property
    def grounded_coverage(self) -> float | None:
        """Grounded / required, 0-1; ``None`` if nothing is required."""
        return self.grounded / self.required if self.required else None


def hop_coverage(hops: Sequence[Hop], *, answer: str, sources: Collection[str]) -> HopCoverage:
    """Count the hops that an answer contains.

    A hop is matched if any of its aliases is a substring of the answer, both in lower case with
    white space collapsed; word boundaries do not matter. It is grounded if it is matched and the
    answer names its source.

    Args:
        hops: Hops the question requires.
        answer: The answer's text.
        sources: Sources the answer names.

    Returns:
        The three counts.

    Example:
        >>> from trajmeter.records import Hop
        >>> berth = Hop(id="berth", any_of=("berth 12",), source="berths.md")
        >>> pilot = Hop(id="pilot", any_of=("Inga Holm",), source="pilots.md")
        >>> hop_coverage([berth, pilot], answer="Berth  12, Inga Holm", sources=["pilots.md"])
        HopCoverage(required=2, matched=2, grounded=1)
    """
    text = folded(answer)
    matched = [hop for hop in hops if any(folded(alias) in text for alias in hop.any_of)]
    return HopCoverage(len(hops), len(matched), sum(hop.source in sources for hop in matched))


def folded(text: str) -> str:
    """Text in lower case, with white space collapsed."""
    return " ".join(text.lower().split())


_KEYS = ("tool_trace", "tools_used", "tool_calls")


class ToolTrace(NamedTuple):
    """The tools and agents that an answer reports, with names trimmed and in lower case."""

    tools: frozenset[str]
    """Tools that were called."""
    agents: frozenset[str]
    """Agents that took part: those listed, otherwise the domains of the trace."""
    reported: bool
    """Whether there is a trace."""
    calls: int
    """Number of calls: as reported by the answer, otherwise the length of the trace."""


def tool_trace(metadata: Mapping[str, Any], *, profile: AnswersProfile = DEFAULT) -> ToolTrace:
    """Extract the tool trace from an answer's metadata.

    The trace is the first non-empty list of ``tool_trace``, ``tools_used`` and ``tool_calls``. An
    entry is a tool's name, or an object with ``tool`` (else ``name``) and ``domain``, or a call in
    the shape of OpenAI's messages.

    Args:
        metadata: The answer's metadata.
        profile: Which value is the trace, what names a tool, what counts as a number of calls, and
            what is counted without one: the entries of the trace, or distinct tools.

    Returns:
        Tools, agents, and whether and how many calls were reported.

    Example:
        >>> trace = tool_trace({"tool_trace": [{"tool": "SQL", "domain": "ops"}, "lookup"]})
        >>> sorted(trace.tools), sorted(trace.agents), trace.calls
        (['lookup', 'sql'], ['ops'], 2)
    """
    if profile.first_value_is_trace:
        entries = _items(next((found for key in _KEYS if (found := metadata.get(key))), None))
    else:
        entries = _entries(metadata, _KEYS)
    if not profile.reads_only_plain_calls:
        entries = [plain_call(entry) for entry in entries]
    tools = names(_tool(entry, as_text=profile.any_value_names_a_tool) for entry in entries)
    domains = names(entry.get("domain") for entry in entries if isinstance(entry, Mapping))
    return ToolTrace(
        tools=tools,
        agents=names(_items(metadata.get("agents_used"))) or domains,
        reported=bool(tools if profile.trace_names_tools else entries),
        calls=_calls(
            metadata,
            len(tools) if profile.counts_distinct_tools else len(entries),
            true_is_one=profile.true_is_one_call,
        ),
    )


def objects_only_trace(
    metadata: Mapping[str, Any], *, profile: AnswersProfile = DEFAULT
) -> ToolTrace:
    """Extract a trace that contains only objects.

    ``tool_calls`` is not a trace here, and domains come from ``tool_trace`` alone.
    """
    entries = [entry for entry in _entries(metadata, _KEYS[:2]) if isinstance(entry, Mapping)]
    tools = names(_tool(entry) for entry in entries)
    traced = [entry for entry in _items(metadata.get("tool_trace")) if isinstance(entry, Mapping)]
    return ToolTrace(
        tools=tools,
        agents=names(_items(metadata.get("agents_used")))
        or names(entry.get("domain") for entry in traced),
        reported=bool(entries),
        calls=_calls(metadata, len(tools), true_is_one=profile.true_is_one_call),
    )


def names(values: Iterable[object]) -> frozenset[str]:
    """Names trimmed and in lower case; blank names and other values are skipped."""
    folded = (value.strip().lower() for value in values if isinstance(value, str))
    return frozenset(name for name in folded if name)


def _entries(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    return next((items for key in keys if (items := _items(metadata.get(key)))), [])


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _tool(entry: object, *, as_text: bool = False) -> object:
    if isinstance(entry, Mapping):
        tool = entry.get("tool") or entry.get("name")
        return str(tool) if tool and as_text else tool
    return entry


def _calls(metadata: Mapping[str, Any], otherwise: int, *, true_is_one: bool) -> int:
    count = metadata.get("tool_calls")
    if isinstance(count, bool) and not true_is_one:
        return otherwise
    return int(count) if isinstance(count, int) else otherwise
