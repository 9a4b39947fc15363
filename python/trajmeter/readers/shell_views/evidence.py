"""Assigns the lines of an output to the commands that printed them.

The output of a single command is all of it. If several commands print, ``echo`` texts that occur
once divide the output; between those, numbered lines and known line counts decide. If they leave a
doubt, the lines requested are assumed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.readers._logs.views import made_view
from trajmeter.readers.shell_views.pipelines import Part, Printed, joined
from trajmeter.readers.shell_views.revisions import hunks
from trajmeter.readers.shell_views.searches import hits
from trajmeter.records import Extent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.readers.shell_views.outputs import Text
    from trajmeter.readers.shell_views.selections import Ranges
    from trajmeter.records import View

__all__ = ["is_scratch", "requested", "seen", "slices"]

_NUMBER = re.compile(r"\s*(\d{1,18})(?=\s|[:|,)\]→-]|\Z)")
_HEADER = re.compile(r"==> (.+) <==")
_SCRATCH = ("/tmp/", "/var/tmp/", "/dev/", "/proc/", "/sys/")  # noqa: S108 - recognised, not used
_BLANK = 2
"""Maximum number of lines that may have been trimmed from an output; if more are missing, the file
ended."""


def slices(printed: Sequence[Printed], text: Text) -> list[tuple[int, int] | None]:
    """The output lines that each command printed; ``None`` if unknown."""
    if len(printed) == 1 and printed[0].size != 0:
        return [(0, len(text.lines))]
    found: list[tuple[int, int] | None] = [None] * len(printed)
    begin, group = 0, 0
    if len(printed) > 1:
        places = _anchors(printed, text.lines)
        for index, (at, size) in places.items():
            found[index] = (at, at + size)
            _divide(printed, found, text, (group, index), (begin, at))
            begin, group = at + size, index + 1
    _divide(printed, found, text, (group, len(printed)), (begin, len(text.lines)))
    return found


def _anchors(printed: Sequence[Printed], lines: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Positions of literally printed texts that occur once."""
    texts = {index: each.literal.split("\n") for index, each in enumerate(printed) if each.literal}
    firsts = [text[0] for text in texts.values()]
    found: dict[int, tuple[int, int]] = {}
    places: dict[str, list[int]] = {first: [] for first in firsts}
    for at, line in enumerate(lines if texts else ()):
        if line in places:
            places[line].append(at)
    after = 0
    for index, text in texts.items():
        where = places[text[0]]
        if len(where) == 1 and firsts.count(text[0]) == 1 and where[0] >= after:
            found[index] = (where[0], len(text))
            after = where[0] + len(text)
    return found


def _divide(
    printed: Sequence[Printed],
    found: list[tuple[int, int] | None],
    text: Text,
    group: tuple[int, int],
    bounds: tuple[int, int],
) -> None:
    """Divide output lines among consecutive commands."""
    indices = [index for index in range(*group) if printed[index].size != 0]
    begin, end = bounds
    if text.uncounted is not None and len(indices) > 1:
        return
    while len(indices) > 1 and (size := _numbered(printed[indices[0]], text.lines, begin, end)):
        found[indices.pop(0)] = (begin, begin + size)
        begin += size
    sizes = _sizes([printed[index] for index in indices], end - begin)
    for index, size in zip(indices, sizes, strict=bool(sizes)):
        found[index] = (begin, begin + size)
        begin += size


def _sizes(printed: Sequence[Printed], total: int) -> list[int]:
    """Number of output lines of each command; empty if uncertain."""
    if len(printed) == 1:
        return [total]
    sizes = [_size(each) for each in printed]
    if None not in sizes and sum(filter(None, sizes)) == total:
        return [size or 0 for size in sizes]
    # A file may have fewer lines than requested; only certain sizes leave the rest to one command.
    sure = [each.size for each in printed if each.size is not None]
    rest = total - sum(sure)
    most = next((size for each, size in zip(printed, sizes, strict=True) if each.size is None), 0)
    if len(sure) != len(printed) - 1 or rest < 0 or (most is not None and rest > most):
        return []
    return [rest if each.size is None else each.size for each in printed]


def _size(printed: Printed) -> int | None:
    """Number of lines that a command prints if its files are long enough."""
    if printed.size is not None:
        return printed.size
    if printed.is_headed or len(printed.parts) != 1 or not printed.parts[0].is_exact:
        return None
    part = printed.parts[0]
    return None if part.ranges is None else part.size


def _numbered(printed: Printed, lines: Sequence[str], begin: int, end: int) -> int:
    """Number of lines from here that bear the numbers a command prints; 0 if none do."""
    if len(printed.parts) != 1 or not printed.parts[0].has_numbers:
        return 0
    ranges = printed.parts[0].ranges
    if ranges is None or len(ranges) != 1:
        return 0
    expected, last = ranges[0]
    at = begin
    while at < end and (match := _NUMBER.match(lines[at])) is not None:
        if int(match[1]) != expected or (last is not None and expected > last):
            break
        expected += 1
        at += 1
    return at - begin


