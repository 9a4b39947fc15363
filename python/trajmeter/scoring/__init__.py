"""Scoring: files to files, and record batches to record batches.

One attempt is scored by :func:`trajmeter.metrics.score_trajectories`, which both are made of.
"""

from __future__ import annotations
