//! Call arguments as JSON, compared by value.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// Deepest nesting that every step, here and in the twin, is certain to support.
const DEEPEST: usize = 64;

/// From here on, a number may be an integer that no double represents exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Up to this many keys, a linear search is faster than hashing.
const FEW_KEYS: usize = 16;

/// A JSON value. Numbers are equal by value; the order of keys does not matter.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Object(Object<'a>),
}

/// Keys with their values, in the order in which they were written.
pub type Object<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// Parses a JSON object; `None` unless the twin is certain to read the same.
pub fn object(text: &str) -> Option<Object<'_>> {
    match parse(text)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Parses a JSON string; `None` if the text is anything else.
pub fn text(json: &str) -> Option<Cow<'_, str>> {
    match parse(json)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn parse(text: &str) -> Option<Value<'_>> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = Nested(0).deserialize(&mut parser).ok()?;
    parser.end().ok().map(|()| value)
}

/// Returns the value of a key.
pub fn get<'v, 'a>(object: &'v Object<'a>, key: &str) -> Option<&'v Value<'a>> {
    let mut pairs = object.iter();
    pairs.find_map(|(name, value)| (name == key).then_some(value))
}

/// Hashes an object: equal objects have equal digests.
pub fn digest(object: &Object) -> u64 {
    // The order of keys does not matter, so the hashes are added up.
    object.iter().fold(0, |sum, (key, value)| {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        value.hash(&mut hasher);
        sum.wrapping_add(hasher.finish())
    })
}

/// Returns whether two objects have the same keys with equal values.
pub fn same(left: &Object, right: &Object) -> bool {
    left.len() == right.len()
        && left.iter().enumerate().all(|(at, (key, value))| {
            // A tool usually writes its keys in the same order.
            let other = match right.get(at) {
                Some((name, other)) if name == key => Some(other),
                _ => get(right, key),
            };
            other == Some(value)
        })
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Integer(left), Self::Integer(right)) => left == right,
            (Self::Number(left), Self::Number(right)) => left == right,
            (Self::Integer(integer), Self::Number(number))
            | (Self::Number(number), Self::Integer(integer)) => whole(*number) == Some(*integer),
            (Self::Text(left), Self::Text(right)) => left == right,
            (Self::List(left), Self::List(right)) => left == right,
            (Self::Object(left), Self::Object(right)) => same(left, right),
            _ => false,
        }
    }
}

/// Returns the number as an integer if it is one. All are far from the limits of 64 bits.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0).then_some(number as i64)
}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Null => 0_u8.hash(state),
            Self::Bool(value) => (1_u8, value).hash(state),
            Self::Integer(value) => (2_u8, value).hash(state),
            Self::Number(value) => match whole(*value) {
                Some(integer) => (2_u8, integer).hash(state),
                None => (3_u8, value.to_bits()).hash(state),
            },
            Self::Text(value) => (4_u8, value).hash(state),
            Self::List(values) => (5_u8, values).hash(state),
            Self::Object(object) => (6_u8, digest(object)).hash(state),
        }
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(values) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    list.serialize_element(value)?;
                }
                list.end()
            }
            Self::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (key, value) in object {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// Parses a value at a given nesting depth.
struct Nested(usize);

impl Nested {
    fn below<E: Error>(&self) -> Result<Self, E> {
        if self.0 < DEEPEST {
            Ok(Self(self.0 + 1))
        } else {
            Err(E::custom("nested too deeply to be certain"))
        }
    }
}

impl<'de> DeserializeSeed<'de> for Nested {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value that the twin reads alike")
    }

    fn visit_unit<E: Error>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value<'de>, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value<'de>, E> {
        let signed = i64::try_from(value).map_err(|_| E::custom("an integer beyond 64 bits"))?;
        Ok(Value::Integer(signed))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value<'de>, E> {
        // Long integers are parsed as doubles, and so is the integer -0.
        if value.abs() >= LARGEST || (value == 0.0 && value.is_sign_negative()) {
            return Err(E::custom("a number that may have been an integer"));
        }
        Ok(Value::Number(value))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(self.below()?)? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut object = Object::new();
        while let Some(key) = entries.next_key_seed(Key)? {
            object.push((key, entries.next_value_seed(self.below()?)?));
        }
        if has_twice(&object) {
            return Err(A::Error::custom("a key that occurs twice"));
        }
        Ok(Value::Object(object))
    }
}

struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match Nested(0).deserialize(deserializer)? {
            Value::Text(key) => Ok(key),
            _ => Err(D::Error::custom("a key is text")),
        }
    }
}

fn has_twice(object: &Object) -> bool {
    if object.len() > FEW_KEYS {
        let mut keys: Vec<&str> = object.iter().map(|(key, _)| &**key).collect();
        keys.sort_unstable();
        return keys.windows(2).any(|pair| pair[0] == pair[1]);
    }
    let mut pairs = object.iter().enumerate();
    pairs.any(|(at, (key, _))| object[..at].iter().any(|(other, _)| other == key))
}

/// Returns a copy of the object that borrows nothing.
pub fn owned(object: Object) -> Object<'static> {
    let pairs = object.into_iter();
    let own = pairs.map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned()));
    own.collect()
}

impl Value<'_> {
    fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Integer(value) => Value::Integer(value),
            Self::Number(value) => Value::Number(value),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::List(values) => Value::List(values.into_iter().map(Self::into_owned).collect()),
            Self::Object(object) => Value::Object(owned(object)),
        }
    }
}
