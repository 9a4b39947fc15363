"""Scoring: one attempt, Arrow batches of attempts, and files."""

from __future__ import annotations
