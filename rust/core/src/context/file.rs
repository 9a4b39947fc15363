//! What a view of one file covers: its lines, its bytes and its definitions.

use super::ranges::{Cover, Extent, Range, Rules, bounded, ordered, positive, to_the_end};
use super::tables::Tables;

/// A file that gold or a view refers to.
#[derive(Debug, Clone)]
pub struct File {
    code: i64,
    rules: Rules,
    tables: Option<Tables>,
}

impl File {
    /// Creates the file `code`, with its tables if it is in a snapshot.
    #[must_use]
    pub fn new(code: i64, rules: Rules, tables: Option<Tables>) -> Self {
        Self {
            code,
            rules,
            tables,
        }
    }

    /// Number of the file within its task.
    #[must_use]
    pub fn code(&self) -> i64 {
        self.code
    }

    /// Whether its content is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.tables.is_some()
    }

    /// Lines and bytes of a range as given by a view.
    ///
    /// A range is clipped to the file. It is empty if reversed or outside the file. A missing end,
    /// or -1, means the end of the file. For a file without a snapshot, lines are used as written,
    /// and nothing else is known.
    #[must_use]
    pub fn cover(&self, extent: Extent, start: Option<i64>, end: Option<i64>) -> Cover {
        if let Some(tables) = &self.tables {
            return tables.cover(self.rules, extent, start, end);
        }
        let lines = match (extent, self.rules) {
            (Extent::Lines, Rules::AsWritten) => positive(start, end),
            (Extent::Lines, Rules::Default) => to_the_end(end).and_then(|end| {
                let first = bounded(start.unwrap_or(1)).max(1);
                ordered(first, bounded(end))
            }),
            _ => None,
        };
        Cover {
            lines,
            ..Cover::default()
        }
    }

    /// Calls `found` with the definitions that overlap the bytes of `cover`, as ranges of indices.
    ///
    /// Definitions that start inside the bytes are consecutive. Earlier definitions that reach the
    /// bytes are found by jumping, from each that does not, to the nearest one that ends later.
    pub fn definitions(&self, cover: &Cover, found: impl FnMut(Range)) {
        if let Some(tables) = &self.tables {
            tables.definitions(self.rules, cover, found);
        }
    }
}
