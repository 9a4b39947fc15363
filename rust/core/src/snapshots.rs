//! Lines of a file of snapshots: a repository at a commit, reduced to what scoring needs.
//!
//! A line is taken only if it is plainly of the form that `trajmeter.snapshots` describes; whatever
//! else it may hold is left to Python, which knows what to say of it.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

/// A line.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct SnapshotLine {
    /// Name of the repository.
    #[serde(default)]
    pub repo: Option<String>,
    /// The commit.
    #[serde(default)]
    pub commit: Option<String>,
    /// Its files, in the order of the line.
    #[serde(deserialize_with = "files")]
    pub files: Vec<(String, FileLine)>,
}

/// Kind, start, end and name of a definition.
pub type DefinitionLine = (String, i64, i64, Option<String>);

/// A file.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct FileLine {
    /// Length in bytes.
    pub size: i64,
    /// First byte of every line.
    pub line_starts: Vec<i64>,
    /// Kind, start, end and name of each definition.
    #[serde(default)]
    pub definitions: Option<Vec<DefinitionLine>>,
}

/// Reads a line; `None` where it is not certain what the line says.
#[must_use]
pub fn read(line: &[u8]) -> Option<SnapshotLine> {
    let Object(line): Object<SnapshotLine> = serde_json::from_slice(line).ok()?;
    line.files
        .iter()
        .all(|(_, file)| file.counts())
        .then_some(line)
}

impl FileLine {
    /// Whether no number is negative.
    fn counts(&self) -> bool {
        let definitions = self.definitions.iter().flatten();
        self.size >= 0
            && self.line_starts.iter().all(|&start| start >= 0)
            && definitions
                .into_iter()
                .all(|&(_, start, end, _)| start >= 0 && end >= 0)
    }
}

/// What has to be written as an object: a derived reader takes an array of the fields as well.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

/// The entries of an object; an error if one repeats another.
fn files<'de, D: Deserializer<'de>>(object: D) -> Result<Vec<(String, FileLine)>, D::Error> {
    struct Files;

    impl<'de> Visitor<'de> for Files {
        type Value = Vec<(String, FileLine)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("files by path")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while let Some((path, Object(file))) = map.next_entry()? {
                found.push((path, file));
            }
            Ok(found)
        }
    }

    let found = object.deserialize_map(Files)?;
    let mut paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    paths.sort_unstable();
    if paths.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(serde::de::Error::custom("a path occurs twice"));
    }
    Ok(found)
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
        assert_eq!(snapshot.files[0].1.line_starts, [0, 2]);
        let definition = ("class".to_owned(), 0, 2, None);
        assert_eq!(snapshot.files[0].1.definitions, Some(vec![definition]));
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
            b"",
        ] {
            assert_eq!(read(line), None);
        }
    }
}
