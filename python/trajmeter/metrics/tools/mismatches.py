"""Explaining what does not match: which call, which place in its arguments, expected and got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.tools.comparison import compare
from trajmeter.metrics.tools.result import Mismatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.metrics.tools.calls import Call
    from trajmeter.metrics.tools.matching import Matching
    from trajmeter.metrics.tools.policies import ArgumentPolicies

__all__ = ["explain"]


def explain(
    reference: Sequence[Call],
    actual: Sequence[Call],
    matching: Matching,
    policies: ArgumentPolicies,
) -> tuple[Mismatch, ...]:
    """Say of every call that has no match, or has it out of order, what is wrong.

    Returns:
        Mismatches by place in the reference, then those of actual calls that nothing explains.
    """
    if matching.is_exact:
        return ()
    return (
        *_of_reference(reference, actual, matching, policies),
        *_of_actual(actual, matching),
    )


def _of_reference(
    reference: Sequence[Call],
    actual: Sequence[Call],
    matching: Matching,
    policies: ArgumentPolicies,
) -> Iterator[Mismatch]:
    for at, call in enumerate(reference):
        partner = matching.pairs.get(at)
        if partner is not None:
            if at not in matching.aligned:
                yield Mismatch(
                    kind="order",
                    tool=call.name,
                    reference=at,
                    actual=partner,
                    reason="it was called out of order",
                )
            continue
        near = matching.near.get(at)
        if near is not None:
            yield from _of_pair(at, call, near, actual[near], policies)
        elif call.malformed is not None:
            yield Mismatch(
                kind="malformed",
                tool=call.name,
                reference=at,
                reason=f"in the reference, {call.malformed}",
            )
        else:
            yield Mismatch(kind="missing", tool=call.name, reference=at, reason="it was not called")


def _of_pair(
    at: int, call: Call, near: int, other: Call, policies: ArgumentPolicies
) -> Iterator[Mismatch]:
    malformed = [
        f"in the {side}, {reason}"
        for side, reason in (("reference", call.malformed), ("actual call", other.malformed))
        if reason is not None
    ]
    if malformed:
        yield Mismatch(
            kind="malformed",
            tool=call.name,
            reference=at,
            actual=near,
            reason="; ".join(malformed),
        )
        return
    tree = policies.tree_of(call.name)
    for difference in compare(call.arguments, other.arguments, tree).differences:
        yield Mismatch(
            kind="arguments",
            tool=call.name,
            reference=at,
            actual=near,
            path=difference.path,
            expected=difference.expected,
            got=difference.got,
            reason=difference.reason,
        )


def _of_actual(actual: Sequence[Call], matching: Matching) -> Iterator[Mismatch]:
    explained = {*matching.pairs.values(), *matching.near.values()}
    for at, call in enumerate(actual):
        if at in explained:
            continue
        if call.malformed is not None:
            yield Mismatch(
                kind="malformed",
                tool=call.name,
                actual=at,
                reason=f"in the actual call, {call.malformed}",
            )
        else:
            yield Mismatch(
                kind="unexpected",
                tool=call.name,
                actual=at,
                reason="the reference has no call like it left",
            )
