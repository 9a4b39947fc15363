"""Trajmeter turns recorded agent trajectories into scores.

Public names are loaded on first use, so that ``import trajmeter`` is fast and loads no optional
dependency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr

if TYPE_CHECKING:
    from trajmeter.errors import TrajmeterError
    from trajmeter.frameworks.agreement import agreement
    from trajmeter.frameworks.compare import compare
    from trajmeter.frameworks.reporting import report
    from trajmeter.kernels import backend
    from trajmeter.metrics import metric
    from trajmeter.metrics.context import ContextTracker, prepare
    from trajmeter.readers.messages import from_messages
    from trajmeter.scoring.batches import BatchScorer, score_batches
    from trajmeter.scoring.files import score
    from trajmeter.scoring.runs.merge import merge
    from trajmeter.scoring.runs.score_files import score_files
    from trajmeter.scoring.scorer import Scorer
    from trajmeter.scoring.sessions.session import Session
    from trajmeter.spans import SpanSet, difference, intersection, measure, union
    from trajmeter.statistics.means import gmean, gmean_grouped
    from trajmeter.summaries.comparing import compare_scores
    from trajmeter.summaries.gates import Gate
    from trajmeter.summaries.summarizing import summarize

__all__ = [
    "BatchScorer",
    "ContextTracker",
    "Gate",
    "Scorer",
    "Session",
    "SpanSet",
    "TrajmeterError",
    "__version__",
    "agreement",
    "backend",
    "compare",
    "compare_scores",
    "difference",
    "from_messages",
    "gmean",
    "gmean_grouped",
    "intersection",
    "measure",
    "merge",
    "metric",
    "prepare",
    "report",
    "score",
    "score_batches",
    "score_files",
    "summarize",
    "union",
]

_MODULES = {
    "BatchScorer": "scoring.batches",
    "ContextTracker": "metrics.context",
    "Gate": "summaries.gates",
    "Scorer": "scoring.scorer",
    "Session": "scoring.sessions.session",
    "SpanSet": "spans",
    "TrajmeterError": "errors",
    "agreement": "frameworks.agreement",
    "backend": "kernels",
    "compare": "frameworks.compare",
    "compare_scores": "summaries.comparing",
    "difference": "spans",
    "from_messages": "readers.messages",
    "gmean": "statistics.means",
    "gmean_grouped": "statistics.means",
    "intersection": "spans",
    "measure": "spans",
    "merge": "scoring.runs.merge",
    "metric": "metrics",
    "prepare": "metrics.context",
    "report": "frameworks.reporting",
    "score": "scoring.files",
    "score_batches": "scoring.batches",
    "score_files": "scoring.runs.score_files",
    "summarize": "summaries.summarizing",
    "union": "spans",
}
"""The module, below this package, that defines each public name."""

__version__: str


_load = lazy_getattr(__name__, _MODULES)


def __getattr__(name: str) -> object:
    if name != "__version__":
        return _load(name)
    from importlib.metadata import version

    value: object = version("trajmeter")
    globals()[name] = value
    return value
