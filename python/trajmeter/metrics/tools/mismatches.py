"""Explains mismatches: which call, which place in its arguments, expected and actual values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.tools.comparison import compare_arguments
from trajmeter.metrics.tools.result import Mismatch
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.metrics.tools.calls import Calls, Reference
    from trajmeter.metrics.tools.comparison import Difference
    from trajmeter.metrics.tools.matching import Matching
    from trajmeter.metrics.tools.result import MismatchKind

__all__ = ["explain"]


def explain(reference: Reference, actual: Calls, matching: Matching) -> tuple[Mismatch, ...]:
    """Say what is wrong with every call that has no match, or has one out of order.

    Returns:
        Mismatches in the order of the reference, then those of actual calls left unexplained.
    """
    if matching.is_exact:
        return ()
    return (
        *_of_reference(reference, actual, matching),
        *_of_actual(actual, matching),
    )


def _of_reference(reference: Reference, actual: Calls, matching: Matching) -> Iterator[Mismatch]:
    pairs, expected = matching.pairs, reference.calls
    for at, aligned in enumerate(matching.aligned):
        if aligned >= 0 and at in pairs:
            continue
        tool = expected.names[at]
        partner = pairs.get(at)
        near = matching.near.get(at)
        if partner is not None:
            if aligned < 0:
                reason = "it was called out of order"
                yield _mismatch("order", tool, at, partner, reason)
        elif at in expected.malformed or near in actual.malformed:
            reasons = [
                f"in the {side}, {calls.malformed[place]}"
                for side, calls, place in (
                    ("reference", expected, at),
                    ("actual call", actual, near),
                )
                if place in calls.malformed
            ]
            reason = "; ".join(reasons)
            yield _mismatch("malformed", tool, at, near, reason)
        elif near is not None:
            yield from _of_pair(at, near, reference, actual)
        else:
            yield _mismatch("missing", tool, at, None, "it was not called")


def _of_pair(at: int, near: int, reference: Reference, actual: Calls) -> Iterator[Mismatch]:
    tool = reference.calls.names[at]
    expected, got = reference.calls.arguments[at], actual.arguments[near]
    comparison = compare_arguments(expected, got, reference.trees[tool])
    for difference in comparison.differences:
        yield _mismatch("arguments", tool, at, near, difference.reason, difference)


def _of_actual(actual: Calls, matching: Matching) -> Iterator[Mismatch]:
    unexplained = set(range(len(actual)))
    unexplained.difference_update(matching.pairs.values(), matching.near.values())
    for at in sorted(unexplained):
        tool = actual.names[at]
        if at in actual.malformed:
            reason = f"in the actual call, {actual.malformed[at]}"
            yield _mismatch("malformed", tool, None, at, reason)
        else:
            reason = "the reference has no such call left"
            yield _mismatch("unexpected", tool, None, at, reason)


def _mismatch(
    kind: MismatchKind,
    tool: str,
    reference: int | None,
    actual: int | None,
    reason: str,
    difference: Difference | None = None,
) -> Mismatch:
    return frozen(
        Mismatch,
        {
            "kind": kind,
            "tool": tool,
            "reference": reference,
            "actual": actual,
            "path": difference.path if difference else (),
            "expected": difference.expected if difference else None,
            "got": difference.got if difference else None,
            "reason": reason,
        },
    )
