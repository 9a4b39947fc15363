//! What an absent value of a column stands for.

use serde_json::Value;

use super::shape::Kind;

/// What stands in a column where there is no value.
#[derive(Debug)]
pub(super) enum Absent {
    Null,
    Boolean(bool),
    Integer(i64),
    Text(String),
    Empty,
}

impl Absent {
    /// What the default of a member stands for, in a column of a kind.
    pub(super) fn of(kind: Kind, default: &Value) -> Self {
        match default {
            // An empty object is what absent JSON stands for, and null in its column.
            _ if kind == Kind::Json => Self::Null,
            Value::Bool(value) => Self::Boolean(*value),
            Value::Number(value) => value.as_i64().map_or(Self::Null, Self::Integer),
            Value::String(value) => Self::Text(value.clone()),
            Value::Array(_) | Value::Object(_) => Self::Empty,
            Value::Null => Self::Null,
        }
    }
}
