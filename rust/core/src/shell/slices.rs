//! Division of an output among the commands that printed it.
//!
//! The output of a single command is the whole of it. If several print, `echo` texts that occur
//! once divide it; between them, numbered lines and known line counts decide. If doubt remains, the
//! requested lines are used.

use rustc_hash::FxHashMap;

use super::output::Text;
use super::printed::{Part, Printed};
use super::selections::Line;
use super::text::{is_blank, leading_number};

/// Lines of the output, half-open.
pub(super) type Bounds = (usize, usize);

/// Returns the lines of the output that each command printed; `None` if they are unknown.
pub(super) fn slices(printed: &[Printed], text: &Text<'_>) -> Vec<Option<Bounds>> {
    let mut found = vec![None; printed.len()];
    let (mut begin, mut group) = (0, 0);
    if printed.len() > 1 {
        for (index, at, size) in anchors(printed, &text.lines) {
            found[index] = Some((at, at + size));
            divide(printed, &mut found, text, (group, index), (begin, at));
            (begin, group) = (at + size, index + 1);
        }
    }
    let (groups, lines) = ((group, printed.len()), (begin, text.lines.len()));
    divide(printed, &mut found, text, groups, lines);
    found
}

/// Finds the literal texts that occur once: the command, the line, and the number of lines.
fn anchors(printed: &[Printed], lines: &[&str]) -> Vec<(usize, usize, usize)> {
    struct Place {
        texts: usize,
        lines: usize,
        at: usize,
    }
    let literals = printed.iter().enumerate().filter_map(|(index, each)| {
        let literal = each.literal.as_deref()?;
        let first = literal.split('\n').next().unwrap_or(literal);
        (!literal.is_empty()).then(|| (index, first, literal.split('\n').count()))
    });
    let mut places: FxHashMap<&str, Place> = FxHashMap::default();
    for (_, first, _) in literals.clone() {
        let place = places.entry(first).or_insert(Place {
            texts: 0,
            lines: 0,
            at: 0,
        });
        place.texts += 1;
    }
    if places.is_empty() {
        return Vec::new();
    }
    for (at, line) in lines.iter().enumerate() {
        if let Some(place) = places.get_mut(line) {
            place.lines += 1;
            place.at = at;
        }
    }
    let mut after = 0;
    let mut found = Vec::new();
    for (index, first, size) in literals {
        let Some(place) = places.get(first) else {
            continue;
        };
        if place.lines == 1 && place.texts == 1 && place.at >= after {
            found.push((index, place.at, size));
            after = place.at + size;
        }
    }
    found
}

/// Divides lines of the output among consecutive commands.
fn divide(
    printed: &[Printed],
    found: &mut [Option<Bounds>],
    text: &Text<'_>,
    group: Bounds,
    bounds: Bounds,
) {
    let prints = |&index: &usize| printed[index].size != Some(0);
    let indices: Vec<usize> = (group.0..group.1).filter(prints).collect();
    let mut indices = &indices[..];
    let (mut begin, end) = bounds;
    if indices.len() > 1 && text.uncounted().is_some() {
        return;
    }
    while let [index, rest @ ..] = indices {
        let size = numbered(&printed[*index], &text.lines, begin, end);
        if rest.is_empty() || size == 0 {
            break;
        }
        found[*index] = Some((begin, begin + size));
        begin += size;
        indices = rest;
    }
    let sizes = indices.iter().map(|&index| Size {
        sure: printed[index].size,
        most: most(&printed[index]),
    });
    // A text of several lines may end after the next one.
    let total = end as Line - begin as Line;
    let sizes = sizes_of(&sizes.collect::<Vec<_>>(), total);
    for (&index, size) in indices.iter().zip(sizes) {
        let after = (begin as Line + size).max(0) as usize;
        found[index] = Some((begin, after));
        begin = after;
    }
}

/// Number of lines that a command prints.
pub(super) struct Size {
    /// The number, if known without the output.
    pub sure: Option<Line>,
    /// The number, provided that its files are long enough.
    pub most: Option<Line>,
}

/// Determines the number of lines that each command printed of `total`; empty if uncertain.
pub(super) fn sizes_of(printed: &[Size], total: Line) -> Vec<Line> {
    if printed.len() == 1 {
        return vec![total];
    }
    let sizes: Option<Vec<Line>> = printed.iter().map(|each| each.most).collect();
    if let Some(sizes) = sizes.filter(|sizes| sizes.iter().sum::<Line>() == total) {
        return sizes;
    }
    // A file may have fewer lines than requested; only exact numbers leave the rest to one command.
    let rest = total - printed.iter().filter_map(|each| each.sure).sum::<Line>();
    let mut unsure = printed.iter().filter(|each| each.sure.is_none());
    let (Some(one), None) = (unsure.next(), unsure.next()) else {
        return Vec::new();
    };
    if rest < 0 || one.most.is_some_and(|most| rest > most) {
        return Vec::new();
    }
    let sizes = printed.iter().map(|each| each.sure.unwrap_or(rest));
    sizes.collect()
}

/// Returns the number of lines that a command prints, if its files are long enough.
fn most(printed: &Printed) -> Option<Line> {
    if printed.size.is_some() {
        return printed.size;
    }
    match &printed.parts[..] {
        [part] if !printed.is_headed => most_of(part),
        _ => None,
    }
}

pub(super) fn most_of(part: &Part) -> Option<Line> {
    part.size().filter(|_| part.picked.is_exact)
}

/// Returns how many lines from here on have the numbers that a command prints; 0 if none.
fn numbered(printed: &Printed, lines: &[&str], begin: usize, end: usize) -> usize {
    let [part] = &printed.parts[..] else {
        return 0;
    };
    let Some([(first, last)]) = part.picked.ranges.as_deref() else {
        return 0;
    };
    if !part.picked.has_numbers {
        return 0;
    }
    let lines = lines.get(begin..end).unwrap_or_default();
    let expected = (*first..).take_while(|number| last.is_none_or(|last| *number <= last));
    let pairs = lines.iter().zip(expected);
    pairs
        .take_while(|(line, expected)| number(line) == Some(*expected))
        .count()
}

/// Parses the number at the beginning of a line.
pub(super) fn number(line: &str) -> Option<Line> {
    let line = line.trim_start_matches(is_blank);
    let (number, digits) = leading_number(line)?;
    let next = line[digits..].chars().next();
    let is_end = |c: char| is_blank(c) || matches!(c, ':' | '|' | ',' | ')' | ']' | '→' | '-');
    next.is_none_or(is_end).then_some(number)
}
