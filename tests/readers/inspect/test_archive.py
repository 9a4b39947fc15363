"""Archives that would take much more memory or time than their size."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tests.readers.inspect.archives import STORED, archive
from tests.readers.inspect.samples import HEADER, SAID, sample
from tests.readers.inspect.test_logs import NAME, read

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sample_in_parts_lists_a_bounded_number_of_messages(tmp_path: Path) -> None:
    folder = "samples/a_epoch_1"
    shell = {key: value for key, value in sample(id="a").items() if key != "messages"}
    path = tmp_path / "run.eval"
    path.write_bytes(
        archive(
            ("header.json", HEADER),
            (NAME, sample()),
            (f"{folder}/sample.json", {**shell, "message_refs": [[0, 10**30]] * 50_001}),
            (f"{folder}/messages/0.json", [SAID, SAID]),
            (f"{folder}/messages/{'9' * 5000}.json", [SAID]),
        )
    )
    (attempt,), problems = read(path)
    assert attempt.task_id == sample()["id"]
    assert [each.message for each in problems] == ["the sample has more than 100,000 messages"]


def test_entries_that_overlap_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    content = archive(("header.json", HEADER), (NAME, sample()), method=STORED)
    entry = content[content.index(b"PK\x01\x02", content.index(NAME.encode())) :]
    directory, end = entry[:-22], entry[-22:]
    begin = struct.unpack_from("<L", end, 16)[0]
    ending = struct.pack("<4H2LH", 0, 0, 20, 20, 10 * len(directory), begin, 0)
    path.write_bytes(content[:begin] + directory * 10 + b"PK\x05\x06" + ending)
    attempts, problems = read(path)
    assert attempts == []
    assert [each.message for each in problems] == ["invalid ZIP archive: its entries overlap"]
