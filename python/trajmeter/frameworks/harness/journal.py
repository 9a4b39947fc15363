"""The journal of an evaluation, which records finished work so that it can be resumed.

Its lines are a header, unjudged answers and finished questions of any run, and the code review once
it is finished.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.frameworks.harness.agents import TimedAnswer
from trajmeter.frameworks.results import QuestionResult
from trajmeter.records import CodeReview, JudgeRecord, Record
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["FinishedReview", "Journal", "JournalHeader", "RunJournal"]


class JournalHeader(Record):
    """First line of a journal."""

    fingerprint: str
    """Digest of what the results depend on."""
    named_at: datetime
    """Time in the names of the result files, in UTC."""


class FinishedQuestion(Record):
    """A question of one run, with its result."""

    run: int
    """Number of the run, from 1."""
    run_started_at: datetime
    """When the run began."""
    finished_at: datetime
    """When the question was finished."""
    result: QuestionResult
    """Its result."""


class UnjudgedAnswer(Record):
    """An answer that is still to be judged; asking again may cost money."""

    run: int
    """Number of the run, from 1."""
    run_started_at: datetime
    """When the run began."""
    question_id: str
    """Id of the question."""
    given: TimedAnswer
    """The answer."""


class FinishedReview(Record):
    """The code review."""

    model: str
    """Model that reviewed."""
    review: CodeReview
    """Its scores."""
    judge: JudgeRecord
    """Tokens, cost and calls."""


class _Line(Record):
    """Any line except the first."""

    question: FinishedQuestion | None = None
    """A finished question."""
    answer: UnjudgedAnswer | None = None
    """An answer to judge."""
    review: FinishedReview | None = None
    """The code review."""


class Journal:
    """Finished parts of an evaluation, one per line, written as soon as they are finished.

    Opened by :func:`~trajmeter.frameworks.harness.resume.open_journal`. When its context ends, an
    empty journal is deleted; one with entries stays until :meth:`remove`.

    Args:
        stream: The journal, to append to.
        lines: Its lines after the header, without line breaks.
        header: Its first line.

    Raises:
        ReadError: A line cannot be read; the message names file and line.
    """

    named_at: datetime
    """Time in the names of the result files, in UTC."""
    reviews: dict[str, FinishedReview]
    """Code reviews, by the model that reviewed."""

    def __init__(self, stream: BinaryIO, lines: list[bytes], header: JournalHeader) -> None:
        self._stream = stream
        self._file = Path(stream.name)
        self.named_at = header.named_at
        self.reviews = {}
        self._questions: defaultdict[int, list[FinishedQuestion]] = defaultdict(list)
        self._answers: defaultdict[int, list[UnjudgedAnswer]] = defaultdict(list)
        for number, text in enumerate(lines, start=2):
            try:
                line = _Line.model_validate_json(text)
            except ValidationError as error:
                fault = describe_error(error)
                raise ReadError(
                    f"{stream.name}:{number}: not a line of a journal: {fault}"
                ) from error
            self._take(line)

    def __enter__(self) -> Self:
        """The journal itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the journal; an empty one is deleted."""
        if not (self._questions or self._answers or self.reviews):
            self.remove()
        self._stream.close()

    @property
    def folder(self) -> Path:
        """Folder of the journal, and of the result files."""
        return self._file.parent

    def run(self, number: int) -> RunJournal:
        """The part for one run, by its number from 1."""
        return RunJournal(
            self, number, self._questions.get(number, ()), self._answers.get(number, ())
        )

    def write_review(self, review: FinishedReview) -> None:
        """Keep the code review, so it need not be paid for again."""
        self._write(_Line(review=review))

    def write_question(self, question: FinishedQuestion) -> None:
        """Keep a finished question."""
        self._write(_Line(question=question))

    def write_answer(self, answer: UnjudgedAnswer) -> None:
        """Keep an answer that is still to be judged."""
        self._write(_Line(answer=answer))

    def remove(self) -> None:
        """Delete the journal, once its questions are in result files."""
        try:
            self._file.unlink(missing_ok=True)  # while locked, otherwise others would resume it
        except PermissionError:  # Windows does not delete open files
            self._stream.close()
            self._file.unlink(missing_ok=True)

    def _write(self, line: _Line) -> None:
        self._stream.write(line.model_dump_json().encode() + b"\n")
        self._stream.flush()
        self._take(line)

    def _take(self, line: _Line) -> None:
        if line.question is not None:
            self._questions[line.question.run].append(line.question)
        if line.answer is not None:
            self._answers[line.answer.run].append(line.answer)
        if line.review is not None:
            self.reviews[line.review.model] = line.review


class RunJournal:
    """The finished questions of one run, and its answers to judge.

    Args:
        journal: Journal of the evaluation.
        number: Number of the run, from 1.
        questions: Its finished questions.
        answers: Its kept answers, including those of finished questions.
    """

    started_at: datetime
    """When the run began, in UTC; a resumed run keeps its first start."""
    finished_at: datetime
    """When its last question so far was finished."""
    finished: dict[str, QuestionResult]
    """Results by question id."""
    answers: dict[str, TimedAnswer]
    """Answers by question id, possibly including those of finished questions."""

    def __init__(
        self,
        journal: Journal,
        number: int,
        questions: Sequence[FinishedQuestion] = (),
        answers: Sequence[UnjudgedAnswer] = (),
    ) -> None:
        self._journal = journal
        self._number = number
        begun = [question.run_started_at for question in questions]
        begun += [answer.run_started_at for answer in answers]
        self.started_at = begun[0] if begun else _now()
        self.finished_at = questions[-1].finished_at if questions else self.started_at
        self.finished = {question.result.question_id: question.result for question in questions}
        self.answers = {answer.question_id: answer.given for answer in answers}

    def keep_answer(self, question_id: str, answer: TimedAnswer) -> None:
        """Add an answer that is still to be judged."""
        self.answers[question_id] = answer
        self._journal.write_answer(
            UnjudgedAnswer(
                run=self._number,
                run_started_at=self.started_at,
                question_id=question_id,
                given=answer,
            )
        )

    def write(self, result: QuestionResult) -> None:
        """Add a finished question."""
        self.finished_at = _now()
        self.finished[result.question_id] = result
        self._journal.write_question(
            FinishedQuestion(
                run=self._number,
                run_started_at=self.started_at,
                finished_at=self.finished_at,
                result=result,
            )
        )


def _now() -> datetime:
    return datetime.now(timezone.utc).replace(microsecond=0)
