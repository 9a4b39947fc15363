//! The context that an attempt viewed, in the format of `ContextBench`: files, lines by file,
//! symbols by file. The views are written in this order, whatever the order of the keys.

use std::collections::HashSet;

use serde::de::{MapAccess, SeqAccess};

use super::View;
use super::certainty::require;
use super::column::Column;
use super::objects::{Into, Item, List, Object, next_object, once};
use super::value::{Others, Raw, Text, are_distinct, only_if};

/// Key of the line ranges by file; also the extent of views with lines.
pub(super) const LINES: &str = "lines";

/// Up to this many files, a linear search is faster than hashing.
const FEW_FILES: usize = 16;

/// Values by path, in file order; the values of one path are adjacent.
struct ByPath<'de, T> {
    paths: Vec<Text<'de>>,
    /// End of the values of each path.
    ends: Vec<usize>,
    values: Vec<T>,
}

impl<T> Default for ByPath<'_, T> {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            ends: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<T> ByPath<'_, T> {
    fn clear(&mut self) {
        self.paths.clear();
        self.ends.clear();
        self.values.clear();
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[T])> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let values = begins
            .zip(&self.ends)
            .map(|(begin, &end)| &self.values[begin..end]);
        self.paths.iter().map(|path| &*path.0).zip(values)
    }

    fn are_distinct(&self) -> bool {
        are_distinct(self.paths.len(), || self.paths.iter().map(|path| &*path.0))
    }
}

impl<'de, T: Item<'de>> Object<'de> for ByPath<'de, T> {
    fn key<A: MapAccess<'de>>(&mut self, key: Text<'de>, map: &mut A) -> Result<(), A::Error> {
        self.paths.push(key);
        map.next_value_seed(List {
            values: &mut self.values,
            nullable: true,
        })?;
        self.ends.push(self.values.len());
        Ok(())
    }
}

/// First and last line of a span; other keys are ignored.
#[derive(Default)]
struct Span {
    seen: u16,
    start: i64,
    end: i64,
}

impl<'de> Object<'de> for Span {
    fn key<A: MapAccess<'de>>(&mut self, key: Text<'de>, map: &mut A) -> Result<(), A::Error> {
        match &*key.0 {
            "start" => {
                once(&mut self.seen, 0)?;
                self.start = map.next_value()?;
            }
            "end" => {
                once(&mut self.seen, 1)?;
                self.end = map.next_value()?;
            }
            _ => {
                map.next_value_seed(Raw)?;
            }
        }
        Ok(())
    }
}

impl<'de> Item<'de> for Span {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        let Some(span) = next_object::<Self, _>(list)? else {
            return Ok(None);
        };
        only_if(span.seen == 0b11)?;
        Ok(Some(span))
    }
}

/// A viewed context: files, lines of files, names in files.
#[derive(Default)]
pub(super) struct Context<'de> {
    seen: u16,
    /// Whether any of the three is present.
    pub is_recorded: bool,
    files: Vec<Text<'de>>,
    spans: ByPath<'de, Span>,
    symbols: ByPath<'de, Text<'de>>,
    pub others: Others<'de>,
}

impl<'de> Context<'de> {
    pub(super) fn clear(&mut self) {
        self.seen = 0;
        self.is_recorded = false;
        self.files.clear();
        self.spans.clear();
        self.symbols.clear();
        self.others.clear();
    }

    /// Reads one of the three parts, or skips another key.
    pub(super) fn part<A: MapAccess<'de>>(
        &mut self,
        name: &str,
        key: Text<'de>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let nullable = true;
        self.is_recorded |= match name {
            "files" => {
                once(&mut self.seen, 0)?;
                map.next_value_seed(List {
                    values: &mut self.files,
                    nullable,
                })?
            }
            "spans" => {
                once(&mut self.seen, 1)?;
                map.next_value_seed(Into {
                    target: &mut self.spans,
                    nullable,
                })?
            }
            "symbols" => {
                once(&mut self.seen, 2)?;
                map.next_value_seed(Into {
                    target: &mut self.symbols,
                    nullable,
                })?
            }
            _ => {
                self.others.add(key, map)?;
                false
            }
        };
        Ok(())
    }

    pub(super) fn are_keys_distinct(&self) -> bool {
        self.spans.are_distinct() && self.symbols.are_distinct() && self.others.are_distinct()
    }

    /// Writes the views to `row` of a column of lists of views.
    pub(super) fn write(&self, list: &mut Column, row: usize, view: &View) -> Option<()> {
        if !list.is_wanted() {
            list.close();
            return Some(());
        }
        let views = list.items(row)?;
        for file in &self.files {
            add(views, view.path, &file.0)?;
            views.close();
        }
        let listed = Listed::new(&self.files);
        for (path, spans) in self.spans.iter() {
            let is_listed = spans.is_empty() || listed.has(path);
            for span in spans {
                let index = views.len();
                let columns = add(views, view.path, path)?;
                require(columns[view.extent].text(index, LINES))?;
                require(columns[view.start].integer(index, span.start))?;
                require(columns[view.end].integer(index, span.end))?;
                require(columns[view.listed].boolean(index, is_listed))?;
                views.close();
            }
        }
        for (path, symbols) in self
            .symbols
            .iter()
            .filter(|(_, symbols)| !symbols.is_empty())
        {
            let index = views.len();
            let columns = add(views, view.path, path)?;
            require(columns[view.listed].boolean(index, listed.has(path)))?;
            let names = columns[view.symbols].items(index)?;
            for symbol in symbols {
                require(names.text(names.len(), &symbol.0))?;
            }
            columns[view.symbols].close();
            views.close();
        }
        list.close();
        Some(())
    }
}

/// Appends a view of a path, and returns its columns.
pub(super) fn add<'a>(views: &'a mut Column, path: usize, text: &str) -> Option<&'a mut [Column]> {
    let index = views.len();
    let columns = views.columns(index)?;
    require(columns[path].text(index, text))?;
    Some(columns)
}

/// The files that a context lists.
enum Listed<'a> {
    Few(&'a [Text<'a>]),
    Many(HashSet<&'a str>),
}

impl<'a> Listed<'a> {
    fn new(files: &'a [Text<'a>]) -> Self {
        if files.len() <= FEW_FILES {
            Self::Few(files)
        } else {
            Self::Many(files.iter().map(|file| &*file.0).collect())
        }
    }

    fn has(&self, path: &str) -> bool {
        match self {
            Self::Few(files) => files.iter().any(|file| file.0 == path),
            Self::Many(files) => files.contains(path),
        }
    }
}

impl<'de> Object<'de> for Context<'de> {
    fn key<A: MapAccess<'de>>(&mut self, key: Text<'de>, map: &mut A) -> Result<(), A::Error> {
        self.part(&key.0.clone(), key, map)
    }
}
