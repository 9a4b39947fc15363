"""The column path: scoring Arrow record batches of trajectories, batch by batch."""

from __future__ import annotations

from trajmeter.errors import ExtraMissingError

try:
    from trajmeter.columns.scoring import BatchScorer, score_batches
except ModuleNotFoundError as error:
    raise ExtraMissingError("record batches need pyarrow: pip install 'trajmeter[data]'") from error

from trajmeter.columns.problems import RowProblem

__all__ = ["BatchScorer", "RowProblem", "score_batches"]
