"""What is known of the bytes of a file: the same by both backends, and however they are read."""

from __future__ import annotations

from io import BytesIO
from zlib import crc32

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajmeter.readers._files import scanning
from trajmeter.readers._files.scanning import Content, scan

contents = st.lists(st.sampled_from([b"", b"\n", b"a", b"\xff\x00", b"\r\n", b"x" * 1_200]))


@pytest.mark.parametrize("backend", ["python", "rust"])
@given(parts=contents, more=st.integers(0, 3), block=st.sampled_from([1, 3, 1_000, 1 << 20]))
@example(parts=[b"x" * 1_200, b"\n"] * 100, more=1, block=1 << 20)  # counted in several parts
def test_crc_and_lines(backend: str, parts: list[bytes], more: int, block: int) -> None:
    if backend == "rust":
        pytest.importorskip("trajmeter.kernels._rust")
    content = b"".join(parts)
    lines = len(content.split(b"\n")) - (content[-1:] in {b"", b"\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trajmeter.kernels.backend", lambda: backend)
        patch.setattr(scanning, "_BLOCK", block)
        found = scan(BytesIO(content + b"\n" * more), len(content))
    assert found == Content(crc32(content), lines)


def test_no_bytes() -> None:
    assert scan(BytesIO(b""), 5) == Content(0, 0)
    assert Content(0xABC, 1).name == "crc32:00000abc"
