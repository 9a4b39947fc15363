"""Small repositories and views of them, valid and invalid."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, get_args

from hypothesis import strategies as st

from tests.kernels.strategies import integers
from trajmeter.kernels import ContextFile, ContextRules, FileTables, GoldLines, ResolvedPath
from trajmeter.records import Extent, Turn, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import ContextKernel, Kernels

RULES: tuple[ContextRules, ...] = get_args(ContextRules)
LOST = ("lost.py", "away/gone.py")
LEAKED = "fix.patch"


def lines_view(first: int, last: int) -> View:
    return View(path="a.py", extent=Extent.LINES, start=first, end=last)


def tables(
    size: int,
    line_starts: Sequence[int],
    definitions: Sequence[tuple[int, int]] = (),
    names: Sequence[str] = (),
) -> FileTables:
    """Tables of a file with definitions of these names."""

    def named(name: str) -> list[int]:
        return [index for index, own in enumerate(names) if own == name]

    return FileTables(
        size=size,
        line_starts=integers(list(line_starts)),
        definition_start=integers([start for start, _ in definitions]),
        definition_end=integers([end for _, end in definitions]),
        named=named,
    )


TEN_LINES = tables(100, range(0, 101, 10), [(0, 50), (10, 30), (70, 90)], ["f", "g", "h"])


@dataclass
class World:
    """Files by path, their gold, and how often each path was requested."""

    files: dict[str, ContextFile]
    gold: list[GoldLines] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def resolve(self, path: str) -> ResolvedPath:
        self.asked.append(path)
        return ResolvedPath(self.files.get(path), leak=path == LEAKED)

    def kernel(self, kernels: Kernels, rules: ContextRules = "default") -> ContextKernel:
        return kernels.context(kernels.context_files(self.resolve, rules), self.gold)


@st.composite
def _tables(draw: st.DrawFn) -> FileTables:
    lengths = draw(st.lists(st.integers(1, 4), max_size=6))
    line_starts = [0, *accumulate(lengths)]
    size = line_starts[-1] + draw(st.integers(0, 3))
    byte = st.integers(0, size)
    spans = st.tuples(byte, byte).map(lambda pair: (min(pair), max(pair)))
    definitions = sorted(draw(st.lists(spans, max_size=5)))
    names = draw(st.lists(st.sampled_from("fgh"), max_size=len(definitions)))
    return tables(size, line_starts, definitions, names)


_NUMBERS = st.integers(-3, 12)
_ODD_NUMBERS = st.sampled_from([None, -1, 2**62, 2**63, -(2**63) - 1, 10**30, -(10**30)])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    kinds = draw(st.lists(st.none() | _tables(), min_size=1, max_size=3))
    files = [ContextFile(code, known) for code, known in enumerate(kinds)]
    paths = {f"{file.code}.py": file for file in files}
    # Another path to the first file, and a patch that lies in the repository.
    paths["./0.py"] = files[0]
    paths[LEAKED] = files[-1]
    line = _NUMBERS | st.sampled_from([2**61, -(10**30)])
    gold = st.builds(GoldLines, st.sampled_from(files), line, line, st.booleans())
    return World(paths, draw(st.lists(gold, max_size=4)))


def views(world: World) -> st.SearchStrategy[View]:
    number = _NUMBERS | _ODD_NUMBERS
    return st.builds(
        View,
        path=st.sampled_from([*world.files, *LOST]),
        extent=st.sampled_from(Extent),
        start=number,
        end=number,
        symbols=st.lists(st.sampled_from(["f", "g", "none"]), max_size=2).map(tuple),
        listed=st.booleans(),
    )


@st.composite
def trajectories(
    draw: st.DrawFn,
) -> tuple[World, tuple[Turn, ...], tuple[View, ...] | None]:
    """A world with turns in it, some of which are no steps, and optional final views."""
    world = draw(worlds())
    step = st.lists(views(world), max_size=4).map(tuple)
    turns = st.lists((step | st.none()).map(lambda seen: Turn(views=seen)), max_size=5)
    return world, tuple(draw(turns)), draw(st.none() | step)
