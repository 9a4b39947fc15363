"""The harness's observation of a command: exit code, output, and the part that was shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.mini_swe_agent.contextbench import repository_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.readers.mini_swe_agent.run import Run
    from trajmeter.records import Leak, Turn, View

__all__ = ["Folder", "Observation", "observed_text", "steps_of"]

_RETURN_CODE = re.compile(r"<returncode>(-?[0-9]{1,18})</returncode>")
_LOOKED_AT_BEFORE = frozenset({"LimitsExceeded", "TimeExceeded"})
_ELIDED = re.compile(r"elided_chars\W{1,4}([0-9]{1,18})")


class Observation(NamedTuple):
    """Data about a command that was run."""

    output: str | None
    code: int | None
    hidden: tuple[int, int] | None = None
    """Characters of the output that the agent did not see."""

    @classmethod
    def of_raw(cls, output: str, code: int | None, shown: str) -> Observation:
        """The output of a command, and the text that the agent saw instead.

        Of long output, the agent sees equally many characters at the beginning and at the end.
        """
        elided = _ELIDED.search(shown) if len(shown) < len(output) else None
        if elided is None or int(elided[1]) >= len(output):
            return cls(output, code)
        half = (len(output) - int(elided[1])) // 2
        return cls(output, code, (half, len(output) - half))


def observed_text(text: str) -> Observation | None:
    """Parse an observation of version 1; ``None`` if the text is not one.

    The format has no escaping, so the output may contain the tags itself.
    """
    code = _RETURN_CODE.search(text)
    if code is None:
        return None
    output = _between(text, code.end(), "<output>\n", "</output>")
    before = text[code.end() : text.find("<output>\n", code.end())]
    if (
        output is None or "<output_head>" in before
    ):  # of long output, which may contain the other tag
        head = _between(text, code.end(), "<output_head>\n", "\n</output_head>\n<elided_chars>")
        tail = text.rpartition("<output_tail>\n")[2].rpartition("\n</output_tail>")[0]
        output = output if head is None else f"{head}<elided_chars>\n{tail}"
    return Observation(output, int(code[1]))


def _between(text: str, start: int, opening: str, closing: str) -> str | None:
    begin = text.find(opening, start)
    end = text.rfind(closing)
    return text[begin + len(opening) : end] if 0 <= begin <= end - len(opening) else None


class Folder:
    """The folder in which every command of a run starts, and what commands show from there."""

    def __init__(self, run: Run) -> None:
        config = (run.get("info") or {}).get("config") or {}
        folder = (config.get("environment") or {}).get("cwd") or ""
        self._folder = folder.rstrip("/") or None
        self._repository = repository_of(run)

    def seen(self, command: str, observed: Observation) -> tuple[tuple[View, ...], list[Leak]]:
        """The views of a command with paths in the repository, and its leaks."""
        output, code, hidden = observed
        from trajmeter.readers.shell_views import shell_views  # not needed to recognise a format

        shown = shell_views(
            command,
            output,
            exit_code=code,
            folder=self._folder,
            root=self._folder,
            hidden=hidden,
        )
        views = [view.model_copy(update={"path": self._path(view.path)}) for view in shown.views]
        return tuple(views), list(shown.leaks)

    def _path(self, path: str) -> str:
        if self._folder is None or not path.startswith(f"{self._folder}/"):
            return path
        below = path.removeprefix(f"{self._folder}/")
        # In Multi-SWE-bench containers, the repository is below the folder.
        return below if self._repository is None else below.removeprefix(f"{self._repository}/")


def steps_of(run: Run, turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns as steps: if no turn has views, those that ran commands have empty ones.

    Limits are checked before the model is asked, so if one ended the run, the model never saw the
    output of the last turn.
    """
    made = list(turns)
    if made and (run.get("info") or {}).get("exit_status") in _LOOKED_AT_BEFORE:
        made[-1] = made[-1].model_copy(update={"views": None})
    if any(turn.views for turn in made):
        return tuple(made)
    return tuple(
        turn if turn.program is None else turn.model_copy(update={"views": ()}) for turn in made
    )
