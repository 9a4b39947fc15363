//! Views of files from an output, given the part of it that each command printed.

use std::ops::RangeInclusive;
use std::rc::Rc;

use super::output::Text;
use super::paths::joined;
use super::printed::{Part, Printed};
use super::revisions::hunks;
use super::searches::hits;
use super::selections::{Line, Range};
use super::slices::{Bounds, Size, most_of, number, sizes_of};
use super::{Extent, LONGEST_FOLDER, Uncertain, View};

const SCRATCH: [&str; 5] = ["tmp/", "var/tmp/", "dev/", "proc/", "sys/"];
/// With more pairs of file and header than this, matching them takes too long.
const MOST_PAIRS: usize = 1 << 20;

/// Adds the views of a command, using its lines of the output.
pub(super) fn seen(
    printed: &Printed,
    text: &Text<'_>,
    bounds: Option<Bounds>,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    let Some((begin, end)) = bounds else {
        return requested(printed, views);
    };
    let lines = text.lines.get(begin..end).unwrap_or_default();
    if printed.search.is_some() || printed.diff.is_some() {
        return found(printed, lines, views);
    }
    if printed.is_headed {
        return headed(&printed.parts, text, (begin, end), views);
    }
    parted(&printed.parts, text, (begin, end), views)
}

fn found(printed: &Printed, lines: &[&str], views: &mut Vec<View>) -> Result<(), Uncertain> {
    let mut result = Ok(());
    if let Some(search) = &printed.search {
        let folder = printed.folder.as_deref();
        if folder.is_some_and(|folder| folder.len() > LONGEST_FOLDER) {
            return Err(Uncertain); // a short command would produce a long path for every line
        }
        let mut last: Option<(&str, Option<Rc<str>>)> = None;
        views.reserve(lines.len());
        hits(search, lines, |path, lines| {
            let known = last.take().filter(|(written, _)| *written == path);
            let file = || Some(joined(folder, path)).filter(|path| may_be_in_repository(path));
            if let (_, Some(whole)) = last.insert(known.unwrap_or_else(|| (path, file()))) {
                match extent(lines.map(RangeInclusive::into_inner)) {
                    Ok(extent) => views.push(View {
                        path: whole.clone(),
                        extent,
                        is_search: true,
                    }),
                    Err(error) => result = result.and(Err(error)),
                }
            }
        })?;
    }
    if let Some(diff) = printed.diff {
        hunks(diff, lines, |path, lines| {
            let lines = lines.map(RangeInclusive::into_inner);
            result = result.and(add(&path.into(), lines, false, views));
        });
    }
    result
}

/// Adds the views of consecutive parts of the output.
fn parted(
    parts: &[Part],
    text: &Text<'_>,
    bounds: Bounds,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    let (mut begin, end) = bounds;
    let sizes = parts.iter().map(|part| Size {
        sure: None,
        most: most_of(part),
    });
    let sizes = sizes_of(&sizes.collect::<Vec<_>>(), end as Line - begin as Line);
    if sizes.is_empty() {
        for part in parts.iter().filter(|part| begin < end || part.is_whole()) {
            requested_of(part, views)?;
        }
    }
    for (part, size) in parts.iter().zip(sizes) {
        let after = (begin as Line + size).max(0) as usize;
        placed(part, text, begin, after, views)?;
        begin = after;
    }
    Ok(())
}

/// Adds the views that a command requests, if its output is unknown.
pub(super) fn requested(printed: &Printed, views: &mut Vec<View>) -> Result<(), Uncertain> {
    for part in &printed.parts {
        requested_of(part, views)?;
    }
    if let Some(search) = &printed.search {
        if let (Some(false), [(file, _)]) = (search.is_named, &search.files[..]) {
            add(&joined(printed.folder.as_deref(), file), None, true, views)?;
        }
    }
    Ok(())
}

fn requested_of(part: &Part, views: &mut Vec<View>) -> Result<(), Uncertain> {
    if part.is_whole() {
        add_view(&part.path, Extent::Whole, false, views);
        return Ok(());
    }
    let Some(ranges) = part.picked.ranges.as_ref().filter(|_| !part.picked.is_cut) else {
        return add(&part.path, None, part.is_search, views);
    };
    for &(first, last) in ranges {
        match last {
            None => add(&part.path, None, false, views)?,
            Some(last) => add(&part.path, Some((first, last)), part.is_search, views)?,
        }
    }
    Ok(())
}

