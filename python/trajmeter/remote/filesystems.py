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

__all__ = ["Uri", "adopt_options", "filesystem_of", "known_options", "os_errors", "parse"]

# A scheme has at least two letters: one letter is a drive. Path collapses double slashes.
_URI = r"""
    (?P<scheme> [a-z] [a-z0-9+.-]+ ) :/ /?
    (?: (?P<user> [^/?@]* ) @ )?
    (?P<place> .* )
    """
_OPTIONS = r"\?([^/?=&]+=.*)"
"""Options after a name; a question mark without a key and a value is part of the name."""
_ARROW = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"})
"""Schemes that pyarrow opens without fsspec."""
_CUT_CREDENTIALS = r"[^/@]*:(?![0-9]*/)[^@]*@"
"""User and password with a slash, which would end the host of a URI, before a bucket or host."""
_WEB = frozenset({"http", "https"})
"""Schemes whose queries are part of the name, not options."""
_WEB_QUERY = r"\?(.*)"
_LEAST_SECRET = 3
"""Minimum length of a text to hide: shorter ones occur in other words."""
_HIDDEN = "***"


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
        forms = {form for value in values for form in (value, unquote(value))}
        return sorted((form for form in forms if len(form) >= _LEAST_SECRET), key=len, reverse=True)


_options_by_root: dict[str, _Options] = {}
"""Options and credentials, by :attr:`Uri.root` of the URIs that they apply to."""
_filesystems_by_root: dict[str, FileSystem] = {}
"""File systems that were opened, likewise."""


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
    place, query = _split_query(match["place"], _WEB_QUERY if scheme in _WEB else _OPTIONS)
    if re.match(_CUT_CREDENTIALS, place):
        raise ConfigurationError(
            f"{match['scheme']}://{_HIDDEN}: the credentials contain a slash; write it as %2F"
        )
    uri = Uri(scheme, place)
    options = _Options(match["user"] or "", query)
    if any(options) and _options_by_root.setdefault(uri.root, options) != options:
        raise ConfigurationError(f"{uri.root} is given with two sets of options; use one")
    return uri


def _split_query(place: str, query: str) -> tuple[str, str]:
    """Split a query from the name before it."""
    match = re.search(query, place, re.DOTALL)
    return (place, "") if match is None else (place[: match.start()], match[1])


def known_options() -> dict[str, Any]:
    """All options and credentials so far, to be passed to :func:`adopt_options` elsewhere."""
    return dict(_options_by_root)


def adopt_options(options: Mapping[str, Any]) -> None:
    """Adopt options from another process."""
    for root, own in options.items():
        if _options_by_root.get(root) != own:
            _filesystems_by_root.pop(root, None)
        _options_by_root[root] = own


def filesystem_of(uri: Uri) -> tuple[FileSystem, str]:
    """The file system of a URI, and the path within it.

    Raises:
        OSError: No file system has this scheme, or its options are wrong.
        ExtraMissingError: The library that opens it is not installed.
    """
    try:
        from pyarrow import fs
    except ImportError as error:
        raise ExtraMissingError(
            f"{uri.root} needs pyarrow: pip install 'trajmeter[data]'"
        ) from error
    options = _options_by_root.get(uri.root, _Options("", ""))
    if uri.scheme in _ARROW:
        if uri.root not in _filesystems_by_root:
            user = f"{options.user}@" if options.user else ""
            query = f"?{options.query}" if options.query else ""
            authority = uri.place.partition("/")[0]
            with os_errors(uri):
                _filesystems_by_root[uri.root], _ = fs.FileSystem.from_uri(
                    f"{uri.scheme}://{user}{authority}/{query}"
                )
        return _filesystems_by_root[uri.root], _arrow_path(uri)
    opened, path = _fsspec_filesystem(uri, options)
    return _filesystems_by_root.setdefault(uri.root, opened), path


def _arrow_path(uri: Uri) -> str:
    """A file's path in pyarrow, which includes buckets but not hosts and accounts."""
    place = uri.place.rstrip("/")
    if uri.scheme in ("hdfs", "viewfs"):
        return f"/{place.partition('/')[2]}"
    if uri.scheme.startswith("abfs") and ".dfs." in place.partition("/")[0]:
        return place.partition("/")[2]
    return place


def _fsspec_filesystem(uri: Uri, options: _Options) -> tuple[FileSystem, str]:
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
    with os_errors(uri):
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
def os_errors(uri: Uri) -> Iterator[None]:
    """Convert all errors of a file system to ``OSError``, without secrets in the message."""
    try:
        yield
    except ExtraMissingError:
        raise
    except FileNotFoundError:  # its message may contain the whole address
        raise FileNotFoundError(2, "No such file or directory", str(uri)) from None
    except Exception as error:  # noqa: BLE001 - any library may have made the file system
        reason = f"{error.strerror or error}" if isinstance(error, OSError) else str(error)
        for secret in _options_by_root.get(uri.root, _Options("", "")).secrets():
            reason = reason.replace(secret, _HIDDEN)
        message = " ".join(reason.split()) or type(error).__name__
        raise OSError(getattr(error, "errno", None) or 5, message, str(uri)) from None
