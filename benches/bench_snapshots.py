"""Definitions in a repository of Python files, compared with a walk over tree-sitter's trees.

The files are those of the standard library, repeated, each with a different last line. *Cold* takes
the snapshot with an empty cache, in one process per processor; *warm* has seen every file. The
alternatives are what one would write in Python: a loop that parses each file and visits every node,
with a recursive generator or with a stack.
"""

from __future__ import annotations

import atexit
import shutil
import sysconfig
import tempfile
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter.snapshots import take_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_benchmark.fixture import BenchmarkFixture
    from tree_sitter import Node, Tree

_KINDS = {"function_definition", "class_definition"}
_LEAST, _MOST = 1_000, 60_000
"""Bytes of the files: leave out empty ones, and a few of megabytes."""


def _write(root: Path, count: int) -> None:
    found = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("**/*.py"))
    sources = [each for each in found if _LEAST <= each.stat().st_size <= _MOST]
    for number, source in enumerate(islice(cycle(sources), count)):
        place = root / f"part{number // 100}" / f"{number}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(source.read_bytes() + b"\n# %d\n" % number)


def _snapshot(root: Path, cache: Path, *, cold: bool) -> int:
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    files = take_snapshot(root, cache=cache).files.values()
    assert all(len(file.line_starts) > 1 for file in files)
    return sum(len(file.definitions or ()) for file in files)


def _node_walk(root: Path, nodes: Callable[[Tree], Iterator[Node]]) -> int:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    parser = Parser(Language(tree_sitter_python.language()))
    definitions = []
    for place in root.glob("**/*.py"):
        content = place.read_bytes()
        starts = [0]
        for line in content.split(b"\n")[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        for node in nodes(parser.parse(content)):
            if node.type in _KINDS:
                name = node.child_by_field_name("name")
                text = name.text if name is not None else None
                definitions.append((node.type, node.start_byte, node.end_byte, text))
    return len(definitions)


def _by_generator(tree: Tree) -> Iterator[Node]:
    def visit(node: Node) -> Iterator[Node]:
        yield node
        for child in node.children:
            yield from visit(child)

    return visit(tree.root_node)


def _by_stack(tree: Tree) -> Iterator[Node]:
    left = [tree.root_node]
    while left:
        node = left.pop()
        yield node
        left.extend(reversed(node.children))


def _build(subject: str, count: int) -> Built:
    folder = Path(tempfile.mkdtemp(prefix="trajmeter-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    root, cache = folder / "files", folder / "cache"
    root.mkdir()
    _write(root, count)
    answer = _snapshot(root, cache, cold=True)
    functions: dict[str, Callable[[], object]] = {
        subject: partial(_snapshot, root, cache, cold=subject == "cold"),
        "node walk": partial(_node_walk, root, _by_generator),
        "stack of nodes": partial(_node_walk, root, _by_stack),
    }
    return Built(functions=functions, answer=answer)


CASES = [
    Case(
        kernel=f"snapshot, {subject}",
        workload="5,000 Python files",
        size=5_000,
        unit="file",
        build=partial(_build, subject),
        contenders=(subject, "node walk", "stack of nodes"),
        same=lambda answer, expected: answer == expected,
        prepared="files in a folder",
        bars={"node walk": bar},
    )
    for subject, bar in (("cold", 3), ("warm", 20))
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_snapshots(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark, rounds=1, smoke_size=60)
