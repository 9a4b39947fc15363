"""What a run is asked to do, checked before any input is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, get_args

from trajmeter.errors import ConfigurationError
from trajmeter.readers.patterns import check_patterns
from trajmeter.remote import is_remote
from trajmeter.scoring.runs.folder import RunFolder
from trajmeter.scoring.runs.options import Engine, RunListener, RunOptions
from trajmeter.writers import check_is_apart, check_output
from trajmeter.writers.files import check_folder, is_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from trajmeter.scoring.runs.work import Work

__all__ = ["WHOLE", "RunRequest"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")

WHOLE = (1, 1)
"""The only shard of a run that is not divided."""

_FILES = frozenset({".csv", ".jsonl", ".parquet"})


@dataclass(frozen=True)
class RunRequest(Generic[SummaryT]):
    """The arguments of a run."""

    work: Work[SummaryT]
    """What to do with the units."""
    inputs: Sequence[Path]
    """Files, folders and patterns."""
    output: Path | None
    """A folder of parts, or a file; ``None`` to keep no rows."""
    options: RunOptions
    """How to execute the run."""
    listener: RunListener
    """Receives events."""

    @property
    def shard(self) -> tuple[int, int]:
        """Number of the shard to score, from 1, and the number of shards."""
        return self.options.shard or WHOLE

    @property
    def is_folder(self) -> bool:
        """Whether the output is a folder of parts."""
        return self.output is not None and is_folder(self.output)

    def output_folder(self) -> RunFolder | None:
        """The folder of the run, if its output is a folder of parts."""
        if self.output is None or not is_folder(self.output):
            return None
        return RunFolder(self.output, "", replaces=self.options.overwrite)

    def check(self) -> None:
        """Check the engine, the shard, the inputs and the output.

        Raises:
            ConfigurationError: Options contradict each other, or the output cannot be written.
            ExtraMissingError: The engine is not installed.
        """
        self._check_engine()
        check_patterns(self.inputs)
        self._check_shard()
        if self.options.workers != "auto" and self.options.workers < 1:
            raise ConfigurationError(f"workers is {self.options.workers}, expected at least 1")
        self._check_output()

    def _check_engine(self) -> None:
        engine, known = self.options.engine, get_args(Engine)
        if engine not in known:
            raise ConfigurationError(f"engine {engine!r}: expected {' or '.join(known)}")
        if engine == "ray":
            from trajmeter.scoring.runs.engines.ray import import_ray

            import_ray()

    def _check_shard(self) -> None:
        number, count = self.shard
        if not 1 <= number <= count:
            raise ConfigurationError(
                f"shard {number}/{count}: expected a number from 1 to the number of shards"
            )

    def _check_output(self) -> None:
        folder = self.output_folder()
        if self.options.shard is not None and folder is None:
            raise ConfigurationError("a shard needs a folder as its output, such as scores/")
        if self.output is None:
            return
        check_is_apart(self.output, self.inputs)
        if folder is None:
            check_output(self.output)
            return
        if is_remote(self.output) and self.output.suffix.lower() in _FILES:
            raise ConfigurationError(
                f"{self.output}: remote results are written as a folder of parts; give the name "
                "of a folder"
            )
        folder.check_is_no_other()
        check_folder(self.output)
