"""Engines: distribute the units of a run to workers."""

from __future__ import annotations
