//! Records of our own: the fields of a trajectory under their own names, unknown keys in `extra`.

use std::fmt;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};

use super::value::{Fields, Others, only_if};
use super::{Places, Row};

/// Keys by which other formats know their records, whatever else is in them.
const OTHER_FORMATS: [&str; 8] = [
    "duration_ms",
    "model_patch",
    "output",
    "result_columns",
    "results",
    "token_usage",
    "traj_data",
    "trajectory_format",
];

struct Own<'a, 'b> {
    row: &'a mut Row<'b>,
}

/// Reads a record into a row of the columns.
pub(super) fn read<'de, D: Deserializer<'de>>(
    row: &mut Row<'_>,
    deserializer: D,
) -> Result<(), D::Error> {
    deserializer.deserialize_map(Own { row })
}

impl<'de> Visitor<'de> for Own<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Row {
            members,
            columns,
            places,
            index,
            ..
        } = &mut *self.row;
        let Places { source, extra, .. } = **places;
        let row = *index;
        let mut others = Others::default();
        let fields = Fields {
            members,
            columns,
            row,
        };
        fields.read(map, Some(&mut others))?;
        if !others.is_empty() {
            only_if(others.are_distinct())?;
            only_if(!others.keys().any(|key| OTHER_FORMATS.contains(&key)))?;
            // Which of two values a key has is for the record reader to decide.
            only_if(!columns[extra].has(row))?;
            columns[extra].clear(row);
            only_if(columns[extra].text(row, &others.json(&[])))?;
        }
        if columns[source].has(row) {
            return Ok(());
        }
        self.row.source()
    }
}

struct Flat<'a, 'b> {
    row: &'a mut Row<'b>,
}

/// Reads a flat row; keys that are not columns are passed over.
pub(super) fn read_flat<'de, D: Deserializer<'de>>(
    row: &mut Row<'_>,
    deserializer: D,
) -> Result<(), D::Error> {
    deserializer.deserialize_map(Flat { row })
}

impl<'de> Visitor<'de> for Flat<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let fields = Fields {
            members: self.row.members,
            columns: self.row.columns,
            row: self.row.index,
        };
        let mut others = Others::default();
        fields.read(map, Some(&mut others))?;
        only_if(!others.keys().any(|key| RECORD_KEYS.contains(&key)))
    }
}

/// Keys by which a flat row would be a record.
const RECORD_KEYS: [&str; 2] = ["turns", "measurements"];
