"""The beginning of a file: both kernels find the words that occur with their quotes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajmeter.readers._recognition.beginnings import Beginning, words_in_quotes
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.index import WORDS

parts = st.sampled_from([b'"', b'""', b"a", b"b", b"aa", b"\\", b": ", b"\xff", b"\n", b"x" * 70])
texts = st.lists(parts, max_size=30).map(b"".join)
sought = st.frozensets(texts.filter(lambda word: b'"' not in word), max_size=8)


def found(backend: str, words: frozenset[bytes], text: bytes) -> frozenset[bytes]:
    if backend == "rust":
        rust = pytest.importorskip("trajmeter.kernels._rust")
        return frozenset(rust.QuotedWords([*words]).found_in(text))
    return words_in_quotes(words, text)


@pytest.mark.parametrize("backend", ["python", "rust"])
@given(words=sought, text=texts)
@example(words=frozenset({b""}), text=b'"')
@example(words=frozenset({b"", b"x" * 62, b"x" * 63, b"x" * 64}), text=b'""' + b"x" * 64 + b'"')
def test_words_are_found_where_they_occur_in_quotes(
    backend: str, words: frozenset[bytes], text: bytes
) -> None:
    expected = frozenset(word for word in words if b'"%s"' % word in text)
    assert found(backend, words, text) == expected


@pytest.mark.parametrize("backend", ["python", "rust"])
def test_the_words_of_formats_are_found_in_long_texts(backend: str) -> None:
    text = b",".join(b'{"a": "%s"}' % word for word in sorted(WORDS))
    assert found(backend, WORDS, text * 500) == WORDS
    assert found(backend, WORDS, text[1:].replace(b'"', b"'") * 500) == frozenset()


def test_half_a_surrogate_pair_hides_no_document() -> None:
    whole = b'{"role": "x\\ud800", "content": [1]}'
    expected = ({"role": "x\ufffd", "content": [1]},)
    assert beginning(whole) == expected
    assert beginning(whole.replace(b" ", b"\n")) == expected
    assert beginning(whole.replace(b" ", b"\n")[:-2]) == expected


def test_no_word_of_a_format_contains_a_quote() -> None:
    assert all(word and b'"' not in word for word in WORDS)


def test_words_are_sought_for_the_formats_that_look_for_them() -> None:
    head = Beginning(b'{"role": "user"}', frozenset({b"role", b"kind"}))
    assert head.holds_any(frozenset({b"role", b"lc"}))
    assert not head.holds_any(frozenset({b"kind"}))
    assert not head.holds_any(frozenset())


@pytest.mark.parametrize(
    ("content", "traits"),
    [
        (b'\xef\xbb\xbf {"a": 1}\n{', (False, True, True, False)),
        (b'[\n"\\u0061"]', (False, True, False, True)),
        (b"[a] b\n", (False, True, False, False)),
        (b"\\u00e9 {", (False, False, False, False)),
        (b"PAR1[", (True, False, False, False)),
        (b"PK\x03\x04]\n", (True, False, True, False)),
        (b"", (False, False, False, False)),
    ],
)
def test_the_traits_of_a_beginning(content: bytes, traits: tuple[bool, ...]) -> None:
    head = Beginning(content, WORDS)
    found = head.is_binary, head.is_json, head.ends_as_json, head.has_escapes
    assert found == traits
