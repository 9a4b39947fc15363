"""What judging took altogether, apart from what the agents took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.records import JudgeRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import FrameworkEvaluation

__all__ = ["judging_of", "total_judging"]


def total_judging(records: Iterable[JudgeRecord | None]) -> JudgeRecord | None:
    """Sum of tokens, cost and calls; ``None`` where nothing was judged.

    The cost is ``None`` where that of any part is, the model where the parts differ. Causes of
    failures belong to single calls and are left out; an average counts them beside it.

    Example:
        >>> total = total_judging([JudgeRecord(cost_usd=0.25, attempts=n) for n in (1, 3)])
        >>> total.cost_usd, total.attempts
        (0.5, 4)
    """
    present = [record for record in records if record is not None]
    if not present:
        return None
    costs = [record.cost_usd for record in present if record.cost_usd is not None]
    models = {record.model for record in present}
    return JudgeRecord(
        model=models.pop() if len(models) == 1 else None,
        prompt_tokens=sum(record.prompt_tokens for record in present),
        completion_tokens=sum(record.completion_tokens for record in present),
        cost_usd=sum(costs) if len(costs) == len(present) else None,
        attempts=sum(record.attempts for record in present),
        replayed=all(record.replayed for record in present),
    )


def judging_of(evaluation: FrameworkEvaluation) -> JudgeRecord | None:
    """What judging a framework's answers and reviewing its code took."""
    review = evaluation.code_quality.judge if evaluation.code_quality else None
    return total_judging([*(question.judge for question in evaluation.questions), review])
