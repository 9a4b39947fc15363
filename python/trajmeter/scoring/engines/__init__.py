"""Engines: what hands the units of a run to those who score them."""

from __future__ import annotations
