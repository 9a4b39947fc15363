"""Scenarios: a folder with ``spec.yaml``, ``questions.yaml`` and documents.

A wrong scenario is a configuration error: it names the file and the field, and nothing runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.readers._misspelt import SPEC_KEYS, warn_of_question_keys, warn_of_spec_keys
from trajmeter.records import Hop, Question, Scenario

__all__ = ["read_question", "read_scenario"]


def read_scenario(folder: str | Path, *, mode: str = "baseline") -> Scenario:
    """Read a scenario and lay a mode's settings over its configuration.

    Args:
        folder: Folder that holds ``spec.yaml``.
        mode: Mode of the scenario to run, such as ``baseline`` or ``capability``. A scenario
            without modes has only its configuration, which then counts as ``baseline``.

    Returns:
        The scenario, its questions in order.

    Raises:
        ConfigurationError: A file is absent, is no YAML, or holds a wrong field; the message names
            file and field.

    Warns:
        UserWarning: A key is not known and near to one that is; it is kept as it stands.
    """
    root = Path(folder).resolve()
    spec_file = root / "spec.yaml"
    spec = _mapping(_load(spec_file), f"{spec_file}: the file")
    at = f"{spec_file}: "
    warn_of_spec_keys(spec_file, spec)
    modes = {
        str(name): _mapping(settings, f"{at}modes.{name}")
        for name, settings in _mapping(spec.get("modes"), f"{at}modes").items()
    }
    if mode not in (modes or {"baseline"}):
        known = ", ".join(sorted(modes)) or "baseline"
        raise ConfigurationError(f"{at}modes: no mode {mode!r}; there are: {known}")
    evaluation = _mapping(spec.get("evaluation"), f"{at}evaluation")
    name = _text(spec, "name", at)
    if not name:
        raise ConfigurationError(f"{at}name: expected text, got nothing")
    documents = _inside(root, _text(spec, "documents_dir", at) or "documents", at)
    has_documents = bool(spec.get("documents_dir")) or documents.is_dir()
    questions_file = _inside(root, _text(spec, "questions_file", at) or "questions.yaml", at)
    return Scenario(
        name=name,
        version=_text(spec, "version", at),
        description=_text(spec, "description", at),
        scenario_type=_text(spec, "scenario_type", at),
        profile=_text(evaluation, "profile", f"{at}evaluation.") or "default",
        mode=mode,
        folder=str(root),
        documents_dir=str(documents) if has_documents else None,
        settings=_mapping(spec.get("config"), f"{at}config") | modes.get(mode, {}),
        modes=modes,
        questions=_read_questions(questions_file),
        extra={key: value for key, value in spec.items() if key not in SPEC_KEYS},
    )


def read_question(raw: object, *, at: str) -> Question:
    """Read one question.

    Args:
        raw: The question as loaded from YAML.
        at: Where it stands, to begin messages with.

    Returns:
        The question.

    Raises:
        ConfigurationError: A field is absent or of the wrong kind.
    """
    question = _mapping(raw, at)
    if not question:
        raise ConfigurationError(f"{at}: expected a question with id and text, got {raw!r}")
    where = f"{at}."
    question_id, text = _text(question, "id", where), _text(question, "text", where)
    for field, value in (("id", question_id), ("text", text)):
        if not value:
            raise ConfigurationError(f"{where}{field}: expected text, got nothing")
    metadata = _mapping(question.get("metadata"), f"{where}metadata")
    inner = f"{where}metadata."
    hops = _sequence(metadata, "required_hops", inner)
    return Question(
        id=question_id,
        text=text,
        expected_answer=_text(question, "expected_answer", where),
        expected_sources=_texts(question, "expected_sources", where),
        required_hops=tuple(
            _hop(hop, f"{inner}required_hops[{i}]", str(i)) for i, hop in enumerate(hops)
        ),
        required_tools=_texts(metadata, "required_tools", inner),
        required_agents=_texts(metadata, "required_agents", inner),
        multi_hop=_flag(metadata, "multi_hop", inner),
        branching=_flag(metadata, "branching", inner),
        branching_points=_count(metadata, "branching_points", inner),
        coordination_points=_count(metadata, "coordination_points", inner),
        difficulty=_text(metadata, "difficulty", inner) or None,
        metadata=metadata,
    )


def _read_questions(file: Path) -> tuple[Question, ...]:
    document = _mapping(_load(file), f"{file}: the file")
    given = _sequence(document, "questions", f"{file}: ")
    warn_of_question_keys(file, given)
    questions = tuple(
        read_question(raw, at=f"{file}: questions[{i}]") for i, raw in enumerate(given)
    )
    if not questions:
        raise ConfigurationError(f"{file}: questions: expected at least one question, got none")
    seen: dict[str, int] = {}
    for i, question in enumerate(questions):
        if (first := seen.setdefault(question.id, i)) != i:
            raise ConfigurationError(
                f"{file}: questions[{i}].id: {question.id!r} is the id of questions[{first}] too; "
                "ids join answers across frameworks and must be unique"
            )
    return questions


def _hop(raw: object, at: str, position: str) -> Hop:
    hop = _mapping(raw, at)
    if not hop:
        raise ConfigurationError(f"{at}: expected a hop with id, any_of and source, got {raw!r}")
    aliases = _sequence(hop, "any_of", f"{at}.")
    for i, alias in enumerate(aliases):
        if not isinstance(alias, str) or not alias.strip():
            raise ConfigurationError(f"{at}.any_of[{i}]: expected text, got {alias!r}")
    return Hop(
        id=_text(hop, "id", f"{at}.") or position,
        any_of=tuple(aliases),
        source=_text(hop, "source", f"{at}.") or None,
    )


def _load(file: Path) -> object:
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "scenarios are YAML files; install trajmeter[harness] to read them"
        ) from error
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigurationError(f"{file}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{file}: not valid YAML: {error}") from error


def _inside(root: Path, name: str, at: str) -> Path:
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise ConfigurationError(f"{at}{name!r} leads outside the scenario's folder {root}")
    return path


def _mapping(value: object, at: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{at}: expected a mapping, got {value!r}")
    return {str(key): item for key, item in value.items()}


def _sequence(mapping: Mapping[str, Any], key: str, at: str) -> list[Any]:
    value = mapping.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ConfigurationError(f"{at}{key}: expected a list, got {value!r}")
    return value


def _texts(mapping: Mapping[str, Any], key: str, at: str) -> tuple[str, ...]:
    values = _sequence(mapping, key, at)
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise ConfigurationError(f"{at}{key}[{i}]: expected text, got {value!r}")
    return tuple(values)


def _text(mapping: Mapping[str, Any], key: str, at: str) -> str:
    value = mapping.get(key)
    if value is None:
        return ""
    if isinstance(value, (bool, list, Mapping)):
        raise ConfigurationError(f"{at}{key}: expected text, got {value!r}")
    return str(value)


def _flag(mapping: Mapping[str, Any], key: str, at: str) -> bool:
    value = mapping.get(key)
    if value not in (None, 0, 1):  # true and false are 1 and 0; text such as "false" is neither
        raise ConfigurationError(f"{at}{key}: expected true or false, got {value!r}")
    return bool(value)


def _count(mapping: Mapping[str, Any], key: str, at: str) -> int:
    value = mapping.get(key)
    if value is None:
        return 0
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        count = None
    if count is None or isinstance(value, bool) or (isinstance(value, float) and count != value):
        raise ConfigurationError(f"{at}{key}: expected a whole number, got {value!r}")
    return count
