"""Traces of MLflow, as its SDK and its command give them."""

from __future__ import annotations

from trajmeter.readers.mlflow.files import MLFLOW_TRACES

__all__ = ["MLFLOW_TRACES"]
