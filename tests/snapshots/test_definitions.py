"""Definitions in hand-written sources of each language.

Expected are, in order, the kind, the name and the whole text of each definition.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from trajmeter.snapshots._definitions import Definition, _all, _tools, definitions
from trajmeter.snapshots._languages import LANGUAGES, language_of

PYTHON = """\
import os

@wraps
def outer(x):
    async def inner(): return x
    return inner

class Shelf:
    def loan(self): pass

short = lambda: 1
"""

JAVASCRIPT = """\
const add = (a, b) => a + b;
shelf.loan = () => 1;
class Shelf { size = () => 2; loan() {} }
const made = { renew: () => 3 };
books.map((book) => book.title);
function* all() {}
function one() {}
"""

TYPESCRIPT = """\
interface Book { title: string }
abstract class Base { loan(): void {} }
class Shelf { get size() { return 1 } }
const add = (a: number) => a;
export function one(): void {}
type Title = { text: string };
enum State { Lent }
"""

TSX = "export function Shelf() { return <ul>{books.map(b => <li>{b}</li>)}</ul>; }\n"

JAVA = """\
class Shelf {
  Shelf() {}
  int size() { return 1; }
  interface Loan { void renew(); }
  enum State { LENT }
  record Book(String title) {}
}
"""

GO = """\
package shelf

type Book struct { Title string }
type (
	Count int
	Name = string
)
func (b *Book) Loan() {}
func New() *Book { return nil }
"""

RUST = """\
struct Book;
enum State { Lent }
mod loans { fn renew() {} }
trait Loan { fn due(&self); }
impl<'a> Loan for shelf::Shelf<'a> { fn due(&self) {} }
"""

C = """\
struct book { int pages; };
struct book *first;
typedef struct { int x; } point;
static int *size(struct book *b) { return 0; }
int declared(void);
"""

CPP = """\
class Later;
struct Point { int x; };
int& Shelf::size() { return n; }
class Shelf { ~Shelf() {} void loan() {} operator bool() { return true; } };
template<class T> T one(T t) { return t; }
enum class State { Lent };
"""

C_SHARP = """\
namespace N {
  interface ILoan { void Renew(); }
  class Shelf { int Size() { return 1; } Shelf() {} }
  struct Point {}
}
"""

PHP = """\
<?php
class Shelf { function size($x) { return 1; } }
interface Loan { function renew(); }
function one() {}
"""

RUBY = """\
module Library
  class Shelf < Base
    def size(x); 1; end
    def self.all; end
  end
