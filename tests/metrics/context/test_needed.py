"""Files that scoring needs: among them, every path means what it means among all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.metrics.context.needed import VIEW_COLUMNS, ViewedPaths, needed
from trajmeter.metrics.context.paths import find, find_any, gold_as_written
from trajmeter.records import Extent, GoldRange, Task, Trajectory, Turn, View
from trajmeter.schemas import trajectory_batch

FILES = {".github/a.yml", "a.py", "lib/a.py", "lib/b.py", "src/lib/b.py", "setup.py"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("lib/b.py", {"lib/b.py"}),
        ("/testbed/src/lib/b.py", {"src/lib/b.py", "lib/b.py"}),  # as its folders are dropped
        ("'./src/../lib/b.py'", {"lib/b.py"}),
        ("a.py", {"a.py", "lib/a.py"}),  # the second makes the bare name ambiguous
        ("b.py", set()),
        ("/testbed/../tmp/setup.py", {"setup.py"}),
        (".github/a.yml", {".github/a.yml"}),
        ("../outside.py", set()),
        ("", set()),
    ],
)
def test_files_that_a_path_may_mean(path: str, expected: set[str]) -> None:
    assert needed([path], FILES) == expected


_NAMES = st.sampled_from(
    ["a.py", "b.py", "lib", "src", "testbed", "tmp", "..", ".", "site-packages"]
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)
_FILE_NAMES = st.sampled_from(["a.py", "b.py", "lib", "src", "tmp", ".x"])
_ALL_FILES = st.sets(st.lists(_FILE_NAMES, min_size=1, max_size=3).map("/".join), max_size=8)


@given(paths=st.lists(st.tuples(st.booleans(), _PATHS), max_size=4), files=_ALL_FILES)
def test_every_path_means_the_same_among_the_files_needed(
    paths: list[tuple[bool, str]], files: set[str]
) -> None:
    raw = ["/" * absolute + path for absolute, path in paths]
    kept = needed(raw, files)
    assert kept <= files
    for path in raw:
        assert find(path, kept, "lib") == find(path, files, "lib")
        assert find_any(path, kept) == find_any(path, files)
        assert (gold_as_written(path) in kept) == (gold_as_written(path) in files)


def test_paths_of_attempts_and_gold_by_task() -> None:
    viewed = ViewedPaths()
    attempts = [
        Trajectory(
            task_id="t1",
            turns=(
                Turn(
                    views=(
                        View(path="a.py", extent=Extent.LINES, start=1, end=2),
                        View(path="b.py", extent=Extent.WHOLE),
                    )
                ),
                Turn(),
                Turn(views=()),
                Turn(views=(View(path="a.py", extent=Extent.WHOLE),)),
            ),
            final_views=(View(path="c.py", extent=Extent.UNKNOWN),),
        ),
        Trajectory(task_id="t2"),
        Trajectory(task_id="other", turns=(Turn(views=(View(path="ü.py", extent=Extent.WHOLE),)),)),
    ]
    viewed.add(trajectory_batch(attempts, columns={"task_id", *VIEW_COLUMNS}))
    viewed.add(trajectory_batch([Trajectory(task_id="t2", final_views=(View(path="d.py"),))]))
    one = Task(id="t1", gold_ranges=(GoldRange(path="g.py", first_line=1, last_line=2),))
    two = Task(id="t2x", aliases=("t2",))
    assert viewed.of([one]) == {"a.py", "b.py", "c.py", "g.py"}
    assert viewed.of([two]) == {"d.py"}
    assert viewed.of([]) == set()
    assert viewed.of(None) == {"a.py", "b.py", "c.py", "d.py", "ü.py"}
