"""File systems by URI: pyarrow's own, and all others through fsspec.

The query of a URI holds options of its file system, and the part before ``@`` holds credentials.
Both are stored only here, by the place they apply to: file names in results, messages and plans
have neither.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from trajmeter.errors import ConfigurationError, ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyarrow.fs import FileSystem

__all__ = ["Uri", "filesystem_of", "given_options", "parse", "take_options", "telling"]

# A scheme has at least two letters: one letter is a drive. Path collapses double slashes.
_URI = r"""
    (?P<scheme> [a-z] [a-z0-9+.-]+ ) :/ /?
    (?: (?P<user> [^/?@]* ) @ )?
    (?P<place> .* )
    """
_OPTIONS = r"\?([^/?=&]+=.*)"
"""Options behind a name; a question mark without a key and a value is part of the name."""
_ARROW = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"})
"""Schemes that pyarrow opens without fsspec."""
_CUT_CREDENTIALS = r"[^/@]*:(?![0-9]*/)[^@]*@"
"""User and password with a slash, which would end the host of a URI, before a bucket or host."""
_WEB = frozenset({"http", "https"})
"""Schemes whose queries are part of the name, not options."""
_WEB_QUERY = r"\?(.*)"
_LEAST_SECRET = 3
_SHOWN = "***"


class Uri(NamedTuple):
    """A URI, without options and credentials."""

    scheme: str
    """The scheme, in lower case."""
    place: str
    """What follows the scheme, such as bucket and key."""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.place}"

    @property
    def root(self) -> str:
        """What options apply to: a bucket or a host; on the web a file."""
        authority = self.place if self.scheme in _WEB else self.place.partition("/")[0]
        return f"{self.scheme}://{authority}"


class _Options(NamedTuple):
    user: str
    query: str

    def secrets(self) -> list[str]:
        """Texts that no message may show."""
        values = [self.user, *self.user.split(":"), self.query]
        values += [value for _, value in parse_qsl(self.query)]
        found = {each for value in values for each in (value, unquote(value))}
        return sorted((each for each in found if len(each) >= _LEAST_SECRET), key=len, reverse=True)


_given: dict[str, _Options] = {}
"""Options and credentials, by what they apply to."""
_opened: dict[str, FileSystem] = {}


def parse(text: str) -> Uri | None:
    """Parse a URI and store its options; ``None`` if the text is not a URI.

    Raises:
        ConfigurationError: Other options were given for the same place, or credentials hold a
            slash.
    """
    if ":/" not in text:  # most paths are local, and need no pattern to be compiled
        return None
    match = re.fullmatch(_URI, text, re.VERBOSE | re.IGNORECASE | re.DOTALL)
    if match is None:
        return None
    scheme = match["scheme"].lower()
    place, query = _divided(match["place"], _WEB_QUERY if scheme in _WEB else _OPTIONS)
    if re.match(_CUT_CREDENTIALS, place):
        raise ConfigurationError(
            f"{match['scheme']}://{_SHOWN}: the credentials contain a slash; write it as %2F"
        )
    uri = Uri(scheme, place)
    options = _Options(match["user"] or "", query)
    if any(options) and _given.setdefault(uri.root, options) != options:
        raise ConfigurationError(f"{uri.root} is given with two sets of options; use one")
    return uri


def _divided(place: str, query: str) -> tuple[str, str]:
    """A name, and the query behind it."""
    found = re.search(query, place, re.DOTALL)
    return (place, "") if found is None else (place[: found.start()], found[1])


def given_options() -> dict[str, Any]:
    """All options and credentials so far, to be passed to :func:`take_options` elsewhere."""
    return dict(_given)


def take_options(options: Mapping[str, Any]) -> None:
    """Adopt options from another process."""
    for root, each in options.items():
        if _given.get(root) != each:
            _opened.pop(root, None)
        _given[root] = each


def filesystem_of(uri: Uri) -> tuple[FileSystem, str]:
    """The file system of a URI, and the path within it.

    Raises:
        OSError: There is none, or its options are wrong.
        ExtraMissingError: What opens it is not installed.
    """
    try:
        from pyarrow import fs
    except ImportError as error:
        raise ExtraMissingError(
            f"{uri.root} needs pyarrow: pip install 'trajmeter[data]'"
        ) from error
    options = _given.get(uri.root, _Options("", ""))
    if uri.scheme in _ARROW:
        if uri.root not in _opened:
            user = f"{options.user}@" if options.user else ""
            query = f"?{options.query}" if options.query else ""
            authority = uri.place.partition("/")[0]
            with telling(uri):
                _opened[uri.root], _ = fs.FileSystem.from_uri(
                    f"{uri.scheme}://{user}{authority}/{query}"
                )
        return _opened[uri.root], _arrow_path(uri)
    opened, path = _other(uri, options)
    return _opened.setdefault(uri.root, opened), path


def _arrow_path(uri: Uri) -> str:
    """A file's path in pyarrow, which includes buckets but not hosts and accounts."""
    place = uri.place.rstrip("/")
    if uri.scheme in ("hdfs", "viewfs"):
        return f"/{place.partition('/')[2]}"
    if uri.scheme.startswith("abfs") and ".dfs." in place.partition("/")[0]:
        return place.partition("/")[2]
    return place


def _other(uri: Uri, options: _Options) -> tuple[FileSystem, str]:
    """An fsspec file system."""
    try:
        import fsspec  # type: ignore[import-untyped]  # it has no types
    except ImportError as error:
        raise ExtraMissingError(f"{uri.root} needs fsspec: pip install 'trajmeter[hf]'") from error
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    name = str(uri)
    settings = dict(parse_qsl(options.query))
    if uri.scheme in _WEB:
        name = f"{name}?{options.query}" if options.query else name
        settings = {}
    if options.user:
        user, _, password = options.user.partition(":")
        settings |= {"username": unquote(user), "password": unquote(password)}
    with telling(uri):
        try:
            opened = fsspec.filesystem(uri.scheme, **settings)
        except ImportError as error:
            raise ExtraMissingError(f"{uri.root}: {error}") from error
        except (TypeError, ValueError) as error:
            raise OSError(str(error)) from error
        path = opened._strip_protocol(name)  # noqa: SLF001 - as fsspec's own open does
    handler = FSSpecHandler(opened)  # type: ignore[abstract]  # so its types say, wrongly
    return PyFileSystem(handler), path


@contextmanager
def telling(uri: Uri) -> Iterator[None]:
    """Convert all errors of a file system to ``OSError``, without secrets in the message."""
    try:
        yield
    except ExtraMissingError:
        raise
    except FileNotFoundError:  # its message may contain the whole address
        raise FileNotFoundError(2, "No such file or directory", str(uri)) from None
    except Exception as error:  # noqa: BLE001 - what file systems of others raise is not known
        reason = f"{error.strerror or error}" if isinstance(error, OSError) else str(error)
        for secret in _given.get(uri.root, _Options("", "")).secrets():
            reason = reason.replace(secret, _SHOWN)
        said = " ".join(reason.split()) or type(error).__name__
        raise OSError(getattr(error, "errno", None) or 5, said, str(uri)) from None
