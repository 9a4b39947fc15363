//! The values that columns hold for absent members.

use serde_json::Value;

use super::shape::Kind;

/// The value of a row of a column whose member is absent.
#[derive(Debug)]
pub(super) enum Absent {
    Null,
    Boolean(bool),
    Integer(i64),
    Text(String),
    Empty,
}

impl Absent {
    /// Converts the default of a member to a value of its column.
    pub(super) fn of(kind: Kind, default: &Value) -> Self {
        match default {
            // The default of a JSON member may be an empty object, which its column holds as null.
            _ if kind == Kind::Json => Self::Null,
            Value::Bool(value) => Self::Boolean(*value),
            Value::Number(value) => value.as_i64().map_or(Self::Null, Self::Integer),
            Value::String(value) => Self::Text(value.clone()),
            Value::Array(_) | Value::Object(_) => Self::Empty,
            Value::Null => Self::Null,
        }
    }
}
