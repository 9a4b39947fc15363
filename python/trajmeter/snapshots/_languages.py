"""Languages whose definitions are known, with their file names and nodes.

Nodes are those of tree-sitter's grammars. ContextBench's rules decide which of them are definitions
and which files belong to which language: every arrow function counts in JavaScript but none in
TypeScript, a mention ``struct S *p`` counts in C, and every ``.h`` file is C.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from trajmeter.errors import ExtraMissingError

if TYPE_CHECKING:
    import tree_sitter

__all__ = ["LANGUAGES", "LanguageRules", "grammar", "grammar_version", "language_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRules:
    """One language."""

    name: str
    """Its name."""
    suffixes: tuple[str, ...]
    """Suffixes of its file names."""
    kinds: tuple[str, ...]
    """Nodes of its grammar that are definitions."""
    package: str
    """The package that contains its grammar."""
    function: str = "language"
    """The function of the package that returns it."""
    holders: tuple[str, ...] = ()
    """The nodes that can directly contain definitions if a file has no errors, so that no others
    have to be searched; empty for any."""


def _language(
    name: str, suffixes: str, kinds: str, function: str = "language", holders: str = ""
) -> LanguageRules:
    package = "tree-sitter-" + ("typescript" if name == "tsx" else name.replace("_", "-"))
    return LanguageRules(
        name=name,
        suffixes=tuple(suffixes.split()),
        kinds=tuple(kinds.split()),
        package=package,
        function=function,
        holders=tuple(holders.split()),
    )


_TYPESCRIPT = "function_declaration class_declaration method_definition interface_declaration"

LANGUAGES = (
    _language(
        "python",
        ".py",
        "function_definition class_definition",
        holders="block case_clause class_definition decorated_definition elif_clause else_clause "
        "except_clause finally_clause for_statement function_definition if_statement "
        "match_statement module try_statement while_statement with_statement",
    ),
    _language(
        "javascript",
        ".js .jsx",
        "function_declaration class_declaration method_definition arrow_function",
    ),
    _language("typescript", ".ts", _TYPESCRIPT, "language_typescript"),
    _language("tsx", ".tsx", _TYPESCRIPT, "language_tsx"),
    _language(
        "java",
        ".java",
        "method_declaration class_declaration interface_declaration constructor_declaration",
    ),
    _language("go", ".go", "function_declaration method_declaration type_declaration"),
    _language("rust", ".rs", "function_item impl_item struct_item trait_item"),
    _language("c", ".c .h", "function_definition struct_specifier"),
    _language("cpp", ".cpp .cc .hpp", "function_definition class_specifier struct_specifier"),
    _language("c_sharp", ".cs", "method_declaration class_declaration interface_declaration"),
    _language(
        "php", ".php", "function_definition method_declaration class_declaration", "language_php"
    ),
    _language("ruby", ".rb", "method class module"),
    _language("swift", ".swift", "function_declaration class_declaration protocol_declaration"),
    _language("kotlin", ".kt", "function_declaration class_declaration"),
    _language("scala", ".scala", "function_definition class_definition trait_definition"),
)
"""Every language."""

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> LanguageRules | None:
    """The language of a file, from the end of its name in either case; ``None`` for any other file.

    Example:
        >>> language_of("src/list.h").name, language_of("src/list.hh")
        ('c', None)
    """
    return _BY_SUFFIX.get(posixpath.splitext(path.lower())[1])


def grammar(language: LanguageRules) -> tree_sitter.Language:
    """The grammar of a language.

    Raises:
        ExtraMissingError: tree-sitter or the grammar is not installed.
    """
    try:
        from tree_sitter import Language

        module = import_module(language.package.replace("-", "_"))
    except ImportError as error:
        raise ExtraMissingError(
            f"definitions in {language.name} need tree-sitter and {language.package}: "
            "pip install 'trajmeter[symbols]'"
        ) from error
    return Language(getattr(module, language.function)())


@cache
def grammar_version(language: LanguageRules) -> str:
    """Versions of the packages that find definitions, on which the results depend.

    Raises:
        ExtraMissingError: tree-sitter or the grammar is not installed.
    """
    grammar(language)
    return f"{version('tree-sitter')}+{version(language.package)}"
