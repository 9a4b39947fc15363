"""Static quality of one Python source file: size, complexity, imports, annotations.

Measured by radon and the standard library's ``ast``; nothing is executed.
"""

from __future__ import annotations

import ast
import platform
import tokenize
from pathlib import PurePath
from typing import TYPE_CHECKING

from trajmeter.errors import ExtraMissingError
from trajmeter.records import CodeQuality, StaticMetrics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

__all__ = [
    "FRAMEWORK_PACKAGES",
    "framework_packages",
    "read_source",
    "static_metrics",
    "static_quality",
]

FRAMEWORK_PACKAGES: dict[str, tuple[str, ...]] = {
    "langgraph": (
        "langgraph",
        "langchain",
        "langchain_openai",
        "langchain_core",
        "langchain_community",
    ),
    "pydantic_ai": ("pydantic_ai",),
    "smolagents": ("smolagents", "litellm"),
    "crewai": ("crewai", "crewai_tools"),
}
"""Top-level packages that belong to a framework, by its name in lower case with underscores."""

_GRADE_A, _GRADE_B = 20.0, 10.0


_ORIGINALS_FRAMEWORKS = frozenset({"langgraph", "pydantic_ai", "smolagents"})
"""Those that the original knows packages of."""


def read_source(file: Path) -> str:
    """A Python source file as text, decoded as Python decodes it.

    The encoding is UTF-8, with or without a byte order mark, or the one that the file declares in
    its first two lines (PEP 263).

    Raises:
        SyntaxError: The declaration is invalid, or there is none and the file is not UTF-8.
        LookupError: The declared encoding is not one of text.
        OSError: The file cannot be read.
        ValueError: The file does not have the declared encoding.
    """
    with tokenize.open(file) as stream:
        return stream.read()


def static_quality(
    file: Path, *, packages: Collection[str] = (), original: bool = False
) -> CodeQuality:
    """Measure one file; a file that cannot be read or parsed gets a reason instead of measures.

    Args:
        file: Python source file, in UTF-8 or the encoding it declares.
        packages: Top-level packages that count as the framework's own.
        original: Measure as the ``framework-comparison`` profile does.

    Returns:
        The measures, or ``error`` with file, line and cause.

    Raises:
        ExtraMissingError: radon is not installed.
    """
    version = platform.python_version()
    shown = str(file).encode("utf-8", "backslashreplace").decode()  # as names may not be UTF-8
    name = PurePath(shown).name
    try:
        source = read_source(file)
        metrics = static_metrics(source, packages=packages, original=original)
    except SyntaxError as error:
        place = name if error.lineno is None else f"{name}, line {error.lineno}"
        reason = f"{place}: {error.msg}"
    except (OSError, ValueError, LookupError) as error:
        reason = f"{name}: cannot be read: {error}"
    except (RecursionError, MemoryError):  # the parser raises either
        reason = f"{name}: nested too deeply to be measured"
    else:
        return CodeQuality(
            source_file=shown,
            source_sloc=metrics.sloc,
            static_metrics=metrics,
            python_version=version,
        )
    return CodeQuality(source_file=shown, error=reason, python_version=version)


