//! Trajmeter records, whose keys are the names of the columns.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, MapAccess, Visitor};

use super::Row;
use super::slots::Fields;
use super::value::{Others, only_if};

struct Object<'a, 'b> {
    row: &'a mut Row<'b>,
}

/// Reads a Trajmeter trajectory into a row of the columns.
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

/// Fills in the values that a trajectory does not hold under their own names.
pub(super) fn complete<E: Error>(row: &mut Row<'_>, others: &Others<'_>) -> Result<(), E> {
    if !others.is_empty() {
        let extra = &mut row.columns[row.places.extra];
        // If a key has two values, the record reader decides which one counts.
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
