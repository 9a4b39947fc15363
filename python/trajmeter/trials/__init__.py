"""Trials: the attempts at one task that ran side by side, and fc-eval's merge of them."""

from __future__ import annotations

from trajmeter.trials.merge import deep_merge, merge_measurements, resolve

__all__ = ["deep_merge", "merge_measurements", "resolve"]