end
"""

SWIFT = """\
class Shelf {
  init() {}
  func size(x: Int) -> Int { return 1 }
}
struct Point {}
protocol Loan { func renew() }
extension Shelf {}
"""

KOTLIN = """\
class Shelf {
    fun size(x: Int): Int = 1
}
object Library {}
fun String.shout() {}
"""

SCALA = """\
class Shelf { def size(x: Int): Int = 1 }
trait Loan { def renew: Int }
object Library
"""

EXPECTED = {
    ("a.py", PYTHON): [
        (
            "function_definition",
            "outer",
            "def outer(x):\n    async def inner(): return x\n    return inner",
        ),
        ("function_definition", "inner", "async def inner(): return x"),
        ("class_definition", "Shelf", "class Shelf:\n    def loan(self): pass"),
        ("function_definition", "loan", "def loan(self): pass"),
    ],
    ("a.js", JAVASCRIPT): [
        ("arrow_function", "add", "(a, b) => a + b"),
        ("arrow_function", "loan", "() => 1"),
        ("class_declaration", "Shelf", "class Shelf { size = () => 2; loan() {} }"),
        ("arrow_function", "size", "() => 2"),
        ("method_definition", "loan", "loan() {}"),
        ("arrow_function", "renew", "() => 3"),
        ("arrow_function", None, "(book) => book.title"),
        ("function_declaration", "one", "function one() {}"),  # and no generator
    ],
    ("a.ts", TYPESCRIPT): [
        ("interface_declaration", "Book", "interface Book { title: string }"),
        ("method_definition", "loan", "loan(): void {}"),  # of a class that is none
        ("class_declaration", "Shelf", "class Shelf { get size() { return 1 } }"),
        ("method_definition", "size", "get size() { return 1 }"),
        ("function_declaration", "one", "function one(): void {}"),
    ],
    ("a.tsx", TSX): [("function_declaration", "Shelf", TSX[7:-1])],
    ("a.java", JAVA): [
        ("class_declaration", "Shelf", JAVA[:-1]),
        ("constructor_declaration", "Shelf", "Shelf() {}"),
        ("method_declaration", "size", "int size() { return 1; }"),
        ("interface_declaration", "Loan", "interface Loan { void renew(); }"),
        ("method_declaration", "renew", "void renew();"),
    ],
    ("a.go", GO): [
        ("type_declaration", "Book", "type Book struct { Title string }"),
        ("type_declaration", "Count", "type (\n\tCount int\n\tName = string\n)"),
        ("method_declaration", "Loan", "func (b *Book) Loan() {}"),
        ("function_declaration", "New", "func New() *Book { return nil }"),
    ],
    ("a.rs", RUST): [
        ("struct_item", "Book", "struct Book;"),
        ("function_item", "renew", "fn renew() {}"),
        ("trait_item", "Loan", "trait Loan { fn due(&self); }"),
        (
            "impl_item",
            "Shelf",
            "impl<'a> Loan for shelf::Shelf<'a> { fn due(&self) {} }",
        ),
        ("function_item", "due", "fn due(&self) {}"),
    ],
    ("a.c", C): [
        ("struct_specifier", "book", "struct book { int pages; }"),
        ("struct_specifier", "book", "struct book"),  # a mention
        ("struct_specifier", "point", "struct { int x; }"),
        ("function_definition", "size", "static int *size(struct book *b) { return 0; }"),
        ("struct_specifier", "book", "struct book"),
    ],
    ("a.cpp", CPP): [
        ("class_specifier", "Later", "class Later"),
        ("struct_specifier", "Point", "struct Point { int x; }"),
        ("function_definition", "size", "int& Shelf::size() { return n; }"),
        ("class_specifier", "Shelf", CPP.splitlines()[3][:-1]),
        ("function_definition", "~Shelf", "~Shelf() {}"),
        ("function_definition", "loan", "void loan() {}"),
        ("function_definition", None, "operator bool() { return true; }"),
        ("function_definition", "one", "T one(T t) { return t; }"),
    ],
    ("a.cs", C_SHARP): [
        ("interface_declaration", "ILoan", "interface ILoan { void Renew(); }"),
        ("method_declaration", "Renew", "void Renew();"),
        ("class_declaration", "Shelf", "class Shelf { int Size() { return 1; } Shelf() {} }"),
        ("method_declaration", "Size", "int Size() { return 1; }"),
    ],
    ("a.php", PHP): [
        ("class_declaration", "Shelf", "class Shelf { function size($x) { return 1; } }"),
        ("method_declaration", "size", "function size($x) { return 1; }"),
        ("method_declaration", "renew", "function renew();"),
        ("function_definition", "one", "function one() {}"),
    ],
    ("a.rb", RUBY): [
        ("module", "Library", RUBY[:-1]),
        ("class", "Shelf", RUBY[RUBY.index("class") : RUBY.rindex("\nend")]),
        ("method", "size", "def size(x); 1; end"),
    ],
    ("a.swift", SWIFT): [
        ("class_declaration", "Shelf", SWIFT[: SWIFT.index("\nstruct")]),
        ("function_declaration", "size", "func size(x: Int) -> Int { return 1 }"),
        ("class_declaration", "Point", "struct Point {}"),
        ("protocol_declaration", "Loan", "protocol Loan { func renew() }"),
        ("class_declaration", "Shelf", "extension Shelf {}"),
    ],
    ("a.kt", KOTLIN): [
        ("class_declaration", "Shelf", "class Shelf {\n    fun size(x: Int): Int = 1\n}"),
        ("function_declaration", "size", "fun size(x: Int): Int = 1"),
        ("function_declaration", "shout", "fun String.shout() {}"),
    ],
    ("a.scala", SCALA): [
        ("class_definition", "Shelf", "class Shelf { def size(x: Int): Int = 1 }"),
        ("function_definition", "size", "def size(x: Int): Int = 1"),
        ("trait_definition", "Loan", "trait Loan { def renew: Int }"),
    ],
}


@pytest.mark.parametrize(("file", "source"), EXPECTED, ids=[file for file, _ in EXPECTED])
def test_definitions_of_each_language(file: str, source: str) -> None:
    language = language_of(file)
    assert language is not None
    content = source.encode()
    found = definitions(content, language, "default")
    assert [
        (each.kind, each.name, content[each.start : each.end].decode()) for each in found
    ] == EXPECTED[file, source]


def test_every_language_has_an_example() -> None:
    assert {language_of(file) for file, _ in EXPECTED} == set(LANGUAGES)


@pytest.mark.parametrize(
    ("file", "language"),
    [
        ("a/b.PY", "python"),
        ("a.C", "c"),
        ("a/.py", None),  # a name without an end
        ("py", None),
        ("a.pyi", None),
        ("a.mjs", None),
        ("a.hh", None),
        ("a.h", "c"),  # even in a project of C++
        ("a.hpp", "cpp"),
        ("a.b.jsx", "javascript"),
        ("Makefile", None),
    ],
)
def test_the_end_of_a_name_says_the_language(file: str, language: str | None) -> None:
    found = language_of(file)
    assert (found and found.name) == language


@pytest.mark.parametrize(
    ("file", "source", "name"),
    [
        ("a.js", "f((book) => book.title)", "book"),  # the parameter
        ("a.js", "const add = () => sum;", "sum"),  # the body
        ("a.js", "f(() => {})", None),
        ("a.rs", "impl<'a> Shelf<'a> {}", "a"),  # the lifetime
        ("a.rs", "impl Loan for Shelf { fn due() {} }", "due"),
        ("a.go", "package p\ntype Book struct { Title string }", "Title"),  # the first field
        ("a.go", "package p\ntype Count int", "Count"),
        ("a.c", "typedef struct { int pages; } book;", "pages"),
        ("a.rb", "class A::B\nend", "A::B"),
        ("a.js", "f(() => this.shelf.books)", "shelf"),  # a property
        ("a.cpp", "int Shelf::size() { return books; }", "size"),  # from the declarator
        ("a.cpp", "struct { lib::Book first; };", "first"),
    ],
)
def test_contextbench_takes_the_first_identifier(file: str, source: str, name: str | None) -> None:
    language = language_of(file)
    assert language is not None
    assert definitions(source.encode(), language, "contextbench")[0].name == name


def test_syntax_errors_lose_only_the_definitions_around_them() -> None:
    language = language_of("a.py")
    assert language is not None
    source = b"def before(): pass\n)\xff\xfe(\nclass After:\n    x = '\xe4'\n"
    found = definitions(source, language, "default")
    assert [(each.kind, each.name) for each in found] == [
        ("function_definition", "before"),
        ("class_definition", "After"),
    ]


def test_names_that_are_not_utf_8_are_shown_all_the_same() -> None:
    language = language_of("a.rb")
    assert language is not None
    (found,) = definitions(b"def gr\xfc\xdfe; end\n", language, "default")
    assert (found.start, found.end) == (0, 14)
    assert found.name is not None
    assert found.name.encode()  # such that it can be written


NESTED = b"""
if a:
    def f1(): pass
