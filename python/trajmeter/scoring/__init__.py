"""Scoring: records, record batches and files, in one pass.

All of it is built on :func:`trajmeter.metrics.score_trajectories`, which scores single attempts.
Inputs of any size are scored in units by :mod:`trajmeter.scoring.runs`, and attempts that are still
running by :mod:`trajmeter.scoring.sessions`.
"""

from __future__ import annotations
