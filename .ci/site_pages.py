"""A hook of mkdocs: makes pages of the files outside docs/, and mends the links between the two.

In the repository a link may lead to any file. On the site, links to CHANGELOG.md and
CONTRIBUTING.md lead to pages made of them, and a link to a source file becomes its path. Nothing
that a page shows may be loaded from elsewhere.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["loaded_from_elsewhere", "on_files", "on_page_markdown", "on_post_page", "relinked"]

ROOT = Path(__file__).parents[1]
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages that are made of files outside docs/, by file."""
_LINK = re.compile(
    r"(?<!!)\[(?P<text>[^\]\n]+)\]\((?P<target>(?!https?:|#|mailto:)[^)\s#]+)(?P<at>#[^)\s]*)?\)"
)
_LOADED = re.compile(
    r"""<link\b[^>]*\bhref=["'](?:https?:)?//[^>]*|\bsrc=["']?(?:https?:)?//[^>\s]*"""
)
_LOG = logging.getLogger(f"mkdocs.hooks.{__name__}")


def relinked(text: str, source: str) -> str:
    """The text of a page, with links that hold on the site.

    Args:
        text: Markdown.
        source: The file that it is from, relative to the repository.
    """
    page = PAGES.get(source, source.removeprefix("docs/"))

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found["target"]))
        if target.startswith("docs/"):
            target = target.removeprefix("docs/")
        elif target in PAGES:
            target = PAGES[target]
        else:
            return f"`{target}`"
        path = posixpath.relpath(target, posixpath.dirname(page) or ".")
        return f"[{found['text']}]({path}{found['at'] or ''})"

    return _LINK.sub(link, text)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of files outside docs/."""
    from mkdocs.structure.files import File

    for source, page in PAGES.items():
        content = relinked((ROOT / source).read_text(encoding="utf-8"), source)
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mend the links of a page of docs/."""
    del config, files  # as mkdocs calls hooks
    if page.file.src_uri in PAGES.values():
        return markdown
    return relinked(markdown, f"docs/{page.file.src_uri}")


def loaded_from_elsewhere(html: str) -> list[str]:
    """What a page would load from other machines: fonts, scripts, pictures."""
    return _LOADED.findall(html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> None:
    """Warn of what a page loads from elsewhere, which ends a strict build."""
    del config
    for place in loaded_from_elsewhere(output):
        _LOG.warning("%s loads something from elsewhere: %s", page.file.src_uri, place)
