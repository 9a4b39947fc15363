"""Keys of a scenario that look misspelt.

Unknown keys are kept, for the user's own agents and metrics. One that resembles a known key gets a
warning, because the setting it was meant for silently keeps its default.
"""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.records import Hop, Question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["SPEC_KEYS", "warn_of_question_keys", "warn_of_spec_keys"]

SPEC_KEYS = frozenset(
    {
        "name",
        "version",
        "description",
        "scenario_type",
        "documents_dir",
        "questions_file",
        "config",
        "evaluation",
        "modes",
    }
)
"""Keys of ``spec.yaml`` that are read; the others are passed to agents."""
_EVALUATION = frozenset({"profile"})
_SETTINGS = frozenset(
    {
        "embedding_model",
        "llm_model",
        "chunk_size",
        "chunk_overlap",
        "top_k",
        "database_seed_file",
        "temperature",
        "system_prompt",
        "max_context_chunks",
        "max_steps",
        "max_tool_calls",
    }
)
_QUESTION = frozenset({"id", "text", "expected_answer", "expected_sources", "metadata"})
_METADATA = frozenset(Question.model_fields.keys() - _QUESTION)
_HOP = frozenset(Hop.model_fields)

_LEAST_LIKENESS = 0.8
"""0-1: that of ``topk`` and ``top_k`` is 0.89, of ``difficulty_level`` and ``difficulty`` 0.77."""


class _Misspelt(NamedTuple):
    key: str
    """The key with its place, without the number of its question."""
    meant: str
    """The known key."""


def warn_of_spec_keys(file: Path, spec: Mapping[str, Any]) -> None:
    """Warn of keys of ``spec.yaml`` that resemble known ones.

    Args:
        file: The file, for messages.
        spec: Its content; anything but a mapping, where one is expected, is ignored.
    """
    config = _mapping(spec.get("config"))
    found = [
        *_near(spec, SPEC_KEYS, ""),
        *_displaced(spec, _EVALUATION, "", "evaluation."),
        *_near(_mapping(spec.get("evaluation")), _EVALUATION, "evaluation."),
        *_near(config, _SETTINGS, "config."),
    ]
    for mode, settings in _mapping(spec.get("modes")).items():
        found += _near(_mapping(settings), _SETTINGS | config.keys(), f"modes.{mode}.")
    for misspelt in found:
        _warn(f"{file}: {misspelt.key}", misspelt.meant)


def warn_of_question_keys(file: Path, questions: Iterable[object]) -> None:
    """Warn of keys of ``questions.yaml`` that resemble known ones, once for each key.

    Args:
        file: The file, for messages.
        questions: Its questions; anything but a mapping is ignored.
    """
    places: dict[_Misspelt, list[int]] = {}
    for number, raw in enumerate(questions):
        for misspelt in dict.fromkeys(_in_question(_mapping(raw))):
            places.setdefault(misspelt, []).append(number)
    for misspelt, (first, *others) in places.items():
        more = f" (and in {len(others):,} more)" if others else ""
        _warn(f"{file}: questions[{first}].{misspelt.key}{more}", misspelt.meant)


def _in_question(question: Mapping[str, Any]) -> Iterator[_Misspelt]:
    metadata = _mapping(question.get("metadata"))
    yield from _near(question, _QUESTION, "")
    yield from _displaced(question, _METADATA, "", "metadata.")
    yield from _near(metadata, _METADATA, "metadata.")
    hops = metadata.get("required_hops")
    for number, hop in enumerate(hops if isinstance(hops, list) else ()):
        yield from _near(_mapping(hop), _HOP, f"metadata.required_hops[{number}].")


def _near(mapping: Mapping[str, Any], known: Collection[str], place: str) -> Iterator[_Misspelt]:
    """Unknown keys that resemble a known one, unless that is there too."""
    for key in mapping:
        if key not in known:
            meant = _nearest(key, frozenset(known))
            if meant is not None and meant not in mapping:
                yield _Misspelt(f"{place}{key}", meant)


def _displaced(
    mapping: Mapping[str, Any], known: Collection[str], place: str, theirs: str
) -> Iterator[_Misspelt]:
    """Keys that belong elsewhere."""
    for key in mapping:
        if key in known:
            yield _Misspelt(f"{place}{key}", f"{theirs}{key}")


@cache
def _nearest(key: str, known: frozenset[str]) -> str | None:
    plain = key.strip().lower().replace("-", "_").replace(" ", "_")
    close = get_close_matches(plain, sorted(known), n=1, cutoff=_LEAST_LIKENESS)
    return close[0] if close else None


def _mapping(value: object) -> dict[str, Any]:
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def _warn(place: str, meant: str) -> None:
    warnings.warn(f"{place} is not a known key; did you mean {meant}?", stacklevel=4)
