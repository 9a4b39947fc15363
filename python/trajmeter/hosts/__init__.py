"""Adapters for tools that run agents or evaluations: one module per tool, imported by users."""

from __future__ import annotations
