//! Lines of a file of snapshots: a repository at a commit, reduced to what scoring needs.
//!
//! A line is taken only if it is plainly of the form that `trajmeter.snapshots` describes; whatever
//! else it may hold is left to Python, which knows what to say of it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::ingest::cursor::Cursor;
use crate::ingest::raw::is_certain;

/// A line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SnapshotLine<'a> {
    /// Name of the repository.
    pub repo: Option<Cow<'a, str>>,
    /// The commit.
    pub commit: Option<Cow<'a, str>>,
    /// Its files, in the order of the line.
    pub files: Vec<FileLine<'a>>,
    /// First byte of every line, file by file.
    pub line_starts: Vec<i64>,
    /// The definitions, file by file.
    pub definitions: DefinitionLines<'a>,
}

/// A file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileLine<'a> {
    /// Where it is.
    pub path: Cow<'a, str>,
    /// Length in bytes.
    pub size: i64,
    /// Where its lines are among those of all files.
    pub lines: Range<usize>,
    /// Where its definitions are among those of all files, if they are known.
    pub definitions: Option<Range<usize>>,
}

/// Definitions, a column for each of their properties.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DefinitionLines<'a> {
    /// Kind of each.
    pub kind: Vec<Cow<'a, str>>,
    /// First byte of each.
    pub start: Vec<i64>,
    /// The byte after the last of each.
    pub end: Vec<i64>,
    /// Name of each that has one.
    pub name: Vec<Option<Cow<'a, str>>>,
}

/// Reads a line; `None` where it is not certain what the line says.
#[must_use]
pub fn read(line: &[u8]) -> Option<SnapshotLine<'_>> {
    let mut cursor = Cursor::new(std::str::from_utf8(line).ok()?);
    let mut found = SnapshotLine {
        // Nearly every comma is one between lines.
        line_starts: Vec::with_capacity(memchr::memchr_iter(b',', line).count()),
        ..SnapshotLine::default()
    };
    let mut seen = Seen::default();
    cursor.object(|cursor, key| match &*key {
        "repo" => seen.once(0, || optional_text(cursor, &mut found.repo)),
        "commit" => seen.once(1, || optional_text(cursor, &mut found.commit)),
        "files" => seen.once(2, || {
            cursor.object(|cursor, path| found.read_file(cursor, path))
        }),
        _ => skip(cursor),
    })?;
    let paths: HashSet<&str> = found.files.iter().map(|file| &*file.path).collect();
    let is_whole = seen.has(2) && cursor.is_at_end() && paths.len() == found.files.len();
    is_whole.then_some(found)
}

impl<'a> SnapshotLine<'a> {
    fn read_file(&mut self, cursor: &mut Cursor<'a>, path: Cow<'a, str>) -> Option<()> {
        let (first_line, first) = (self.line_starts.len(), self.definitions.kind.len());
        let (mut size, mut has_definitions) = (0, false);
        let mut seen = Seen::default();
        cursor.object(|cursor, key| match &*key {
            "size" => seen.once(0, || cursor.integer().map(|number| size = number)),
            "line_starts" => seen.once(1, || cursor.counts(&mut self.line_starts)),
            "definitions" => seen.once(2, || {
                has_definitions = !cursor.null()?;
                if has_definitions {
                    cursor.list(|cursor| self.definitions.read(cursor))?;
                }
                Some(())
            }),
            _ => skip(cursor),
        })?;
        let file = FileLine {
            path,
            size,
            lines: first_line..self.line_starts.len(),
            definitions: has_definitions.then_some(first..self.definitions.kind.len()),
        };
        let is_sound = seen.has(0) && seen.has(1) && self.fit(&file);
        self.files.push(file);
        is_sound.then_some(())
    }

    /// Whether lines and definitions lie within their file.
    fn fit(&self, file: &FileLine<'_>) -> bool {
        let starts = &self.line_starts[file.lines.clone()];
        let of = file.definitions.clone().unwrap_or_default();
        let mut definitions = self.definitions.start[of.clone()]
            .iter()
            .zip(&self.definitions.end[of]);
        starts.first() == Some(&0)
            && starts.last() <= Some(&file.size)
            && starts.windows(2).all(|two| two[0] < two[1])
            && definitions.all(|(&start, &end)| 0 <= start && start <= end && end <= file.size)
    }
}

impl<'a> DefinitionLines<'a> {
    /// Reads a kind, a start, an end, and a name or null.
    fn read(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        let mut place = 0;
        cursor.list(|cursor| {
            place += 1;
            match place {
                1 => self.kind.push(cursor.text()?),
                2 => self.start.push(cursor.integer()?),
                3 => self.end.push(cursor.integer()?),
                4 => {
                    let mut name = None;
                    optional_text(cursor, &mut name)?;
                    self.name.push(name);
                }
                _ => return None,
            }
            Some(())
        })?;
        (place == 4).then_some(())
    }
}

/// The keys of an object that were met, none of which may come twice.
#[derive(Default)]
struct Seen(u8);

impl Seen {
    fn once(&mut self, key: u8, read: impl FnOnce() -> Option<()>) -> Option<()> {
        if self.has(key) {
            return None;
        }
        self.0 |= 1 << key;
        read()
    }

    fn has(&self, key: u8) -> bool {
        self.0 & 1 << key != 0
    }
}

fn optional_text<'a>(cursor: &mut Cursor<'a>, text: &mut Option<Cow<'a, str>>) -> Option<()> {
    if !cursor.null()? {
        *text = Some(cursor.text()?);
    }
    Some(())
}

/// Skips the value of an unknown key, unless Python might refuse it.
fn skip(cursor: &mut Cursor<'_>) -> Option<()> {
    is_certain(cursor.raw()?).then_some(())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn plain_lines_are_read() {
        let line = br#"{"repo": "a/b", "commit": null, "x": [1], "files": {"f": {"size": 3,
            "line_starts": [0, 2], "definitions": [["class", 0, 2, null]]}}}"#;
        let read = read(line);
        let Some(snapshot) = read else {
            unreachable!("the line is plain")
        };
        assert_eq!(snapshot.repo.as_deref(), Some("a/b"));
        assert_eq!(snapshot.files[0].lines, 0..2);
        assert_eq!(snapshot.line_starts, [0, 2]);
        assert_eq!(snapshot.files[0].definitions, Some(0..1));
        let known = snapshot.definitions;
        assert_eq!((&*known.kind[0], &known.name[0]), ("class", &None));
        assert_eq!((known.start, known.end), (vec![0], vec![2]));
    }

    #[test]
    fn other_lines_are_left_to_python() {
        for line in [
            &br#"{"files": {"f": {"size": -1, "line_starts": [0]}}}"#[..],
            br#"{"files": {"f": {"size": 1.0, "line_starts": [0]}}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": [0]}, "f": {"size": 1, "line_starts": [0]}}}"#,
            br#"{"files": {}, "files": {}}"#,
            br#"{"files": {}} x"#,
            b"[null, null, {}]",
            br#"{"files": {"f": [1, [0], null]}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": []}}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": [0, 0]}}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": [0, 2]}}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": [0], "definitions": [["a", 0, 1]]}}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": [0], "definitions": [["a", 1, 0, null]]}}}"#,
            br#"{"files": {"f": {"size": 1, "line_starts": [0], "definitions": [["a", 0, 2, null]]}}}"#,
            br#"{"files": {"f": {"size": 1, "size": 1, "line_starts": [0]}}}"#,
            b"{}",
            b"",
        ] {
            assert_eq!(read(line), None);
        }
    }
}
