"""Finds keys of a scenario that look misspelt.

Unknown keys are kept, for the user's own agents and metrics. A key that resembles a known one
causes a warning, because the setting it was meant for silently keeps its default.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from trajmeter.records import Hop, Question
from trajmeter.spelling import Misspelt, displaced, misspelt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
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


def warn_of_spec_keys(file: Path, spec: Mapping[str, Any]) -> None:
    """Warn about keys of ``spec.yaml`` that resemble known ones.

    Args:
        file: The file, for messages.
        spec: Its content; anything other than an expected mapping is ignored.
    """
    config = _mapping(spec.get("config"))
    found = [
        *misspelt(spec, SPEC_KEYS, ""),
        *displaced(spec, _EVALUATION, "", "evaluation."),
        *misspelt(_mapping(spec.get("evaluation")), _EVALUATION, "evaluation."),
        *misspelt(config, _SETTINGS, "config."),
    ]
    for mode, settings in _mapping(spec.get("modes")).items():
        found += misspelt(_mapping(settings), _SETTINGS | config.keys(), f"modes.{mode}.")
    for each in found:
        _warn(f"{file}: {each}")


def warn_of_question_keys(file: Path, questions: Iterable[object]) -> None:
    """Warn about keys of ``questions.yaml`` that resemble known ones, once per key.

    Args:
        file: The file, for messages.
        questions: Its questions; anything other than a mapping is ignored.
    """
    places: dict[Misspelt, list[int]] = {}
    for number, raw in enumerate(questions):
        for each in dict.fromkeys(_in_question(_mapping(raw))):
            places.setdefault(each, []).append(number)
    for each, (first, *others) in places.items():
        more = f" (and in {len(others):,} more)" if others else ""
        found = Misspelt(f"questions[{first}].{each.key}{more}", each.meant)
        _warn(f"{file}: {found}")


def _in_question(question: Mapping[str, Any]) -> Iterator[Misspelt]:
    metadata = _mapping(question.get("metadata"))
    yield from misspelt(question, _QUESTION, "")
    yield from displaced(question, _METADATA, "", "metadata.")
    yield from misspelt(metadata, _METADATA, "metadata.")
    hops = metadata.get("required_hops")
    for number, hop in enumerate(hops if isinstance(hops, list) else ()):
        yield from misspelt(_mapping(hop), _HOP, f"metadata.required_hops[{number}].")


def _mapping(value: object) -> dict[str, Any]:
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=4)
