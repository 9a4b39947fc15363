//! Records of our own, whose keys are names of columns.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, MapAccess, Visitor};

use super::Row;
use super::value::{Fields, Others, only_if};

struct Object<'a, 'b> {
    row: &'a mut Row<'b>,
}

/// Reads a trajectory of ours into a row of the columns.
pub(super) fn read<'de, D: Deserializer<'de>>(
    row: &mut Row<'_>,
    deserializer: D,
) -> Result<(), D::Error> {
    deserializer.deserialize_map(Object { row })
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let fields = Fields {
            members: self.row.members,
            columns: self.row.columns,
            row: self.row.index,
        };
        let mut others = Others::default();
        fields.read(map, Some(&mut others))?;
        only_if(!self.row.is_foreign(&others))?;
        complete(self.row, &others)
    }
}

/// Adds what a trajectory does not hold under a name of its own.
pub(super) fn complete<E: Error>(row: &mut Row<'_>, others: &Others<'_>) -> Result<(), E> {
    if !others.is_empty() {
        let extra = &mut row.columns[row.places.extra];
        // Which of two values a key has is for the record reader to decide.
        only_if(others.are_distinct() && !extra.has(row.index))?;
        extra.clear(row.index);
        if extra.is_wanted() {
            only_if(extra.text(row.index, &others.json(&[])))?;
        }
    }
    if row.columns[row.places.source].has(row.index) {
        return Ok(());
    }
    row.source()
}
