"""What it costs to return a book late."""

from __future__ import annotations

CENTS_PER_DAY = 20


def fine(days_late: int) -> int:
    """Fine in cents; nothing for a book that is on time."""
    if days_late < 0:
        return 0
    return days_late * CENTS_PER_DAY


def receipt(days_late: int) -> str:
    """Say in a line what a reader owes."""
    euros = fine(days_late) / 100
    return f"Late by {days_late} days: {euros} euros"
