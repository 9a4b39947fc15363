"""Names that a shell completes, besides the choices of options."""

from __future__ import annotations

__all__ = ["format_names", "metric_names"]


def metric_names(incomplete: str) -> list[str]:
    """Metrics that a list does not name yet; none for a file, which the shell completes itself."""
    from trajmeter.metrics import available

    before, comma, last = incomplete.rpartition(",")
    found = [info.name for info in available() if info.metric is not None]
    more = [name for name in found if name.startswith(last) and name not in before.split(",")]
    return [f"{before}{comma}{name}" for name in more]


def format_names(incomplete: str) -> list[str]:
    """Formats of trajectories and tasks."""
    from trajmeter.readers import formats

    return [known.name for known in formats() if known.name.startswith(incomplete)]