/// Adds the lines below each line that names a file, as `head` prints for several files.
fn headed(
    parts: &[Part],
    text: &Text<'_>,
    (begin, end): Bounds,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    let lines = text.lines.get(begin..end).unwrap_or_default().iter();
    let headers = lines.enumerate().filter_map(|(at, line)| {
        let name = line.strip_prefix("==> ")?.strip_suffix(" <==")?;
        (!name.is_empty()).then_some((begin + at, name))
    });
    let headers: Vec<_> = headers.collect();
    if headers.len().saturating_mul(parts.len()) > MOST_PAIRS {
        return Err(Uncertain);
    }
    for (place, &(at, name)) in headers.iter().enumerate() {
        let is_named = |part: &&Part| {
            let above = part.path.strip_suffix(name);
            above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
        };
        let Some(part) = parts.iter().find(is_named) else {
            continue;
        };
        // An empty line precedes each header except the first.
        let until = headers.get(place + 1).map_or(end, |(next, _)| next - 1);
        placed(part, text, at + 1, until, views)?;
    }
    Ok(())
}

/// Adds the views of a command that printed these lines of the output.
fn placed(
    part: &Part,
    text: &Text<'_>,
    begin: usize,
    end: usize,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    if begin >= end {
        if part.is_whole() {
            add_view(&part.path, Extent::Whole, false, views);
        }
        return Ok(());
    }
    if part.picked.has_numbers {
        return by_number(part, text, begin, end, views);
    }
    let Some(ranges) = &part.picked.ranges else {
        return add(&part.path, None, part.is_search, views);
    };
    if !part.picked.is_exact {
        return requested_of(part, views);
    }
    counted(part, ranges, text, (begin, end), views)
}

/// Adds the lines of a file that correspond, in order, to these lines of the output.
fn counted(
    part: &Part,
    ranges: &[Range],
    text: &Text<'_>,
    (mut begin, end): Bounds,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    let end = text.uncounted().map_or(end, |uncounted| end.min(uncounted));
    for &(first, last) in ranges {
        let rest = end as Line - begin as Line;
        let size = last.map_or(rest, |last| rest.min(last - first + 1));
        if size <= 0 {
            return Ok(());
        }
        let after = begin + size as usize;
        let shift = first - begin as Line;
        for (low, high) in shown((begin, after), text.hidden) {
            let lines = (shift + low as Line, shift + high as Line - 1);
            add(&part.path, Some(lines), false, views)?;
        }
        begin = after;
    }
    Ok(())
}

/// Adds the lines whose numbers are printed in these lines of the output.
fn by_number(
    part: &Part,
    text: &Text<'_>,
    begin: usize,
    end: usize,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    let lines = text.lines.get(begin..end).unwrap_or_default();
    let (low, high) = text.hidden;
    let numbers = lines.iter().enumerate().filter_map(|(at, line)| {
        let is_shown = !(low..high).contains(&(begin + at));
        number(line).filter(|_| is_shown)
    });
    let mut run: Option<(Line, Line)> = None;
    for number in numbers {
        match &mut run {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => {
                if let Some(lines) = run.replace((number, number)) {
                    add(&part.path, Some(lines), part.is_search, views)?;
                }
            }
        }
    }
    run.map_or(Ok(()), |lines| {
        add(&part.path, Some(lines), part.is_search, views)
    })
}

/// Returns the parts of these lines that are not hidden.
fn shown((begin, end): Bounds, (low, high): Bounds) -> impl Iterator<Item = Bounds> {
    let is_apart = low >= high || high <= begin || low >= end;
    let parts = if is_apart {
        [(begin, end), (0, 0)]
    } else {
        [(begin, low), (high, end)]
    };
    parts.into_iter().filter(|(begin, end)| begin < end)
}

fn add(
    path: &Rc<str>,
    lines: Option<(Line, Line)>,
    is_search: bool,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    add_view(path, extent(lines)?, is_search, views);
    Ok(())
}

fn extent(lines: Option<(Line, Line)>) -> Result<Extent, Uncertain> {
    let Some((first, last)) = lines else {
        return Ok(Extent::Unknown);
    };
    let line = |line: Line| i64::try_from(line).map_err(|_| Uncertain);
    Ok(Extent::Lines(line(first)?, line(last)?))
}

/// Adds a view, unless its path is outside of any repository.
fn add_view(path: &Rc<str>, extent: Extent, is_search: bool, views: &mut Vec<View>) {
    if may_be_in_repository(path) {
        views.push(View {
            path: path.clone(),
            extent,
            is_search,
        });
    }
}

/// Returns whether a path is outside of folders such as `/tmp`.
pub(crate) fn may_be_in_repository(path: &str) -> bool {
    let below_root = path.strip_prefix('/');
    !below_root.is_some_and(|path| SCRATCH.iter().any(|folder| path.starts_with(folder)))
}
