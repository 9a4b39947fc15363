"""Parses shell commands by the rules of POSIX shells and bash.

Quotes, pipes, lists, groups, redirections, here-documents and comments are parsed; expansions are
not performed. A word with an expansion or an unquoted wildcard is :class:`Unexpanded`: its value is
unknown. Parsing takes linear time and never fails: text that is not a valid command is parsed as
far as possible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Group", "Pipeline", "Simple", "Stage", "Unexpanded", "parse"]

_DEEPEST = 40
"""Groups nested more deeply are ignored: nobody writes them."""

_TOKEN = re.compile(
    r"""
      (?P<blank> (?: [ \t\r] | \\\n )+ | \#[^\n]* )
    | (?P<redirect> [0-9]* (?: <<< | <<-? | >> | <> | >\| | >& | <& | (?:>|<)(?!\() ) | &>>? )
    | (?P<word> [^\ \t\r\n'"\\$`;&|<>()\#*?\[{}~]+ (?= [\ \t\r\n;&|<>()] | \Z ) )
    | (?P<newline> \n )
    | (?P<list> && | \|\| )
    | (?P<pipe> \|&? )
    | (?P<end> ;;? | & | [()] )
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(r"[^ \t\r\n'\"\\$`;&|<>()*?\[]+")
_DOUBLE = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"\w+|[@*#?!$-]")
_NESTING = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[()]""", re.DOTALL)
_KEYWORDS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "time", "{"})
_CLOSING = frozenset({"fi", "done", "esac", "}"})


class Unexpanded(str):
    """A word with an expansion or wildcard, as written."""

    __slots__ = ()


class Redirection(NamedTuple):
    """One redirection of a command."""

    operator: str
    target: str


@dataclass(slots=True)
class Simple:
    """A program and its arguments; preceding assignments are dropped."""

    words: list[str] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """A parenthesised list; changes of folder end with it."""

    pipelines: list[Pipeline]
    redirections: list[Redirection] = field(default_factory=list)


Stage = Simple | Group


class Pipeline(NamedTuple):
    """Commands, each of which reads the output of the preceding one."""

    connector: str
    """The operator before it: ``&&``, ``||``, ``;`` or ``&``."""
    stages: list[Stage]
    text: str
    """Source text."""


def parse(command: str) -> list[Pipeline]:
    """The pipelines of a command, in order."""
    return _Parser(command).pipelines(0)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._documents: list[tuple[str, bool]] = []

    def pipelines(self, depth: int) -> list[Pipeline]:
        """Pipelines up to the end of the text or group, which is consumed."""
        found: list[Pipeline] = []
        stages: list[Stage] = []
        stage: Stage = Simple()
        connector, begin = ";", self._at
        while True:
            at = self._at
            kind, text = self._next()
            if kind == "word":
                _add(stage, text)
            elif kind == "redirect":
                self._redirect(stage, text)
            elif text == "(" and depth < _DEEPEST and not _is_used(stage):
                stage = Group(self.pipelines(depth + 1))
            elif kind == "pipe":
                stages.append(stage)
                stage = Simple()
            elif kind != "blank":
                stages.append(stage)
                is_used = any(map(_is_used, stages))
                if is_used:
                    found.append(Pipeline(connector, stages, self._text[begin:at].strip()))
                if not kind or text == ")":
                    return found
                # A line may end after && and ||.
                connector = text if kind == "list" else ";" if is_used else connector
                if kind == "newline":
                    self._skip_documents()
                stages, stage, begin = [], Simple(), self._at

    def _next(self) -> tuple[str, str]:
        """Kind and text of the next token; no kind at the end."""
        if self._at >= len(self._text):
            return "", ""
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            return "word", self._word()
        self._at = match.end()
        return match.lastgroup or "", match[0]

    def _redirect(self, stage: Stage, operator: str) -> None:
        blank = _TOKEN.match(self._text, self._at)
        if blank is not None and blank.lastgroup == "blank":
            self._at = blank.end()
        target = self._word()
        stage.redirections.append(Redirection(operator, target))
        kind = operator.lstrip("0123456789")
        if kind in ("<<", "<<-") and target:
            self._documents.append((target, kind == "<<-"))

    def _skip_documents(self) -> None:
        """Skip the here-documents that begin on this line."""
        text = self._text
        for delimiter, is_indented in self._documents:
            while self._at < len(text):
                end = text.find("\n", self._at)
                end = len(text) if end < 0 else end
                line = text[self._at : end]
                self._at = end + 1
                if (line.lstrip("\t") if is_indented else line) == delimiter:
                    break
        self._documents.clear()

    def _word(self) -> str:
        """The word at this position without its quotes; consumes at least one character."""
        text, end = self._text, len(self._text)
        parts: list[str] = []
        is_known = True
        begin = self._at
        while self._at < end:
            at = self._at
            char = text[at]
            if (plain := _PLAIN.match(text, at)) is not None:
                parts.append(plain[0])
                is_known = is_known and not ("{" in plain[0] and "," in plain[0])
                self._at = plain.end()
            elif char == "'":
                close = text.find("'", at + 1)
                close = end if close < 0 else close
                parts.append(text[at + 1 : close])
                self._at = close + 1
            elif char == '"':
                is_known = self._double(parts) and is_known
            elif char == "\\":
                if text[at + 1 : at + 2] != "\n":
                    parts.append(text[at + 1 : at + 2])
                self._at = at + 2
            elif char in "$`" or (char in "<>" and text[at + 1 : at + 2] == "("):
                is_known = self._expansion(parts) and is_known
            elif char in "*?[":
                parts.append(char)
                is_known = False
                self._at = at + 1
            else:
                break
        if self._at == begin:  # parsing continues after any character
            self._at += 1
        word = "".join(parts)
        return word if is_known else Unexpanded(word)

    def _double(self, parts: list[str]) -> bool:
        """Consume a double-quoted part; returns whether its text is known."""
        text, end = self._text, len(self._text)
        is_known = True
        self._at += 1
        while self._at < end:
            char = text[self._at]
            if (plain := _DOUBLE.match(text, self._at)) is not None:
                parts.append(plain[0])
                self._at = plain.end()
            elif char == '"':
                self._at += 1
                return is_known
            elif char == "\\":
                escaped = text[self._at + 1 : self._at + 2]
                if escaped != "\n":
                    parts.append(escaped if escaped in '"\\$`' else f"\\{escaped}")
                self._at += 2
            else:
                is_known = self._expansion(parts) and is_known
        return is_known

    def _expansion(self, parts: list[str]) -> bool:
        """Consume an expansion, a lone ``$`` or text after ``$'``; returns whether it is known."""
        text, end, begin = self._text, len(self._text), self._at
        following = text[begin + 1 : begin + 2]
        if text[begin] == "`":
            close = text.find("`", begin + 1)
            self._at = end if close < 0 else close + 1
        elif following == "(":
            self._at = self._closing(begin + 2)
        elif following == "{":
            close = text.find("}", begin + 2)
            self._at = end if close < 0 else close + 1
        else:
            self._at = begin + 1
            name = _NAME.match(text, self._at)
            if name is None:
                parts.append("$" if following not in ("'", '"') else "")
                return True
            self._at = name.end()
        parts.append(text[begin : self._at])
        return False

    def _closing(self, at: int) -> int:
        """The end of a substitution that begins here."""
        depth = 1
        for match in _NESTING.finditer(self._text, at):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if not depth:
                return match.end()
        return len(self._text)


def _add(stage: Stage, word: str) -> None:
    if isinstance(stage, Group):
        return
    if not stage.words and (word in _KEYWORDS or word in _CLOSING or _is_assignment(word)):
        return
    stage.words.append(word)


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _is_used(stage: Stage) -> bool:
    return isinstance(stage, Group) or bool(stage.words or stage.redirections)
