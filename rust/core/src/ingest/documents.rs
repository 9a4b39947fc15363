//! JSON documents: locating their records, and reading these as rows.

use std::ops::Range;

use super::merge::merged;
use super::parser::Parser;
use super::raw::MOST_VALUES;
use super::shares::Shares;
use super::{Format, Piece, Reader};
use crate::pool;

/// Numbers of rows after which room for the others is reserved.
const EXPECTING: [usize; 2] = [16, 64];

/// Byte ranges of the parts of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The members of an object other than the list: each key with the range of its value.
    pub members: Vec<(String, Range<usize>)>,
    /// Ranges of the items of the list.
    pub items: Vec<Range<usize>>,
}

impl Document {
    /// Locates the parts of a document that is a list, or an object with a list under `key`.
    ///
    /// Returns `None` if the document has another shape, is not certain to mean the same to every
    /// parser, or has more items than the record reader reads.
    #[must_use]
    pub fn of(content: &[u8], key: Option<&str>) -> Option<Self> {
        let mut parser = Parser::new(std::str::from_utf8(content).ok()?);
        let mut members = Vec::new();
        let mut found = None;
        match key {
            None => found = Some(items(&mut parser)?),
            Some(own) => parser.object(|parser, key| {
                let key = key.text()?;
                if key == own {
                    // If the key occurred twice, the last list would count.
                    return found.replace(items(parser)?).is_none().then_some(());
                }
                members.push((key.into_owned(), span(parser)?));
                Some(())
            })?,
        }
        let items = found.filter(|_| parser.is_at_end())?;
        Some(Self { members, items })
    }
}

fn items(parser: &mut Parser<'_>) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    parser.list(|parser| {
        found.push(span(parser)?);
        (found.len() <= MOST_VALUES).then_some(())
    })?;
    Some(found)
}

/// Skips the next value and returns its range.
fn span(parser: &mut Parser<'_>) -> Option<Range<usize>> {
    let length = parser.skip()?.len();
    Some(parser.at() - length..parser.at())
}

impl Reader {
    /// Reads the values of a document, each with its name in it, as if each were a line. Returns
    /// the results of `finish` for their rows.
    ///
    /// Refused values are numbered by their position, from 0.
    pub fn read_values<T: Send>(
        &self,
        values: &[(Option<String>, &[u8])],
        file: &str,
        finish: impl Fn(Piece) -> T + Send + Sync,
    ) -> Vec<T> {
        let shares = Shares::new(values.iter().map(|(_, value)| value.len() as u64));
        let pieces = shares.read(pool::width(), |shares, stretch| {
            let mut format = self.formats.first().copied().unwrap_or(Format::Own);
            self.gather_each(file, shares.items(stretch), |row, number| {
                let (name, value) = &values[number];
                row.record.clone_from(name);
                let found = row.read(value, format, &self.formats);
                format = found.unwrap_or(format);
                let is_read = found.is_some();
                if is_read && EXPECTING.contains(&row.index) {
                    row.expect(shares.left(stretch));
                }
                is_read
            })
        });
        merged(pieces, finish)
    }
}

#[cfg(test)]
mod tests {
    use super::Document;

    fn parts<'a>(content: &'a str, key: Option<&str>) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
        let found = Document::of(content.as_bytes(), key)?;
        let members = found
            .members
            .iter()
            .map(|(_, range)| &content[range.clone()]);
        let items = found.items.iter().map(|range| &content[range.clone()]);
        Some((members.collect(), items.collect()))
    }

    #[test]
    fn parts_of_documents() {
        assert_eq!(parts("[]", None), Some((vec![], vec![])));
        let list = " [ {\"a\": [1]} , [2],\n\"x]\" ]\n";
        let items = vec!["{\"a\": [1]}", "[2]", "\"x]\""];
        assert_eq!(parts(list, None), Some((vec![], items)));
        let object = r#"{"b": {"s": 1}, "s": [1, 2], "c": "é"}"#;
        let found = parts(object, Some("s"));
        assert_eq!(found, Some((vec![r#"{"s": 1}"#, "\"é\""], vec!["1", "2"])));
    }

    #[test]
    fn others_are_not_taken_apart() {
        for (content, key) in [
            ("{}", None),
            ("[1] 2", None),
            ("[1", None),
            ("[01]", None),
            ("\u{feff}[]", None),
            ("{}", Some("s")),
            (r#"{"s": 1}"#, Some("s")),
            (r#"{"s": [], "s": []}"#, Some("s")),
            ("[]", Some("s")),
        ] {
            assert_eq!(Document::of(content.as_bytes(), key), None, "{content}");
        }
        assert_eq!(Document::of(b"[\"\xff\"]", None), None);
    }
}
