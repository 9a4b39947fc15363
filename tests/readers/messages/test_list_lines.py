"""Lists of messages on lines, read into columns in Rust, beside reading them as records."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from hashlib import sha512
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records
from tests.readers.files.test_content import zstd
from tests.readers.messages.any_messages import anything, conversations
from tests.readers.messages.test_columns import COLUMNS
from tests.readers.messages.test_turns import ONE_CALL
from tests.readers.test_ingest_lines import SUBSTITUTIONS
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.readers.pieces import PieceMaker, batches_of
from trajmeter.system.pipes import keeping_pipes

if TYPE_CHECKING:
    from trajmeter.records import ReadProblem

pytestmark = pytest.mark.usefixtures("rust")

ASK = {"role": "user", "content": "Mend it."}
SAID = [ASK, {"role": "assistant", "content": "Done."}]
LISTS = f"{json.dumps(SAID)}\n" * 3


def same(content: bytes, columns: Any = COLUMNS, name: str = "talk.jsonl") -> tuple[int, int]:
    """Hold both readers to the same rows and problems; how many rows, and how many as records."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        read, as_record = as_batches(path, columns)
        assert read == as_records(path, columns)
    return len(read.rows), as_record


@pytest.mark.parametrize("program", ONE_CALL)
def test_lists_of_every_program_but_one_are_read_in_rust(program: str) -> None:
    line = json.dumps(ONE_CALL[program]) + "\n"
    left_out = 3 * (program == "pydantic-ai")
    assert same(3 * line.encode()) == (3, left_out)


@pytest.mark.parametrize(
    ("content", "counted"),
    [
        (LISTS + "\n \r\n" + LISTS, (6, 0)),
        ("\ufeff" + LISTS + "\ufeff" + LISTS, (6, 0)),
        (LISTS.replace("\n", "\r\n"), (3, 0)),
        (LISTS.rstrip(), (3, 0)),
        (LISTS + '[{"role": "user", "cont\n' + LISTS, (6, 1)),
        (LISTS + "[]\n[3]\n[[]]\n" + LISTS, (9, 3)),
        (LISTS + LISTS[:-1] + " 3\n", (5, 1)),
        (LISTS + "".join(f"{json.dumps(each)}\n" for each in SAID) + LISTS, (7, 2)),
        (LISTS + '3\n"x"\nnull\n{}\n' + LISTS, (6, 4)),
        (LISTS + json.dumps([*SAID, {"role": "tool"}]), (4, 1)),
        (LISTS + json.dumps([*SAID, "\ud83d"]), (4, 1)),
        (LISTS + "[" * 300 + "\n" + LISTS, (6, 1)),
        ((json.dumps(ASK) + "\n") * 4 + LISTS, (4, 0)),
    ],
    ids=[
        *("blank lines", "byte order marks", "returns", "no newline", "broken", "odd lists"),
        *("two on a line", "messages among them", "other values", "a result of no call"),
        *("half a character", "deep", "messages first"),
    ],
)
def test_lines_that_are_odd(content: str, counted: tuple[int, int]) -> None:
    assert same(content.encode()) == counted


def test_half_a_character_in_the_kind_of_a_part_makes_no_result() -> None:
    call, _ = ONE_CALL["anthropic"]
    parts = [{"type": "\ud800", "tool_use_id": "c1", "content": "x"}]
    line = json.dumps([call, {"role": "user", "content": parts}])
    assert same(f"{LISTS}{line}\n".encode()) == (4, 1)


def test_bytes_that_are_not_text() -> None:
    assert same(LISTS.encode() + b'[{"role": "user", "content": "\xff"}]\n') == (3, 1)


