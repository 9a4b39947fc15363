"""A row of the benchmark table: one workload, several contenders, one answer.

A file ``bench_<noun>.py`` lists its cases and runs them::

    CASES = [Case(kernel="union", workload="10^3 spans", ..., contenders=("rust", "python"))]


    @pytest.mark.parametrize("entry", entries(CASES), ids=str)
    def bench_spans(benchmark: BenchmarkFixture, entry: Entry) -> None:
        entry.run(benchmark)

``python -m benches`` runs them all and prints the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import perf_counter
from typing import TYPE_CHECKING, Protocol
from weakref import finalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_benchmark.fixture import BenchmarkFixture

__all__ = ["Built", "Case", "Entry", "Folder", "Same", "entries"]

_SMOKE_SIZE = 1_000
_ROUND_SECONDS = 2e-4
_SHORT = 1e-2
_CONTENDER_SECONDS = 1.0
_LEAST_ROUNDS, _MOST_ROUNDS = 3, 60


class Same(Protocol):
    """Checks an answer."""

    def __call__(self, answer: object, expected: object, /) -> bool:
        """Compare a contender's answer with the expected one."""


class Folder:
    """A folder that is deleted with this object."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="trajmeter-bench-"))
        finalize(self, rmtree, self.path)


@dataclass(frozen=True)
class Built:
    """A workload in memory."""

    functions: Mapping[str, Callable[[], object]]
    """What each contender runs, by its name."""
    answer: object
    """What each has to return, found in another way where there is one."""
    other_answers: Mapping[str, object] = field(default_factory=dict)
    """What contenders return that compute something else, and are there for their pace."""


@dataclass(frozen=True)
class Case:
    """A row of the table."""

    kernel: str
    """What is measured."""
    workload: str
    """On what, and why it is there."""
    size: int
    """How many units the workload holds; the answers alone are checked on 1,000 at most."""
    unit: str
    """What is counted, in the singular."""
    build: Callable[[int], Built]
    """Makes the workload of a size."""
    contenders: tuple[str, ...]
    """Names of the contenders, the subject first, peers after it."""
    same: Same
    """How answers are compared."""
    prepared: str
    """What was made before the clock runs."""
    bars: Mapping[str, float] = field(default_factory=dict)
    """By how many times the subject should outrun a peer."""
    least_rate: float | None = None
    """How many units a second the subject should do."""
    most_seconds: float | None = None
    """How long one call of the subject may take."""
    parallel: bool = False
    """Whether the subject uses threads, so that it is timed on one and on all."""

    @property
    def name(self) -> str:
        """Return kernel and workload."""
        return f"{self.kernel}: {self.workload}"


@dataclass(frozen=True)
class Entry:
    """One contender in one case."""

    case: Case
    """The row."""
    contender: str
    """The name of the contender."""

    def __str__(self) -> str:
        return f"{self.case.name} [{self.contender}]"

    def run(
        self,
        benchmark: BenchmarkFixture,
        *,
        rounds: int | None = None,
        smoke_size: int = _SMOKE_SIZE,
    ) -> None:
        """Check the contender's answer, then time it.

        Args:
            benchmark: The fixture.
            rounds: How many calls to time, for calls of seconds; by default as many as are needed.
            smoke_size: Size of the workload if nothing is timed.
        """
        case = self.case
        size = min(case.size, smoke_size) if benchmark.disabled else case.size
        built = _built(case.build, size)
        function = built.functions[self.contender]
        seconds, answer = _timed(function)
        expected = built.other_answers.get(self.contender, built.answer)
        assert case.same(answer, expected), f"{self}: wrong answer"
        del answer
        if seconds < _SHORT:  # what a first call finds cold would leave rounds of one call
            seconds = _timed(function)[0]
        benchmark.group = case.name
        benchmark.extra_info["contender"] = self.contender
        pedantic: Callable[..., object] = benchmark.pedantic
        if rounds is not None:
            pedantic(function, rounds=rounds)
            return
        iterations = max(1, math.ceil(_ROUND_SECONDS / seconds))
        rounds = int(_CONTENDER_SECONDS / (seconds * iterations))
        rounds = min(max(rounds, _LEAST_ROUNDS), _MOST_ROUNDS)
        pedantic(function, iterations=iterations, rounds=rounds, warmup_rounds=1)


def entries(cases: Iterable[Case]) -> Sequence[Entry]:
    """List every contender of every case, a case's contenders side by side."""
    return [Entry(case, contender) for case in cases for contender in case.contenders]


def _timed(function: Callable[[], object]) -> tuple[float, object]:
    """Return how many seconds a call takes, and its answer."""
    begin = perf_counter()
    answer = function()
    return perf_counter() - begin, answer


@lru_cache(maxsize=1)
def _built(build: Callable[[int], Built], size: int) -> Built:
    """Keep the workload for the next contender, but no other, as some are large."""
    return build(size)
