"""Scoring: files to files, and record batches to record batches.

Both are built on :func:`trajmeter.metrics.score_trajectories`, which scores single attempts.
"""

from __future__ import annotations
