"""An extension of griffe: reads docstrings as the site shows them.

Docstrings refer to other names by roles, which editors know, and call an example by the word
``Example``; the site needs links, and sections by the names that its parser knows.
"""

from __future__ import annotations

import re

import griffe

__all__ = ["Docstrings", "as_markdown"]

_ROLE = re.compile(r":(?:py:)?(?:attr|class|data|exc|func|meth|mod|obj):`~?(?P<target>[^`]+)`")
_EXAMPLE = re.compile(r"^( *)Example:$", re.MULTILINE)


def as_markdown(text: str) -> str:
    """A docstring with links where it refers to a name; one that has no page stays as text."""

    def link(found: re.Match[str]) -> str:
        # A role may stand at the end of a line, and its name on the next.
        target = re.sub(r"\s+", "", found["target"])
        return f'<autoref optional identifier="{target}"><code>{target}</code></autoref>'

    return _EXAMPLE.sub(r"\1Examples:", _ROLE.sub(link, text))


class Docstrings(griffe.Extension):
    """Makes Markdown of each docstring as it is found."""

    def on_instance(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
