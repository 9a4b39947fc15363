"""Typed results from the columns of a results table: the inverse of writing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from trajmeter.metrics._result import Group, MetricError
from trajmeter.records import Outcome
from trajmeter.records.record import frozen
from trajmeter.shapes import is_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from trajmeter.metrics._result import Result
    from trajmeter.metrics.columns import FamilyColumns

__all__ = ["typed_results"]


def typed_results(family: FamilyColumns, batch: pa.RecordBatch) -> list[Result | MetricError]:
    """Make the results of rows.

    Groups that are missing from the table, because they were not requested, are ``not_scored``;
    their figures have their defaults, or are ``None``.

    Args:
        family: Columns of the metric.
        batch: Rows in the columns of :func:`trajmeter.writers.arrow.arrow_schema`.

    Returns:
        The result of each row, or the error that the metric raised.
    """
    columns: dict[str, list[Any]] = {}
    for group in family.groups:
        for path, column in zip(group.paths, group.columns, strict=True):
            values = batch.column(column.name).to_pylist()
            if column.load is not None:
                load = column.load
                values = [None if value is None else load(value) for value in values]
            columns[path] = values
    errors = batch.column(f"{family.name}.error").to_pylist()
    results = cast("list[Result]", _models(family.metric.result_type, "", columns, batch.num_rows))
    return [
        result if error is None else MetricError(error, code=None)
        for result, error in zip(results, errors, strict=True)
    ]


def _models(
    model: type[BaseModel], prefix: str, columns: Mapping[str, Sequence[Any]], rows: int
) -> Sequence[BaseModel]:
    """Models for one part of the results.

    Args:
        model: Their class.
        prefix: Path of the part, with a trailing dot unless it is the whole result.
        columns: Field values by path.
        rows: Number of rows.
    """
    fields: dict[str, Sequence[Any]] = {}
    for key, info in model.model_fields.items():
        path = f"{prefix}{key}"
        if path in columns:
            fields[key] = columns[path]
        elif is_model(info.annotation):
            fields[key] = _models(info.annotation, f"{path}.", columns, rows)
        else:
            fields[key] = [_default(model, key, info)] * rows
    if model.__private_attributes__ or not fields:
        by_row = zip(*fields.values(), strict=True) if fields else [()] * rows
        return [
            model.model_construct(None, **dict(zip(fields, values, strict=True)))
            for values in by_row
        ]
    names = list(fields)
    by_row = zip(*fields.values(), strict=True)
    return [frozen(model, dict(zip(names, values, strict=True))) for values in by_row]


def _default(model: type[BaseModel], key: str, info: FieldInfo) -> object:
    """Default value of a field in a group that was not requested."""
    if key == "outcome" and issubclass(model, Group):
        return Outcome.NOT_SCORED
    return None if info.is_required() else info.get_default(call_default_factory=True)
