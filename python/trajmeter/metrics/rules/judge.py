"""Rule ``llm_judge``: assertions that only a judge can grade."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

from trajmeter.metrics.rules.assertions import GRADED_TYPES
from trajmeter.metrics.rules.attempt import CannotScoreError
from trajmeter.metrics.rules.grade import abstain, fraction, grade
from trajmeter.metrics.rules.result import JudgeCheck, JudgeScore
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.metrics.rules.attempt import Attempt
    from trajmeter.records import Assertion, Task, Trajectory, Verdict

__all__ = ["AssertionJudge", "ask", "llm_judge"]

# What judges answer in place of a decision, by what it means; anything else is undecided.
_INDECISION = {
    "refused": Cause.JUDGE_REFUSED,
    "error": Cause.JUDGE_ERROR,
    "failed": Cause.JUDGE_ERROR,
    "timeout": Cause.JUDGE_TIMEOUT,
    "unparseable": Cause.JUDGE_UNPARSEABLE,
}


class AssertionJudge(Protocol):
    """Says which assertions hold; any callable of this form is one."""

    def __call__(
        self, task: Task, trajectory: Trajectory, assertions: Sequence[Assertion], /
    ) -> Iterable[Verdict]:
        """Judge the assertions, each verdict named after its assertion's label."""


def llm_judge(task: Task, attempt: Attempt, *, judge: AssertionJudge | None = None) -> JudgeScore:
    """Share of the assertions that a judge holds to be true, of those it decided.

    The judge gets the assertions that ``assertion_pass_rate`` does not grade. Its verdicts are
    joined to them by name, several of one name in order; others are dropped and counted. A verdict
    that decides nothing is never a score.

    Args:
        task: The task.
        attempt: The attempt; its recorded verdicts serve where there is no judge.
        judge: The judge.

    Raises:
        CannotScoreError: There is neither a judge nor a recorded verdict, or the judge failed.
    """
    sent = [a for a in task.assertions if a.type not in GRADED_TYPES]
    if not sent:
        return _NOTHING_TO_SEND
    verdicts = ask(task, attempt.trajectory, sent, judge)
    joined = _join(sent, verdicts)
    checks = tuple([_check(verdict) for verdict in joined])
    judged = sum([check.result in ("pass", "fail") for check in checks])
    dropped = len(verdicts) - len(joined)
    if not judged:
        causes = [_INDECISION[c.result] for c in checks if c.result in _INDECISION]
        return JudgeScore(
            outcome=Outcome.NOT_SCORED,
            cause=causes[0] if causes else Cause.JUDGE_UNDECIDED,
            reason=f"the judge decided none of {len(sent)} assertions",
            sent=len(sent),
            judged=0,
            dropped=dropped,
            checks=checks,
        )
    passed = sum([check.result == "pass" for check in checks])
    score = fraction(passed, judged)
    reason = f"{passed} of {judged} judged assertions hold, of {len(sent)} sent"
    details = {"sent": len(sent), "judged": judged, "dropped": dropped, "checks": checks}
    return grade(JudgeScore, score, reason, details)


_NOTHING_TO_SEND = abstain(JudgeScore, "the task has no assertion for a judge")


def ask(
    task: Task,
    trajectory: Trajectory,
    assertions: Sequence[Assertion],
    judge: AssertionJudge | None,
) -> tuple[Verdict, ...]:
    """Ask the judge, or take the verdicts that were recorded.

    Raises:
        CannotScoreError: There is neither, or the judge failed.
    """
    if judge is None:
        if trajectory.verdicts is None:
            count = len(assertions)
            reason = f"{count} assertions are for a judge, and there is neither judge nor verdict"
            raise CannotScoreError(Cause.MISSING_VERDICTS, reason)
        return trajectory.verdicts
    try:
        return tuple(judge(task, trajectory, assertions))
    except TimeoutError as error:
        raise CannotScoreError(Cause.JUDGE_TIMEOUT, f"the judge timed out: {error}") from error
    except Exception as error:
        reason = f"the judge raised {type(error).__name__}: {error}"
        raise CannotScoreError(Cause.JUDGE_ERROR, reason) from error


def _join(assertions: Sequence[Assertion], verdicts: Sequence[Verdict]) -> list[Verdict]:
    by_name: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in reversed(verdicts):
        by_name[verdict.name].append(verdict)
    return [by_name[a.label].pop() for a in assertions if by_name[a.label]]


def _check(verdict: Verdict) -> JudgeCheck:
    return JudgeCheck(name=verdict.name, result=verdict.result, reason=verdict.reason)
