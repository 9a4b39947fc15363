"""Renders a report as one self-contained HTML document that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ExtraMissingError
from trajmeter.reports.charts import draw, stylesheet
from trajmeter.reports.page.attempt_markup import attempt_markup
from trajmeter.text import without_controls

if TYPE_CHECKING:
    from trajmeter.reports.page.document import Document

__all__ = ["html_document", "require_jinja"]

_PART = re.compile(r"(?<=_)|(?<=[./])(?=[a-z])")
"""Possible line breaks in a long name, but not before the digits of a version."""
_WORD = re.compile(r"\([^()]*\)|\S+")
"""Parts of a number cell that stay on one line: an interval or count in brackets, or a word."""

_RIGHT_TO_LEFT = (
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
)
_NAME = re.compile(f"{_RIGHT_TO_LEFT}(?:[ _-]+{_RIGHT_TO_LEFT})*")
"""Words in a script that is written from right to left."""


def require_jinja() -> None:
    """Check that the package for HTML reports is installed.

    Raises:
        ExtraMissingError: jinja2 is not installed.
    """
    try:
        import jinja2  # noqa: F401 - checks that it is installed
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "HTML reports need jinja2: pip install 'trajmeter[report]'"
        ) from error


def html_document(document: Document) -> str:
    """Render a report as one HTML document.

    Styles, scripts, charts and data are inlined, and its security policy forbids all requests.
    All text is escaped.

    Args:
        document: The report.

    Raises:
        ExtraMissingError: jinja2 is not installed.
    """
    require_jinja()
    import jinja2

    here = resources.files("trajmeter.reports.page")

    def own(name: str) -> str:
        return here.joinpath(name).read_text("utf-8")

    style, script = stylesheet() + own("page.css"), own("page.js")
    environment = jinja2.Environment(
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pieces = environment.from_string(own("page.html.j2")).generate(
        document=document,
        draw=draw,
        parts_of=_PART.split,
        words_of=_WORD.findall,
        isolated=_isolated,
        attempts=() if document.attempts is None else attempt_markup(document.attempts),
        policy=_policy(style, script),
        style=style,
        script=script,
    )
    return "".join(pieces)


def _isolated(text: str) -> str:
    """Markup of a text whose names from right to left do not reorder the numbers between them.

    Example:
        >>> _isolated("דגל 0.8 & סרב 0.7")
        '<bdi>דגל</bdi> 0.8 &amp; <bdi>סרב</bdi> 0.7'
    """
    return _NAME.sub(r"<bdi>\g<0></bdi>", escape(without_controls(text)))


def _policy(style: str, script: str) -> str:
    """The security policy: nothing may be loaded, and only this style and script are allowed."""

    def named(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; script-src {named(script)}; style-src {named(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _shown(value: Any) -> Any:  # noqa: ANN401 - whatever a template holds
    """Make control characters in text visible; markup is returned unchanged."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return without_controls(value)
    return value
