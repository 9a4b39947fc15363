//! Reads lines of a file of snapshots: a repository at a commit, reduced to what scoring needs.
//!
//! Only lines that clearly have the form that `trajmeter.snapshots` describes are read here; Python
//! reads the others, or explains what is wrong with them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::context::{Rules, Tables};
use crate::ingest::cursor::Cursor;
use crate::ingest::raw::is_certain;

/// One snapshot.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SnapshotLine {
    /// Name of the repository.
    pub repo: Option<String>,
    /// The commit.
    pub commit: Option<String>,
    /// Its files, in the order of the line.
    pub files: Vec<FileLine>,
    line_starts: Vec<i64>,
    definitions: DefinitionLines,
}

/// A file of a snapshot.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileLine {
    /// Path relative to the repository's root.
    pub path: String,
    /// Length in bytes.
    pub size: i64,
    lines: Range<usize>,
    definitions: Option<Range<usize>>,
}

/// Definitions of all files, one column per property.
#[derive(Debug, Default, PartialEq, Eq)]
struct DefinitionLines {
    /// Index in `kinds` of each definition's kind.
    kind: Vec<usize>,
    kinds: Vec<String>,
    start: Vec<i64>,
    end: Vec<i64>,
    /// Range in `names` of each definition's name, if it has one.
    name: Vec<Option<Range<usize>>>,
    names: String,
}

/// The definitions of one file.
#[derive(Debug, Clone, Copy)]
pub struct FileDefinitions<'a> {
    of: &'a DefinitionLines,
    first: usize,
    /// First byte of each definition.
    pub start: &'a [i64],
    /// The byte after the last of each definition.
    pub end: &'a [i64],
}

/// Indices of a file's definitions by name.
pub type Named = FxHashMap<Box<str>, Vec<i64>>;

/// Reads a line; `None` if it is left to Python.
#[must_use]
pub fn read(line: &[u8]) -> Option<SnapshotLine> {
    let mut cursor = Cursor::new(std::str::from_utf8(line).ok()?);
    let mut found = SnapshotLine {
        // Nearly all commas separate line starts.
        line_starts: Vec::with_capacity(memchr::memchr_iter(b',', line).count()),
        ..SnapshotLine::default()
    };
    let mut kinds = FxHashMap::default();
    let mut seen = Seen::default();
    cursor.object(|cursor, key| match &*key {
        "repo" => seen.once(0, || optional_text(cursor, &mut found.repo)),
        "commit" => seen.once(1, || optional_text(cursor, &mut found.commit)),
        "files" => seen.once(2, || {
            cursor.object(|cursor, path| found.read_file(cursor, path.into_owned(), &mut kinds))
        }),
        _ => skip(cursor),
    })?;
    let paths: HashSet<&str> = found.files.iter().map(|file| &*file.path).collect();
    let is_whole = seen.has(2) && cursor.is_at_end() && paths.len() == found.files.len();
    is_whole.then_some(found)
}

impl SnapshotLine {
    /// First byte of each line of a file.
    #[must_use]
    pub fn line_starts(&self, file: usize) -> &[i64] {
        &self.line_starts[self.files[file].lines.clone()]
    }

