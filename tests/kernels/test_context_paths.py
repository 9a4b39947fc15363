"""The rules for paths in Rust, held against those of the record path."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernels.attempts import Attempt, columns
from trajmeter.kernels import CONTEXT_COUNTS, ContextFile, FileListing, PathSearch
from trajmeter.metrics.context import paths
from trajmeter.records import View

if TYPE_CHECKING:
    from collections.abc import Collection

    from trajmeter.kernels import Kernels, ResolvedPath

_PARTS = st.sampled_from(
    ["a.py", "b.py", "src", "..", ".", "", "testbed", "home", "workspace", "widget", "tmp"]
) | st.sampled_from(["site-packages", "fix.patch", "test.patch", "'", "é.py", "C:", " x"])
_MARKS = st.sampled_from(["/", "//", "\\", "/./"])
_ENDS = st.sampled_from(["", "/", "'", '"', " ", "`", "./", "\x1c", "\u2003", "\x85'"])
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@st.composite
def _raw_paths(draw: st.DrawFn) -> str:
    parts = draw(st.lists(_PARTS, max_size=5))
    joined = "".join(part + draw(_MARKS) for part in parts[:-1]) + "".join(parts[-1:])
    return draw(_ENDS) + joined + draw(_ENDS)


_RAW = _raw_paths() | _TEXT
_FILES = st.sets(
    st.lists(_PARTS, min_size=1, max_size=3).map("/".join) | _TEXT, min_size=0, max_size=6
)
_REPOS = st.sampled_from([None, "acme/widget", "acme__widget", "widget", "", "/"]) | _TEXT


def _found(
    rust: Kernels, raw: str, search: PathSearch, files: Collection[str], repo: str | None
) -> tuple[str | None, bool]:
    """Where Rust finds a path to lead, and whether it calls it a leak."""
    asked: list[str] = []

    def load(path: str) -> ContextFile:
        asked.append(path)
        return ContextFile(0, None)

    def never(path: str) -> ResolvedPath:
        raise AssertionError(path)

    listing = FileListing(search, repo, files, load)
    task = rust.context(rust.context_files(never, "default", listing), ())
    counts = rust.context_batch([task], *columns([Attempt(0, (), (View(path=raw),))])).counts
    shown = dict(zip(CONTEXT_COUNTS, counts.tolist(), strict=True))
    assert shown["unresolved_paths"] == (not asked)
    return (asked[0] if asked else None), bool(shown["leaked_views"])


@given(_RAW, st.sampled_from(get_args(PathSearch)), _FILES, _REPOS)
@example("/testbed/src/a.py", "careful", {"src/a.py"}, None)
@example("//a.py", "any_left", {"//a.py", "a.py"}, None)
@example("x/..", "any_left", {"."}, None)
@example("\x1c'/home/x/fix.patch'\x1f", "unlisted", set(), None)
def test_paths_lead_where_the_twin_says(
    rust: Kernels, raw: str, search: PathSearch, files: set[str], repo: str | None
) -> None:
    expected = {
        "careful": lambda: paths.find(raw, files, repo),
        "any_left": lambda: paths.find_any(raw, files),
        "unlisted": lambda: paths.file_path(raw, repo),
    }[search]()
    assert _found(rust, raw, search, files, repo) == (expected, paths.is_leak(raw))


def test_names_that_are_not_unicode_are_left_to_python(rust: Kernels) -> None:
    asked: list[str] = []

    def resolve(path: str) -> ResolvedPath:
        asked.append(path)
        raise LookupError(path)

    listing = FileListing("careful", None, ["\udc80.py"], lambda _: ContextFile(0, None))
    task = rust.context(rust.context_files(resolve, "default", listing), ())
    batch = columns([Attempt(0, (), (View(path="a.py"),))])
    for _ in range(2):
        try:
            rust.context_batch([task], *batch)
        except LookupError:
            continue
        raise AssertionError
    assert asked == ["a.py", "a.py"]