def static_metrics(
    source: str, *, packages: Collection[str] = (), original: bool = False
) -> StaticMetrics:
    r"""Measure one file's source.

    Complexity has one value for every function and method, nested ones included, each without what
    is nested in it. Source lines exclude blanks, comments and docstrings. The maintainability index
    counts docstrings as comments. Figures are rounded to two decimals (estimated bugs to four, the
    comment ratio not at all); grades are taken before rounding.

    Args:
        source: Source text.
        packages: Top-level packages that count as the framework's own.
        original: Measure as the ``framework-comparison`` profile does: complexity of radon's
            blocks (top-level functions, classes and their methods), imports by module, those of
            relative modules included, and 0.0 instead of ``None`` where there is nothing to
            measure.

    Returns:
        The measures; complexity and annotation ratio are ``None`` without functions.

    Raises:
        SyntaxError: The source does not parse, or radon cannot count its lines.
        ExtraMissingError: radon is not installed.

    Example:
        >>> measures = static_metrics("def f(x) -> int:\n    return x if x else 0\n")
        >>> measures.avg_cyclomatic_complexity, measures.type_annotation_ratio
        (2.0, 1.0)
    """
    try:
        from radon.complexity import cc_rank
        from radon.metrics import h_visit, mi_visit
        from radon.raw import analyze
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "static code quality needs radon: pip install 'trajmeter[quality]'"
        ) from error
    tree = ast.parse(source)
    try:
        raw = analyze(source)
    except SyntaxError as error:  # it takes characters within texts for ends of lines
        raise SyntaxError(f"valid, but radon cannot count its lines: {error.msg}") from error
    halstead = h_visit(source).total
    index = mi_visit(source, multi=True)
    functions = [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    complexities = _block_complexities(tree) if original else [_complexity(f) for f in functions]
    nothing = 0 if original else None
    mean = sum(complexities) / len(complexities) if complexities else nothing
    annotated = sum(node.returns is not None for node in functions)
    ratio = annotated / len(functions) if functions else nothing
    imports = list(_imported_modules(tree) if original else _imports(tree))
    return StaticMetrics(
        loc=raw.loc,
        sloc=raw.sloc,
        comments=raw.comments,
        blank=raw.blank,
        comment_ratio=raw.comments / raw.sloc if raw.sloc else 0.0,
        avg_cyclomatic_complexity=None if mean is None else round(mean, 2),
        max_cyclomatic_complexity=max(complexities, default=nothing),
        complexity_grade=None if mean is None else cc_rank(mean),
        maintainability_index=round(index, 2),
        maintainability_grade="A" if index >= _GRADE_A else "B" if index >= _GRADE_B else "C",
        halstead_volume=round(halstead.volume, 2),
        halstead_difficulty=round(halstead.difficulty, 2),
        halstead_effort=round(halstead.effort, 2),
        halstead_bugs=round(halstead.bugs, 4),
        num_imports=len(imports),
        num_framework_imports=sum(not packages_of.isdisjoint(packages) for packages_of in imports),
        num_classes=sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree)),
        num_functions=len(functions),
        type_annotation_ratio=None if ratio is None else round(ratio, 2),
    )


def framework_packages(framework: str, *, original: bool = False) -> tuple[str, ...]:
    """Packages of a known framework, by a name such as ``Pydantic AI``; else none.

    The original does not know those of CrewAI.

    Example:
        >>> framework_packages("Pydantic AI")
        ('pydantic_ai',)
    """
    name = "_".join(framework.lower().split())
    return FRAMEWORK_PACKAGES.get(name, ()) if not original or name in _ORIGINALS_FRAMEWORKS else ()


def _complexity(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Cyclomatic complexity of one function, by radon, without the functions nested in it."""
    from radon.visitors import ComplexityVisitor

    visitor = ComplexityVisitor()
    visitor.visit(function)
    return int(visitor.functions[0].complexity)


def _block_complexities(tree: ast.Module) -> list[int]:
    """Cyclomatic complexity of radon's blocks: top-level functions, classes and their methods."""
    from radon.visitors import ComplexityVisitor

    blocks = ComplexityVisitor.from_ast(tree).blocks
    return [int(block.complexity) for block in blocks]


def _imported_modules(tree: ast.Module) -> Iterator[set[str]]:
    """Top-level package of each module that is imported, one for each name after ``import``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield {alias.name.partition(".")[0]}
        elif isinstance(node, ast.ImportFrom):
            yield {(node.module or "").partition(".")[0]}


def _imports(tree: ast.Module) -> Iterator[set[str]]:
    """Top-level packages that each import statement names; a relative import names none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            yield {node.module.partition(".")[0]} if node.module and not node.level else set()