@given(st.lists(conversations() | anything, max_size=4), st.data())
@example([SAID, ASK, SAID], None)
def test_same_rows_and_problems_as_records(found: list[Any], data: st.DataObject | None) -> None:
    text = "\n".join(map(json.dumps, [SAID, *found]))
    columns: tuple[str, ...] | None = COLUMNS
    if data is not None:
        for old, new in data.draw(st.lists(st.sampled_from(SUBSTITUTIONS), max_size=2)):
            text = text.replace(old, new, 1)
        cut = data.draw(st.none() | st.integers(0, len(text)))
        text = text[:cut] + LISTS
        some = st.lists(st.sampled_from(COLUMNS), max_size=4).map(tuple)
        columns = data.draw(st.sampled_from([COLUMNS, None]) | some)
    same(text.encode(), columns)


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_compressed_lists(compress: Any) -> None:
    assert same(compress(LISTS.encode()), name="talk.jsonl.gz") == (3, 0)


def test_a_compressed_file_that_is_cut_off() -> None:
    notes = (sha512(b"%d" % number).hexdigest() for number in range(1_500))
    lists = ([ASK, {"role": "assistant", "content": note}] for note in notes)
    whole = gzip.compress("".join(f"{json.dumps(each)}\n" for each in lists).encode())
    rows, as_record = same(whole[: len(whole) * 2 // 3], name="talk.jsonl.gz")
    assert 0 < rows < 1_500
    assert as_record == 0


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LISTS.encode())))
    batches = TrajectoryBatches("-", columns=["turns"])
    with keeping_pipes():
        (batch,) = batches
        assert batches.formats == {"message-lists": 3}
    assert batch["source"].to_pylist() == [
        {"file": "-", "line": line, "record": None} for line in (1, 2, 3)
    ]
    assert batches.lines_as_records == 0


@pytest.mark.parametrize("size", [1, 200, 1 << 20])
def test_blocks_do_not_matter(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajmeter.readers.messages.columns.BLOCK_BYTES", size)
    assert same((LISTS + "x\n" + json.dumps(ASK) + "\n" + LISTS).encode()) == (7, 2)


def in_pieces(path: Path, size: int) -> tuple[list[Any], list[str], int]:
    """Rows and problems of the pieces of a file, and how many pieces there are."""
    problems: list[ReadProblem] = []
    maker = PieceMaker(piece_bytes=size, piece_rows=2)
    pieces = [*maker.pieces(path)]
    rows = [
        row
        for piece in pieces
        for batch in batches_of([piece], {}, {}, problems.append)
        for row in batch.to_pylist()
    ]
    return rows, [str(problem) for problem in problems], len(pieces)


@pytest.mark.parametrize("backend", ["rust", "python"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_lists_are_read_in_pieces(
    backend: str, compress: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: backend)
    path = tmp_path / "talk.jsonl"
    path.write_bytes(compress((LISTS + "\n" + '[{"role"\n' + LISTS + "[3]").encode()))
    problems: list[ReadProblem] = []
    whole = [
        row
        for batch in TrajectoryBatches(path, on_problem=problems.append)
        for row in batch.to_pylist()
    ]
    assert [row["source"]["line"] for row in whole] == [1, 2, 3, 6, 7, 8, 9]
    for size in range(20, 400, 19):
        rows, found, count = in_pieces(path, size)
        assert (rows, found) == (whole, [str(problem) for problem in problems])
        assert count > 1


@pytest.mark.parametrize(
    "content",
    [
        LISTS + json.dumps(ASK) + "\n" + LISTS,
        LISTS + " " * 70_000 + "3\n" + LISTS,
        json.dumps([SAID, SAID]),
        "".join(f"{json.dumps(each)}\n" for each in SAID * 9),
    ],
    ids=["a message among them", "a number", "a document", "messages"],
)
def test_a_file_is_not_cut_where_a_line_is_not_a_list(content: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(content)
    assert in_pieces(path, 100)[2] == 1


def test_blank_lines_and_long_ones_do_not_keep_a_file_from_being_cut(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    long = json.dumps([*SAID, {"role": "assistant", "content": "x\ny" * 70_000}])
    path.write_text(LISTS + "\n" * 9 + " " * 70_000 + long + "\n \n" + LISTS)
    rows, problems, count = in_pieces(path, 400)
    assert (len(rows), problems) == (7, [])
    assert count > 1
