//! The entry of one benchmark in a table.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Why a benchmark has no usable value, as its position in [`REASONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// Absent or null.
    Missing,
    /// Not a number.
    NotANumber,
    /// NaN, or infinite.
    NonFinite,
    /// Zero or negative.
    NotPositive,
}

/// Names of the reasons.
pub const REASONS: [&str; 4] = ["missing", "not_a_number", "non_finite", "not_positive"];

/// A ratio, or the reason why it is missing.
pub type Ratio = Result<f64, Reason>;

/// One benchmark of a table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Number of its name.
    pub benchmark: u32,
    /// Ratio with the agent's change.
    pub agent: Ratio,
    /// Ratio with the reference solution.
    pub oracle: Ratio,
    /// Whether the change was significant.
    pub significant: Option<bool>,
    /// Whether the entry is an object.
    pub is_object: bool,
    /// Whether the agent's ratio counts as that of an agent that changed nothing.
    pub is_reverted: bool,
}

impl Entry {
    /// Creates the entry of a benchmark whose value is not an object.
    const fn fault(reason: Reason) -> Self {
        Self {
            benchmark: 0,
            agent: Err(reason),
            oracle: Err(reason),
            significant: None,
            is_object: false,
            is_reverted: false,
        }
    }
}

fn measured(value: f64) -> Ratio {
    if value.is_nan() || value.is_infinite() {
        Err(Reason::NonFinite)
    } else if value > 0.0 {
        Ok(value)
    } else {
        Err(Reason::NotPositive)
    }
}

/// A value of an entry, as far as it matters.
#[derive(Clone, Copy)]
pub enum Value {
    Null,
    Flag(bool),
    Number(f64),
    Object,
    Other,
}

impl Value {
    fn ratio(self, booleans_are_numbers: bool) -> Ratio {
        match self {
            Self::Null => Err(Reason::Missing),
            Self::Number(value) => measured(value),
            Self::Flag(value) if booleans_are_numbers => measured(f64::from(u8::from(value))),
            _ => Err(Reason::NotANumber),
        }
    }
}

/// Returns a time; `None` if it is an object, which may hold one.
fn seconds(value: Option<Value>) -> Option<Ratio> {
    match value {
        None => Some(Err(Reason::Missing)),
        Some(Value::Object) => None,
        Some(value) => Some(value.ratio(false)),
    }
}

/// The rules for reading an entry.
#[derive(Clone, Copy)]
pub struct EntrySeed {
    /// Whether booleans count as 1 and 0, instead of as values that are not numbers.
    pub booleans_are_numbers: bool,
}

impl<'de> DeserializeSeed<'de> for EntrySeed {
    type Value = Entry;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EntrySeed {
    type Value = Entry;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an entry")
    }

    fn visit_unit<E: Error>(self) -> Result<Entry, E> {
        Ok(Entry::fault(Reason::Missing))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Entry, E> {
        Ok(Entry::fault(Reason::NotANumber))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Entry, E> {
        Ok(Entry::fault(Reason::NotANumber))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Entry, E> {
        Ok(Entry::fault(Reason::NotANumber))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Entry, E> {
        Ok(Entry::fault(Reason::NotANumber))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Entry, E> {
        Ok(Entry::fault(Reason::NotANumber))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Entry::fault(Reason::NotANumber))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut fields = Fields::default();
        while let Some(field) = map.next_key_seed(FieldSeed)? {
            match field {
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
                field => {
                    let value = map.next_value_seed(ValueSeed)?;
                    let twice = || A::Error::custom("a field twice");
                    fields.set(field, value).ok_or_else(twice)?;
                }
            }
        }
        fields
            .entry(self.booleans_are_numbers)
            .ok_or_else(|| A::Error::custom("a time as an object"))
    }
}

/// The relevant fields of an entry that were read so far.
#[derive(Default)]
pub struct Fields([Option<Value>; Field::COUNT]);

impl Fields {
    /// Sets a field; `None` if it was already set.
    pub fn set(&mut self, field: Field, value: Value) -> Option<()> {
        let place = &mut self.0[field as usize];
        let is_first = place.is_none();
        *place = Some(value);
        is_first.then_some(())
    }

    /// Returns the entry; `None` if a time is an object, which may hold one.
    pub fn entry(&self, booleans_are_numbers: bool) -> Option<Entry> {
        let get = |field: Field| self.0[field as usize];
        let ratio = |field, time| match (get(field), get(time)) {
            (None | Some(Value::Null), Some(time)) => {
                let after = seconds(Some(time))?;
                let before = seconds(get(Field::NopSeconds))?;
                Some(after.and_then(|after| measured(before? / after)))
            }
            (value, _) => Some(value.unwrap_or(Value::Null).ratio(booleans_are_numbers)),
        };
        Some(Entry {
            benchmark: 0,
            agent: ratio(Field::Agent, Field::AgentSeconds)?,
            oracle: ratio(Field::Oracle, Field::OracleSeconds)?,
            significant: match get(Field::Significant) {
                Some(Value::Flag(value)) => Some(value),
                _ => None,
            },
            is_object: true,
            is_reverted: matches!(get(Field::Reverted), Some(Value::Flag(true))),
        })
    }
}

/// The field that a key of an entry stands for.
#[derive(Clone, Copy)]
pub enum Field {
    Agent,
    Oracle,
    Significant,
    NopSeconds,
    AgentSeconds,
    OracleSeconds,
    Reverted,
    Other,
}

impl Field {
    const COUNT: usize = 7;

    /// Returns the field with a name.
    pub fn of(name: &str) -> Self {
        match name {
            "agent/nop" => Self::Agent,
            "oracle/nop" => Self::Oracle,
            "significant" => Self::Significant,
            "nop_seconds" => Self::NopSeconds,
            "agent_seconds" => Self::AgentSeconds,
            "oracle_seconds" => Self::OracleSeconds,
            "fallback_to_baseline" => Self::Reverted,
            _ => Self::Other,
        }
    }
}

struct FieldSeed;

impl<'de> DeserializeSeed<'de> for FieldSeed {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldSeed {
    type Value = Field;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Field, E> {
        Ok(Field::of(name))
    }
}

struct ValueSeed;

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Flag(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object)
    }
}