    /// The definitions of a file, if they are known.
    #[must_use]
    pub fn definitions(&self, file: usize) -> Option<FileDefinitions<'_>> {
        let place = self.files[file].definitions.clone()?;
        Some(FileDefinitions {
            of: &self.definitions,
            first: place.start,
            start: &self.definitions.start[place.clone()],
            end: &self.definitions.end[place],
        })
    }

    /// Number of lines and of definitions in all files.
    #[must_use]
    pub fn totals(&self) -> (usize, usize) {
        (self.line_starts.len(), self.definitions.start.len())
    }

    /// Compiles the tables of a file, whose definitions must be in order; see
    /// [`FileDefinitions::are_in_order`].
    #[must_use]
    pub fn tables(&self, file: usize, rules: Rules) -> Tables {
        let known = self.definitions(file);
        let places = known.map(|known| known.start.iter().copied().zip(known.end.iter().copied()));
        let size = self.files[file].size;
        Tables::new(
            rules,
            size,
            self.line_starts(file),
            places.into_iter().flatten(),
        )
    }

    fn read_file<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        path: String,
        kinds: &mut FxHashMap<Cow<'a, str>, usize>,
    ) -> Option<()> {
        let (first_line, first) = (self.line_starts.len(), self.definitions.kind.len());
        let (mut size, mut has_definitions) = (0, false);
        let mut seen = Seen::default();
        cursor.object(|cursor, key| match &*key {
            "size" => seen.once(0, || cursor.integer().map(|number| size = number)),
            "line_starts" => seen.once(1, || cursor.counts(&mut self.line_starts)),
            "definitions" => seen.once(2, || {
                has_definitions = !cursor.null()?;
                if has_definitions {
                    cursor.list(|cursor| self.definitions.read(cursor, kinds))?;
                }
                Some(())
            }),
            _ => skip(cursor),
        })?;
        self.files.push(FileLine {
            path,
            size,
            lines: first_line..self.line_starts.len(),
            definitions: has_definitions.then_some(first..self.definitions.kind.len()),
        });
        (seen.has(0) && seen.has(1) && self.fit(self.files.len() - 1)).then_some(())
    }

    /// Whether lines and definitions lie within their file.
    fn fit(&self, file: usize) -> bool {
        let (starts, size) = (self.line_starts(file), self.files[file].size);
        let within = |(&start, &end): (&i64, &i64)| 0 <= start && start <= end && end <= size;
        let known = self.definitions(file);
        starts.first() == Some(&0)
            && starts.last() <= Some(&size)
            && starts.windows(2).all(|two| two[0] < two[1])
            && known.is_none_or(|known| known.start.iter().zip(known.end).all(within))
    }
}

impl DefinitionLines {
    /// Reads a kind, a start, an end, and a name or null.
    fn read<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        kinds: &mut FxHashMap<Cow<'a, str>, usize>,
    ) -> Option<()> {
        let mut place = 0;
        cursor.list(|cursor| {
            place += 1;
            match place {
                1 => {
                    let kind = kinds.entry(cursor.text()?).or_insert_with_key(|kind| {
                        self.kinds.push(kind.to_string());
                        self.kinds.len() - 1
                    });
                    self.kind.push(*kind);
                }
                2 => self.start.push(cursor.integer()?),
                3 => self.end.push(cursor.integer()?),
                4 => {
                    let begin = self.names.len();
                    let is_named = !cursor.null()?;
                    if is_named {
                        self.names.push_str(&cursor.text()?);
                    }
                    self.name.push(is_named.then_some(begin..self.names.len()));
                }
                _ => return None,
            }
            Some(())
        })?;
        (place == 4).then_some(())
    }
}

impl<'a> FileDefinitions<'a> {
    /// Whether definitions are sorted by distinct starts and, unless `keep_empty`, none is empty.
    #[must_use]
    pub fn are_in_order(&self, keep_empty: bool) -> bool {
        let mut places = self.start.iter().zip(self.end);
        self.start.windows(2).all(|two| two[0] < two[1])
            && (keep_empty || places.all(|(start, end)| start < end))
    }

    /// Index in [`Self::kinds`] of each definition's kind.
    #[must_use]
    pub fn kind(&self) -> &'a [usize] {
        &self.of.kind[self.first..self.first + self.start.len()]
    }

    /// Name of each definition, if it has one.
    #[must_use]
    pub fn names(&self) -> impl ExactSizeIterator<Item = Option<&'a str>> + use<'a> {
        let (first, of) = (self.first, self.of);
        let places = of.name[first..first + self.start.len()].iter();
        places.map(|place| place.clone().map(|place| &of.names[place]))
    }

    /// Indices of the definitions by name.
    #[must_use]
    pub fn by_name(&self) -> Named {
        let mut found = Named::default();
        for (name, index) in self.names().zip(0..) {
            if let Some(name) = name {
                found.entry(name.into()).or_default().push(index);
            }
        }
        found
    }

    /// The distinct kinds of all files.
    #[must_use]
    pub fn kinds(&self) -> &'a [String] {
        &self.of.kinds
    }
}

/// Keys of an object read so far, as bits; no key may occur twice.
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

fn optional_text(cursor: &mut Cursor<'_>, text: &mut Option<String>) -> Option<()> {
    if !cursor.null()? {
        *text = Some(cursor.text()?.into_owned());
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
        assert_eq!(snapshot.line_starts(0), [0, 2]);
        assert_eq!(snapshot.totals(), (2, 1));
        let Some(known) = snapshot.definitions(0) else {
            unreachable!("there are definitions")
        };
        assert_eq!(known.kinds()[known.kind()[0]], "class");
        assert!(known.names().eq([None]));
        assert_eq!((known.start, known.end), (&[0][..], &[2][..]));
        assert!(known.are_in_order(false));
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
