"""The journal of a run: every finished question, so that an interrupted run can be resumed."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.records import QuestionResult

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Scenario

__all__ = ["Journal", "fingerprint"]


def fingerprint(scenario: Scenario, **options: object) -> str:
    """Digest of what a run's results depend on; a journal of another digest is not resumed."""
    content = scenario.model_dump(mode="json", exclude={"folder", "documents_dir"}) | {
        "options": options
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class Journal:
    """Finished questions of one run, a line each, written as soon as they are finished.

    ``started_at`` is when the run began, in UTC; a resumed run keeps the time of its beginning.

    Args:
        file: The journal; it is made when the first question is finished.
        digest: What the run depends on, by :func:`fingerprint`.

    Raises:
        ReadError: The journal cannot be read; the message names file and line.
    """

    def __init__(self, file: Path, digest: str) -> None:
        self._file = file
        self._digest = digest
        self.started_at = datetime.now(timezone.utc).replace(microsecond=0)
        self.finished: dict[str, QuestionResult] = {}
        if file.exists():
            self._resume()

    def write(self, result: QuestionResult) -> None:
        """Add a finished question."""
        self.finished[result.question_id] = result
        lines = [result.model_dump_json()]
        if not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            lines.insert(0, _Header(self._digest, self.started_at.isoformat()).line())
        with self._file.open("a", encoding="utf-8") as journal:
            journal.write("".join(f"{line}\n" for line in lines))

    def remove(self) -> None:
        """Delete the journal, once its questions stand in a result file."""
        self._file.unlink(missing_ok=True)

    def _resume(self) -> None:
        # Bytes, because a line that was cut off may end inside a character.
        lines = self._file.read_bytes().split(b"\n")
        # What follows the last line break was cut off while it was written.
        complete = lines[:-1]
        try:
            header = _Header(**json.loads(complete[0])) if complete else None
            started_at = datetime.fromisoformat(header.started_at) if header else None
        except (TypeError, ValueError) as error:
            raise ReadError(f"{self._file}:1: not a journal: {error}") from error
        if header is None or started_at is None or header.fingerprint != self._digest:
            self._file.unlink()
            return
        self.started_at = started_at
        for number, line in enumerate(complete[1:], start=2):
            try:
                result = QuestionResult.model_validate_json(line)
            except ValidationError as error:
                raise ReadError(
                    f"{self._file}:{number}: not a question's result: {error}"
                ) from error
            self.finished[result.question_id] = result
        if lines[-1]:
            self._file.write_bytes(b"".join(line + b"\n" for line in complete))


class _Header(NamedTuple):
    """First line of a journal."""

    fingerprint: str
    """What the run depends on."""
    started_at: str
    """When it began."""

    def line(self) -> str:
        return json.dumps(self._asdict())
