"""Quality of a framework's implementation: static measures of its source file."""

from __future__ import annotations

from trajmeter.metrics.quality.score import (
    FRAMEWORK_PACKAGES,
    framework_packages,
    read_source,
    static_metrics,
    static_quality,
)

__all__ = [
    "FRAMEWORK_PACKAGES",
    "framework_packages",
    "read_source",
    "static_metrics",
    "static_quality",
]
