"""Adapters for tools that run agents or evaluations: one module a tool, imported by its users."""

from __future__ import annotations
