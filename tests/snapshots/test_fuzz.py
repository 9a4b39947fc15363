"""Whatever a file holds, its entry is one that can be read, within the file, in order."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.snapshots.test_definitions import EXPECTED
from trajmeter.snapshots._entries import file_entry, read_entry
from trajmeter.snapshots._languages import LANGUAGES, LanguageRules, language_of

_SOURCES = {language_of(file): source.encode() for file, source in EXPECTED}
_SCRAPS = st.sampled_from(
    [b"", b"{", b")", b'"', b"\n", b"\0", b"\xff", b"\xc3", b"class ", b"def "]
)


@st.composite
def _files(draw: st.DrawFn) -> tuple[LanguageRules, bytes]:
    """Any bytes, or a source of the language with a part left out and a scrap put in."""
    language = draw(st.sampled_from(LANGUAGES))
    if draw(st.booleans()):
        return language, draw(st.binary(max_size=200))
    source = _SOURCES[language]
    start, end = sorted(draw(st.integers(0, len(source))) for _ in range(2))
    return language, source[:start] + draw(_SCRAPS) + source[end:]


@given(file=_files(), naming=st.sampled_from(["default", "contextbench"]))
def test_every_file_has_an_entry(file: tuple[LanguageRules, bytes], naming: str) -> None:
    language, content = file
    entry = file_entry(content, language, "contextbench" if naming == "contextbench" else "default")
    read = read_entry(entry)
    assert read.size == len(content)
    assert read.line_starts.tolist() == [
        0,
        *(at + 1 for at, byte in enumerate(content) if byte == ord("\n")),
    ]
    assert (read.definitions is None) == (b"\0" in content)
    found = json.loads(entry).get("definitions", [])
    places = [(start, -end) for _, start, end, _ in found]
    assert places == sorted(places)
    assert all(0 <= start <= end <= len(content) for _, start, end, _ in found)
    assert {kind for kind, *_ in found} <= set(language.kinds)
