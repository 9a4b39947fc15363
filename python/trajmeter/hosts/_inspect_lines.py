"""One figure of each attempt as JSON lines for Inspect's ``precomputed_scores``."""

from __future__ import annotations

import json
import math
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter.errors import ConfigurationError
from trajmeter.hosts._figures import why_unscored
from trajmeter.scoring.results import row_values
from trajmeter.summaries._batch_results import errors_of, results_of
from trajmeter.writers.arrow import arrow_schema, rows_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.named_figures import NamedFigure

__all__ = ["InspectLines"]

_IN_MEMORY = 16 * 2**20
"""Bytes of lines to hold before they are moved to a temporary file."""


class InspectLines:
    """Writes a line for each attempt; Inspect assigns the lines to samples by id and epoch.

    The lines are written at the end: if two attempts belong to one sample, none is.
    An attempt without a value has NaN, which Inspect counts as unscored; it does not accept null.

    Args:
        stream: Where to write.
        layout: Columns of the rows.
        figure: The figure.
    """

    def __init__(self, stream: BinaryIO, layout: RowLayout, figure: NamedFigure) -> None:
        self._stream = stream
        self._layout = layout
        self._figure = figure
        self._family = next(each for each in layout.families if each.metric is figure.metric)
        self._samples: set[tuple[str | None, int | None]] = set()
        self._held = SpooledTemporaryFile[bytes](_IN_MEMORY)

    def write(self, values: Sequence[Any]) -> None:
        """Write one row."""
        self.write_batch(rows_batch(self._layout, [values], arrow_schema(self._layout)))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of the layout's Arrow schema.

        Raises:
            ConfigurationError: Two attempts belong to one sample, which Inspect refuses.
        """
        family = self._family
        own = {
            column.name: row_values(column, batch.column(column.name)) for column in family.columns
        }
        results = results_of(family, batch, None, errors_of(family, batch, None))
        tasks, attempts = (batch.column(name).to_pylist() for name in ("task_id", "attempt"))
        for at, (result, task, attempt) in enumerate(zip(results, tasks, attempts, strict=True)):
            epoch = int(attempt) if attempt and attempt.isascii() and attempt.isdigit() else None
            if (task, epoch) in self._samples:
                self.abandon()
                which = "" if epoch is None else f" in epoch {epoch}"
                raise ConfigurationError(
                    f"two attempts are at {task!r}{which}, but Inspect accepts one per sample; "
                    "score one run at a time"
                )
            self._samples.add((task, epoch))
            score = self._figure.of_result(result)
            explanation = score.reason
            if not score.counts:
                explanation = why_unscored(score)
            line = {
                "id": task,
                **({} if epoch is None else {"epoch": epoch}),
                "value": score.value if score.counts and score.value is not None else math.nan,
                "explanation": explanation,
                "metadata": {"trajmeter": {name: values[at] for name, values in own.items()}},
            }
            self._held.write(json.dumps(line).encode() + b"\n")

    def finish(self) -> None:
        """Write the lines, unless they were refused."""
        if self._held.closed:
            return
        self._held.seek(0)
        try:
            copyfileobj(self._held, self._stream)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Discard the lines."""
        self._held.close()
