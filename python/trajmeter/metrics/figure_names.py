"""Names of figures: columns, short names and patterns."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = [
    "full_name",
    "listed_figures",
    "matching_figures",
    "principal_figures",
    "short_name",
]

_MAGIC = r"[*?\[]"
_SHOWN = 12


class _ShortName(NamedTuple):
    """A kind of short names, and the columns that they stand for."""

    short: str
    """Template of the short names."""
    column: str
    """Template of the columns, with the same part filled in."""
    part: str
    """Pattern of that part."""


# The final context comes first; for what was seen on the way, lines come first.
_SHORT_NAMES = (
    _ShortName("tools.{}", "tools.any_order_grades.{}", "f1|precision|recall"),
    _ShortName("context.{}", "context.trajectory.line.{}", "auc_coverage|redundancy"),
    _ShortName("context.{}", "context.final.{}", r"(?:file|symbol|span|line)\.\w+"),
    _ShortName("rules.{}", "rules.{}.score", r"\w+"),
    _ShortName("turns.{}", "turns.run.{}", "turn_count"),
    _ShortName("{}", "{}.value", r"\w+"),  # a function's figure
)

# The principal figures of each family: a report leads with the first that a table has.
_PRINCIPAL = (
    "context.final.line.f1",
    "context.final.file.f1",
    "speedup.task_speedup",
    "turns.run.passed",
    "rules.assertion_pass_rate.score",
    "tools.any_order_grades.f1",
    "answers.retrieval.recall",
    "answers.hops.coverage",
)


def full_name(name: str, known: Collection[str]) -> str | None:
    """Resolve a column or short name to a column; ``None`` if there is none.

    Args:
        name: A column, or the short name of a figure.
        known: The columns.

    Example:
        >>> full_name("context.line.f1", ["context.final.line.f1"])
        'context.final.line.f1'
    """
    if name in known:
        return name
    for kind in _SHORT_NAMES:
        column = _renamed(name, kind.short, kind.column, kind.part)
        if column in known:
            return column
    return None


def short_name(column: str) -> str:
    """The shortest name by which a figure can be requested.

    Example:
        >>> short_name("context.final.line.f1"), short_name("turns.run.passed")
        ('context.line.f1', 'turns.run.passed')
    """
    for kind in _SHORT_NAMES:
        short = _renamed(column, kind.column, kind.short, kind.part)
        if short is not None:
            return short
    return column


def _renamed(name: str, template: str, other: str, part: str) -> str | None:
    """Fill another template with the part of a name; ``None`` if it does not fit the template."""
    before, after = map(re.escape, template.split("{}"))
    found = re.fullmatch(f"{before}({part}){after}", name)
    return None if found is None else other.format(found[1])


def principal_figures(figures: Iterable[str]) -> list[str]:
    """The figure of each family that a report leads with, in family order.

    Args:
        figures: Columns, in order. If none of a family's principal figures is included here, the
            family is skipped, unless it is the only one.

    Example:
        >>> principal_figures(["context.final.file.f1", "context.final.line.f1", "mine.score"])
        ['context.final.line.f1', 'mine.score']
    """
    names = [*figures]
    known = {name.partition(".")[0] for name in _PRINCIPAL}
    chosen = []
    for family in dict.fromkeys(name.partition(".")[0] for name in names):
        own = [name for name in names if name.partition(".")[0] == family]
        leading = [name for name in _PRINCIPAL if name in own]
        if leading or family not in known:
            chosen.append((leading or own)[0])
    return chosen or names[:1]


def listed_figures(figures: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Requested figures as a tuple; a single name or pattern becomes a tuple of one.

    Example:
        >>> listed_figures("context.line.f1"), listed_figures(["a", "b"]), listed_figures(None)
        (('context.line.f1',), ('a', 'b'), None)
    """
    if figures is None:
        return None
    return (figures,) if isinstance(figures, str) else tuple(figures)


def matching_figures(patterns: Iterable[str], known: Collection[str]) -> list[str]:
    """Columns that match names and patterns, in column order without repeats.

    Args:
        patterns: Columns, short names of figures, or shell-style patterns.
        known: The columns of figures, in order.

    Raises:
        UnknownNameError: A name or pattern matches no column; the nearest are named.
    """
    found: set[str] = set()
    for pattern in patterns:
        column = full_name(pattern, known)
        if column is not None:
            found.add(column)
            continue
        matched = {
            name
            for name in known
            if fnmatchcase(name, pattern) or fnmatchcase(short_name(name), pattern)
        }
        if not matched:
            raise UnknownNameError(_unknown(pattern, known))
        found |= matched
    return [name for name in known if name in found]


def _unknown(pattern: str, known: Collection[str]) -> str:
    message = f"no figure {pattern!r}"
    if re.search(_MAGIC, pattern):
        message = f"no figure matches {pattern!r}"
    names = dict.fromkeys(name for column in known for name in (short_name(column), column))
    close = get_close_matches(pattern, names, n=1, cutoff=0.5)
    if close:
        return f"{message}; did you mean {close[0]!r}?"
    listed = ", ".join([*known][:_SHOWN]) + (" …" if len(known) > _SHOWN else "")
    return f"{message}; there are: {listed or 'none'}"
