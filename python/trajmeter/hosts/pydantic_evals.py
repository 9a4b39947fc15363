"""Evaluators for pydantic-evals, for an agent's calls, context, turns and rules.

Pydantic-evals averages over the cases that have a score, without showing how many. Each evaluator
therefore labels every case with ``<family>.outcome``, whose shares show this.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from trajmeter.errors import ExtraMissingError, InputError, ReadError

try:
    from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext
except ModuleNotFoundError as error:
    raise ExtraMissingError(
        "pydantic-evals is missing: pip install 'trajmeter[pydantic-evals]'"
    ) from error

from trajmeter.hosts._figures import FIGURES, outcome_label
from trajmeter.hosts._references import References, attempt_from, plain
from trajmeter.hosts.opentelemetry import trajectory_of
from trajmeter.records import Trajectory
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.metrics.named_figures import NamedFigure

__all__ = ["Context", "Rules", "Tools", "Turns"]

_TRAJECTORY = "trajmeter.trajectory"
"""The attribute under which a task leaves a record, or messages: ``set_eval_attribute``."""


@lru_cache(maxsize=64)
def _scorer(
    family: str, tasks: str | None, snapshots: str | None, profile: str | None
) -> tuple[Scorer, References]:
    scorer = Scorer(
        family,
        tasks=() if tasks is None else tasks,
        snapshots=snapshots,
        profiles=() if profile is None else profile,
    )
    return scorer, References(scorer, "pydantic-evals")


@dataclass(repr=False)
class _Family(Evaluator[Any, Any, Any]):
    """One family; the fields are simple because data sets write them into their files."""

    figures: str | tuple[str, ...] = ()
    """Names of the figures without the family's, or one of them; by default some."""
    tasks: str | None = None
    """A file of tasks, found by the names of cases."""
    snapshots: str | None = None
    """A file or a folder of snapshots of the repositories."""
    profile: str | None = None
    """Compatibility profile."""

    def __post_init__(self) -> None:
        """Reject names of unknown figures before anything is scored.

        Raises:
            UnknownNameError: There is no such figure; the nearest is named.
        """
        if isinstance(self.figures, str):  # as a file of cases may have a single one
            self.figures = (self.figures,)
        scorer, _ = _scorer(_family_of(self), None, None, self.profile)  # no file is read for this
        self._named(scorer)

    def _named(self, scorer: Scorer) -> dict[str, NamedFigure]:
        family = _family_of(self)
        names = [f"{family}.{name}" for name in self.figures or FIGURES[family]]
        return {name: scorer.figure(name) for name in names}

    def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> dict[str, Any]:
        """Score a case: a number or a verdict for each figure that has one, and the outcome."""
        family = _family_of(self)
        scorer, references = _scorer(family, self.tasks, self.snapshots, self.profile)
        figures = self._named(scorer)
        try:
            attempt = _attempt(ctx)
            carried = _mapping(ctx.metadata)
            task = references.task(attempt.task_id, carried, question=_text(ctx.inputs))
        except (InputError, ReadError) as wrong:
            return {f"{family}.outcome": EvaluationReason(value="invalid_input", reason=str(wrong))}
        scored = scorer.scored(task, attempt)
        found: dict[str, Any] = {}
        scores = {name: figure.of(scored) for name, figure in figures.items()}
        for name, score in scores.items():
            if score.counts and score.value is not None:
                is_verdict = figures[name].info.kind == "boolean"
                value = bool(score.value) if is_verdict else score.value
                found[name] = EvaluationReason(value=value, reason=score.reason)
        reasons = dict.fromkeys(each.reason for each in scores.values() if each.reason)
        found[f"{family}.outcome"] = EvaluationReason(
            value=outcome_label(scores.values()), reason="\n".join(reasons) or None
        )
        return found

    def get_evaluator_version(self) -> str | None:
        """Version of the family's definition."""
        # Pydantic-evals does not catch errors here, so an unreadable file must not matter.
        scorer, _ = _scorer(_family_of(self), None, None, self.profile)
        return scorer.layout.families[0].metric.version


@dataclass(repr=False)
class Tools(_Family):
    """Matches tool calls with ``metadata["expected_tool_calls"]``."""


@dataclass(repr=False)
class Context(_Family):
    """Compares the views with ``metadata["gold_ranges"]``."""


@dataclass(repr=False)
class Turns(_Family):
    """Counts turns, repeated calls and failures."""


@dataclass(repr=False)
class Rules(_Family):
    """Checks assertions and budgets, in the metadata of cases."""


def _family_of(evaluator: _Family) -> str:
    """The family that the class is named after; not a field, which would be written into files."""
    return type(evaluator).__name__.lower()


def _attempt(ctx: EvaluatorContext[Any, Any, Any]) -> Trajectory:
    """The attempt of a case: the record that it stored, otherwise from its spans."""
    left = ctx.attributes.get(_TRAJECTORY)
    task_id = ctx.name or "case"
    if left is not None:
        return attempt_from(left, task_id)
    about = {
        "task_id": task_id,
        "final_output": _text(ctx.output),
        "duration_seconds": ctx.duration,
    }
    attempt = trajectory_of(ctx.span_tree, task_id)
    if attempt is None:
        return Trajectory(**about)
    return attempt.model_copy(update={**about, "attempt": None, "source": None})


def _text(value: object) -> str | None:
    """A value as text: itself if it is text, else JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        text = json.dumps(to_jsonable_python(plain(value), fallback=str), ensure_ascii=False)
        return text.encode(errors="backslashreplace").decode()  # halves of characters, as in JSON
    except (ValueError, RecursionError):  # bytes that are not text, or a circular object
        return str(value)


def _mapping(metadata: object) -> Mapping[str, Any] | None:
    try:
        found = plain(metadata)
    except RecursionError as error:
        raise InputError("the metadata contains itself, or is nested too deeply") from error
    return found if isinstance(found, dict) else None
