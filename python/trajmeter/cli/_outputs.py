"""The outputs of ``trajmeter score``: rows, and a report about them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.cli._page import write_page
from trajmeter.cli._process import print_message
from trajmeter.cli._progress import timed
from trajmeter.cli._units import is_folder
from trajmeter.errors import ConfigurationError
from trajmeter.remote import path_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Self

    from trajmeter.records import Task
    from trajmeter.summaries.gates import Gate
    from trajmeter.writers.provenance import InputDigests

__all__ = ["ScoreOutputs"]

_TURNS = 2_000
"""Number of attempts whose turns a report of ``score`` shows; each is read again as a record."""


class ScoreOutputs:
    """The output files of a run of ``score``.

    Args:
        paths: The files: at most one with rows, and one page.
        inputs: Input files and folders; ``None`` entries are ignored.
        judge: Model that judges, if any.

    Raises:
        ConfigurationError: A file cannot be written, or there are several of a kind.
        ExtraMissingError: A page needs a package that is not installed.
    """

    def __init__(
        self, paths: Sequence[Path], inputs: Iterable[Path | None], judge: str | None
    ) -> None:
        from trajmeter.writers import (
            OutputWatch,
            check_is_apart,
            check_is_no_input,
            check_output,
            check_place,
        )
        from trajmeter.writers.files import TABLE_SUFFIXES
        from trajmeter.writers.provenance import Provenance

        paths = [*map(path_of, paths)]
        read = [path for path in inputs if path is not None]
        pages = [path for path in paths if path.suffix.lower() == ".html"]
        tables = [path for path in paths if path not in pages]
        if len(pages) > 1 or len(tables) > 1:
            raise ConfigurationError("-o takes one file of rows and one .html file")
        for path in paths:
            if not is_folder(path):
                if path not in pages and path.suffix.lower() not in TABLE_SUFFIXES:
                    raise ConfigurationError(
                        f"{path}: expected a file that ends in {', '.join(TABLE_SUFFIXES)}, or in "
                        ".html for a report, or a folder such as scores/"
                    )
                (check_place if path in pages else check_output)(path)
            (check_is_no_input if path in pages else check_is_apart)(path, read)
        if pages:
            from trajmeter.reports.page.rendering import require_jinja

            require_jinja()
        self.rows = tables[0] if tables else None
        self.page = pages[0] if pages else None
        self._inputs = read
        self._made = Provenance.now(judge=judge)
        self._digests: InputDigests | None = None
        self._watch = None if self.rows is None else OutputWatch(self.rows)
        self._stack = ExitStack()
        self._read = self.rows

    def __enter__(self) -> Self:
        """Start hashing the inputs, and create temporary rows if only a page is requested."""
        if self.page is not None and (self.rows is None or self.rows.suffix.lower() != ".parquet"):
            # Other formats cannot hold lists, or do not record how they were made.
            from tempfile import TemporaryDirectory

            folder = self._stack.enter_context(TemporaryDirectory(prefix="trajmeter-"))
            self._read = Path(folder, "rows.parquet")
        if any(path.suffix.lower() == ".parquet" for path in self.tables):
            from trajmeter.writers.provenance import InputDigests

            self._digests = InputDigests(self._inputs)
            self._stack.callback(self._digests.stop)
        return self

    def __exit__(self, *_: object) -> None:
        """Remove rows that were not requested."""
        self._stack.close()

    @property
    def tables(self) -> list[Path]:
        """Files or folder to write the rows to."""
        return [*dict.fromkeys(each for each in (self.rows, self._read) if each is not None)]

    def report_others(self) -> None:
        """Say that another program wrote the rows meanwhile, just before they are replaced."""
        message = self._watch and self._watch.message()
        if message:
            print_message(f"trajmeter: {message}")

    def about(self) -> Mapping[str, str]:
        """Metadata on how a table was made; waits for the hashes."""
        inputs = () if self._digests is None else self._digests.result()
        return {"trajmeter.run": self._made.model_copy(update={"inputs": inputs}).to_json()}

    def write_page(
        self,
        logs: Sequence[Path],
        tasks: Sequence[Path],
        *,
        gates: Sequence[Gate],
        min_tasks: int,
        snapshots: Path | None = None,
        repos: Path | None = None,
        **reading: Any,  # noqa: ANN401 - passed to read_trajectories
    ) -> None:
        """Write the page, if requested, with the turns of the first attempts.

        Args:
            logs: The scored logs; standard input and pipes cannot be read again.
            tasks: Their tasks.
            gates: Thresholds to check.
            min_tasks: Minimum number of clusters for a gate on an interval.
            snapshots: Snapshots of the tasks' repositories.
            repos: Git repositories to take them from instead.
            reading: How the logs are read.
        """
        if self.page is None or self._read is None:
            return
        from trajmeter.frameworks.report_turns import report_turns
        from trajmeter.readers import read_tasks

        turns = None
        if all(_is_readable_again(path) for path in (*logs, *tasks)):
            known: list[Task] = [*read_tasks(tasks, on_problem=_ignore)] if tasks else []
            turns = report_turns(
                logs,
                known,
                snapshots=snapshots if snapshots and _is_readable_again(snapshots) else None,
                repos=repos,
                limit=_TURNS,
                on_problem=_ignore,
                **reading,
            )
        with timed(f"Writing {self.page}"):
            write_page(
                self.page,
                [self._read],
                {"duplicates": "first"},
                on_problem=_ignore,
                turns=None if turns is None else turns.of,
                gates=gates,
                min_tasks=min_tasks,
                has_files=self._read == self.rows,
            )
        print_message(f"trajmeter: wrote {self.page}")


def _is_readable_again(path: Path) -> bool:
    return str(path) != "-" and (not path.exists() or path.is_file() or path.is_dir())


def _ignore(_: object) -> None:
    """Report nothing, as problems were reported during scoring."""
