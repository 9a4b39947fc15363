"""Scenarios: a folder with ``spec.yaml``, ``questions.yaml`` and documents.

An invalid scenario is a configuration error that names the file and field; nothing runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.scenario_keys import (
    SPEC_KEYS,
    warn_of_question_keys,
    warn_of_spec_keys,
)
from trajmeter.frameworks.yaml_input import read_yaml
from trajmeter.readers.questions import Fields, read_question
from trajmeter.records import Question, Record

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Scenario", "read_scenario"]

_BASELINE = "baseline"


class Scenario(Record):
    """Questions about documents, with the configuration that all frameworks share."""

    name: str
    """Name, also part of the names of result files."""
    version: str = ""
    """Version as written."""
    description: str = ""
    """What the scenario is about."""
    scenario_type: str = ""
    """Kind of scenario, such as ``rag_qa``."""
    profile: str = "default"
    """Scenario profile: the set of extra metrics."""
    mode: str = _BASELINE
    """The mode whose settings override the configuration."""
    folder: str
    """The scenario's own folder, absolute; files named in its settings are inside it."""
    documents_dir: str | None
    """Folder of the documents, absolute; ``None`` for a scenario without documents."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """``config``, overridden by the mode's settings; passed to the agent unchanged."""
    modes: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings of every mode, as written."""
    questions: tuple[Question, ...]
    """Questions in order."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Unknown keys of the file."""


def read_scenario(folder: str | Path, *, mode: str | None = None) -> Scenario:
    """Read a scenario; a mode's settings override its configuration.

    Args:
        folder: Folder that contains ``spec.yaml``.
        mode: Mode of the scenario to run, such as ``baseline`` or ``capability``; by default
            ``baseline``, or the only mode there is. A scenario without modes has only its
            configuration, which then counts as ``baseline``.

    Returns:
        The scenario, its questions in order.

    Raises:
        ConfigurationError: A file is absent or not YAML, or a field is wrong; the message names
            file and field.

    Warns:
        UserWarning: An unknown key resembles a known one; it is kept as it is.
    """
    root = Path(folder).resolve()
    spec_file = root / "spec.yaml"
    spec = _load(spec_file)
    warn_of_spec_keys(spec_file, spec.raw)
    named = spec.fields("modes")
    modes = {name: named.fields(name).raw for name in named.raw}
    mode = _mode(mode, modes or {_BASELINE: {}}, spec.place("modes"))
    evaluation = spec.fields("evaluation")
    name = spec.required_text("name")
    documents = _inside(root, spec.text("documents_dir") or "documents", spec_file)
    has_documents = bool(spec.raw.get("documents_dir")) or documents.is_dir()
    questions_file = _inside(root, spec.text("questions_file") or "questions.yaml", spec_file)
    return Scenario(
        name=name,
        version=spec.text("version"),
        description=spec.text("description"),
        scenario_type=spec.text("scenario_type"),
        profile=evaluation.text("profile") or "default",
        mode=mode,
        folder=str(root),
        documents_dir=str(documents) if has_documents else None,
        settings=spec.fields("config").raw | modes.get(mode, {}),
        modes=modes,
        questions=_read_questions(questions_file),
        extra={key: value for key, value in spec.raw.items() if key not in SPEC_KEYS},
    )


def _mode(named: str | None, modes: Collection[str], place: str) -> str:
    """The mode to run, see :func:`read_scenario`."""
    if named is None and len(modes) == 1:
        (named,) = modes
    mode = _BASELINE if named is None else named
    if mode not in modes:
        problem = "name a mode to run" if named is None else f"no mode {mode!r}"
        raise ConfigurationError(f"{place}: {problem}; modes: {', '.join(sorted(modes))}")
    return mode


def _read_questions(file: Path) -> tuple[Question, ...]:
    listed = _load(file).sequence("questions")
    warn_of_question_keys(file, listed)
    questions = tuple(
        read_question(raw, at=f"{file}: questions[{i}]") for i, raw in enumerate(listed)
    )
    if not questions:
        raise ConfigurationError(f"{file}: questions: expected at least one question, got none")
    seen: dict[str, int] = {}
    for i, question in enumerate(questions):
        if (first := seen.setdefault(question.id, i)) != i:
            raise ConfigurationError(
                f"{file}: questions[{i}].id: {question.id!r} is also the id of questions[{first}]; "
                "ids join answers across frameworks and must be unique"
            )
    return questions


def _load(file: Path) -> Fields:
    return Fields(read_yaml(file), f"{file}: the file", prefix=f"{file}: ")


def _inside(root: Path, name: str, spec_file: Path) -> Path:
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise ConfigurationError(f"{spec_file}: {name!r} is outside the scenario's folder {root}")
    return path