def seen(printed: Printed, text: Text, bounds: tuple[int, int] | None) -> Iterator[View]:
    """The views of a command, from its lines of the output."""
    if bounds is None:
        return requested(printed)
    begin, end = bounds
    if printed.search is not None or printed.diff is not None:
        return _searched(printed, text.lines[begin:end])
    if printed.is_headed:
        return _headed(printed.parts, text, begin, end)
    return _parted(printed.parts, text, begin, end)


def _searched(printed: Printed, lines: Sequence[str]) -> Iterator[View]:
    if printed.search is not None:
        for found in hits(printed.search, lines):
            yield from _lines(joined(printed.folder, found.path), found.lines, is_search=True)
    if printed.diff is not None:
        for found in hunks(printed.diff, lines):
            yield from _lines(found.path, found.lines)


def _parted(parts: Sequence[Part], text: Text, begin: int, end: int) -> Iterator[View]:
    """The views of parts that were printed consecutively."""
    if len(parts) == 1:
        yield from _placed(parts[0], text, begin, end)
        return
    sizes = _sizes([Printed(parts=[part]) for part in parts], end - begin)
    if not sizes:
        yield from requested(
            Printed(parts=[part for part in parts if begin < end or part.is_whole])
        )
    for part, size in zip(parts, sizes, strict=bool(sizes)):
        yield from _placed(part, text, begin, begin + size)
        begin += size


def requested(printed: Printed) -> Iterator[View]:
    """The views that a command requests, for unknown output."""
    for part in printed.parts:
        if part.is_whole:
            yield made_view(part.path, Extent.WHOLE)
        elif part.ranges is None or part.is_cut:
            yield made_view(part.path, searched=part.is_search)
        else:
            for first, last in part.ranges:
                if last is None:
                    yield made_view(part.path)
                else:
                    yield from _lines(part.path, (first, last), is_search=part.is_search)
    search = printed.search
    if search is not None and search.is_named is False and len(search.files) == 1:
        yield from _lines(joined(printed.folder, search.files[0]), None, is_search=True)


def _headed(parts: Sequence[Part], text: Text, begin: int, end: int) -> Iterator[View]:
    """The text after each line that names a file, as ``head`` prints for several files."""
    starts = [at for at in range(begin, end) if _HEADER.fullmatch(text.lines[at])]
    for place, at in enumerate(starts):
        header = _HEADER.fullmatch(text.lines[at])
        name = header[1] if header is not None else ""
        part = next(
            (part for part in parts if part.path == name or part.path.endswith(f"/{name}")), None
        )
        if part is None:
            continue
        is_last = place + 1 == len(starts)
        until = end if is_last else starts[place + 1]
        # An empty line precedes each header but the first.
        yield from _placed(part, text, at + 1, until - (not is_last))


def _placed(part: Part, text: Text, begin: int, end: int) -> Iterator[View]:
    """The views of a part that printed these output lines."""
    if begin >= end:
        if part.is_whole:
            yield made_view(part.path, Extent.WHOLE)
    elif part.has_numbers:
        for lines in _runs(_numbers(text, begin, end)):
            yield from _lines(part.path, lines, is_search=part.is_search)
    elif part.ranges is None:
        yield from _lines(part.path, None, is_search=part.is_search)
    elif not part.is_exact or (text.is_trimmed and 0 < (part.size or 0) - (end - begin) <= _BLANK):
        yield from requested(Printed(parts=[part]))
    else:
        for lines in _counted(part.ranges, text, begin, end):
            yield from _lines(part.path, lines)


def _counted(ranges: Ranges, text: Text, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """The file lines that these output lines are, in order."""
    if text.uncounted is not None:
        end = min(end, text.uncounted)
    for first, last in ranges:
        size = end - begin if last is None else min(last - first + 1, end - begin)
        if size <= 0:
            return
        for low, high in _shown((begin, begin + size), text.hidden):
            yield first + low - begin, first + high - begin - 1
        begin += size


def _numbers(text: Text, begin: int, end: int) -> Iterator[int]:
    low, high = text.hidden
    for at in range(begin, end):
        if not low <= at < high and (match := _NUMBER.match(text.lines[at])) is not None:
            yield int(match[1])


def _runs(numbers: Iterator[int]) -> Iterator[tuple[int, int]]:
    """Runs of consecutive numbers as ranges."""
    first = last = -1
    for number in numbers:
        if number == last + 1 and first >= 0:
            last = number
            continue
        if first >= 0:
            yield first, last
        first = last = number
    if first >= 0:
        yield first, last


def _shown(lines: tuple[int, int], hidden: tuple[int, int]) -> list[tuple[int, int]]:
    begin, end = lines
    low, high = hidden
    if low >= high or high <= begin or low >= end:
        return [lines]
    return [each for each in ((begin, low), (high, end)) if each[0] < each[1]]


def _lines(path: str, lines: tuple[int, int] | None, *, is_search: bool = False) -> Iterator[View]:
    if lines is None:
        yield made_view(path, searched=is_search)
    else:
        first, last = lines
        yield made_view(path, Extent.LINES, first, last, searched=is_search)


def is_scratch(path: str, root: str | None) -> bool:
    """Whether a path is in a folder that contains no repositories, except below this root."""
    if not path.startswith(_SCRATCH):
        return False
    if root is None or not root.startswith(_SCRATCH):
        return True
    return not path.startswith(f"{root.rstrip('/')}/")