elif b:
    class C1: pass
else:
    def f2(): pass
for x in y:
    def f3(): pass
else:
    def f4(): pass
while a:
    class C2:
        @property
        def f5(self):
            with a as b:
                async def f6(): pass
else:
    def f7(): pass
try:
    def f8(): pass
except A:
    def f9(): pass
else:
    def f10(): pass
finally:
    def f11(): pass
try:
    pass
except* B as c:
    def f12(): pass
match a:
    case 1 if b:
        def f13(): pass
    case _:
        async with a:
            async for b in c:
                class C3[T]: pass
"""


def test_python_is_searched_only_where_definitions_can_occur(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    language = language_of("a.py")
    assert language is not None
    assert _tools(language).holders

    def found(content: bytes) -> list[Definition]:
        return definitions(content, language, "default")

    folder = Path(ast.__file__).parent
    sources = [file.read_bytes() for file in sorted(folder.glob("*.py"))[:60]]
    fast = [found(content) for content in [NESTED, *sources]]
    assert sorted(each.name or "" for each in fast[0]) == sorted(
        ["C1", "C2", "C3", *(f"f{number}" for number in range(1, 14))]
    )
    monkeypatch.setattr("trajmeter.snapshots._definitions._held", _all)
    assert [found(content) for content in [NESTED, *sources]] == fast


def test_deep_nesting_is_supported() -> None:
    language = language_of("a.js")
    assert language is not None
    source = b"[" * 20_000 + b"() => 1" + b"]" * 20_000
    for naming in ("default", "contextbench"):
        (found,) = definitions(source, language, naming)
        assert (found.kind, found.start) == ("arrow_function", 20_000)
