"""Names of definitions that the grammar leaves without one, or gives more than a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trajmeter.snapshots._definitions import definitions
from trajmeter.snapshots._languages import language_of

if TYPE_CHECKING:
    from trajmeter.snapshots._definitions import Definition, Naming


def _found(file: str, source: bytes, naming: Naming = "default") -> list[Definition]:
    language = language_of(file)
    assert language is not None
    return definitions(source, language, naming)


@pytest.mark.parametrize(
    ("file", "source", "name"),
    [
        ("a.go", "package p\ntype (\n\t// A Book is lent.\n\tBook struct{}\n)", "Book"),
        ("a.go", "package p\ntype ( /* of pages */ Count = int )", "Count"),
        ("a.go", "package p\ntype Shelf[T any] struct{}", "Shelf"),
        ("a.go", "package p\ntype ()", None),
        ("a.swift", "extension Library.Shelf {}", "Shelf"),
        ("a.swift", "extension Library.Shelf<Book>.Row {}", "Row"),
        ("a.swift", "extension Shelf<Book> {}", "Shelf"),
        ("a.swift", "extension [Book] {}", "[Book]"),
        ("a.swift", "extension [String: Book] {}", "[String: Book]"),
        ("a.swift", "actor Shelf {}", "Shelf"),
        ("a.cpp", "int (size /* in pages */)(int n) { return n; }", "size"),
        ("a.rs", "impl<T> Loan for &[T] {}", "[T]"),
        ("a.js", "shelf.#loan = () => 1;", "#loan"),
        ("a.js", "export default () => 1;", None),
        ("a.cpp", "typedef class { int x; } Point;", "Point"),
    ],
)
def test_default_names(file: str, source: str, name: str | None) -> None:
    assert _found(file, source.encode())[0].name == name


def test_errors_within_what_names_a_definition_do_not_hide_the_name() -> None:
    found = _found("a.js", b"const loan = () => { @@ };\nconst renew = () => 1;")
    assert [each.name for each in found] == ["loan", "renew"]


def test_contextbench_names_far_from_the_beginning() -> None:
    values = b"1," * 300
    source = b"f(() => [%s shelf.books, [%s library]]);\nf(() => [%s this.shelf]);" % (
        values,
        values,
        values,
    )
    found = _found("a.js", source, "contextbench")
    assert [each.name for each in found] == ["shelf", "shelf"]
