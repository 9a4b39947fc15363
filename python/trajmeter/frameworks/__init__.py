"""The comparison of agent frameworks: scenarios, harness, repeats, scorecard and report."""

from __future__ import annotations
