//! Values of logs, parsed directly into fields of structs.
//!
//! Every method returns `None` if a value has the wrong type, if a key that is read occurs twice,
//! or if the text is not valid JSON.

use std::borrow::Cow;

use super::super::escapes::Escapes;
use super::super::parser::Parser;
use super::super::raw::is_certain;
use super::super::tree::Quoted;

/// An object, some keys of which are read.
pub(super) trait Fields<'a> {
    /// Reads the value of a key.
    fn field(&mut self, key: &str, parser: &mut Parser<'a>) -> Option<()>;
}

/// A value of one type.
pub(super) trait Value<'a>: Sized {
    fn read(parser: &mut Parser<'a>) -> Option<Self>;
}

/// Null means absent.
impl<'a, T: Value<'a>> Value<'a> for Option<T> {
    fn read(parser: &mut Parser<'a>) -> Option<Self> {
        if parser.null()? {
            return Some(None);
        }
        T::read(parser).map(Some)
    }
}

/// A string that is unescaped later, if at all.
impl<'a> Value<'a> for Quoted<'a> {
    fn read(parser: &mut Parser<'a>) -> Option<Self> {
        let text = parser.quoted()?;
        (text.escapes != Escapes::Other || is_certain(text.json)).then_some(text)
    }
}

impl<'a> Value<'a> for Cow<'a, str> {
    fn read(parser: &mut Parser<'a>) -> Option<Self> {
        parser.quoted()?.text()
    }
}

/// The text of a value of any type.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a>(pub &'a str);

impl<'a> Value<'a> for Kept<'a> {
    fn read(parser: &mut Parser<'a>) -> Option<Self> {
        parser.skip().map(Self)
    }
}

macro_rules! numbers {
    ($($type:ty),+) => {$(
        impl<'a> Value<'a> for $type {
            fn read(parser: &mut Parser<'a>) -> Option<Self> {
                parser.number()?.parse().ok()
            }
        }
    )+};
}

numbers!(f64, i64, u64);

/// Parses an object; null counts as an empty one if `nullable`.
pub(super) fn object<'a, T: Fields<'a>>(
    parser: &mut Parser<'a>,
    target: &mut T,
    nullable: bool,
) -> Option<()> {
    if nullable && parser.null()? {
        return Some(());
    }
    parser.object(|parser, key| target.field(&key.text()?, parser))
}

/// Appends the objects of a list to `values`; null counts as an empty list if `nullable`.
pub(super) fn list<'a, T: Fields<'a> + Default>(
    parser: &mut Parser<'a>,
    values: &mut Vec<T>,
    nullable: bool,
) -> Option<()> {
    if nullable && parser.null()? {
        return Some(());
    }
    parser.list(|parser| {
        // Moving large structs takes time.
        values.push(T::default());
        object(parser, values.last_mut()?, false)
    })
}

/// Marks a key as seen; `None` if it was seen before.
pub(super) fn once(seen: &mut u16, bit: u8) -> Option<()> {
    let is_first = *seen & (1 << bit) == 0;
    *seen |= 1 << bit;
    is_first.then_some(())
}

/// Implements `Fields` for structs, with keys that hold a value, an object (or null) or a list of
/// objects. Other keys are skipped.
macro_rules! keys {
    ($type:ty, $($key:literal, $bit:literal, $kind:ident $field:ident;)+) => {
        impl<'de> $crate::ingest::logs::fields::Fields<'de> for $type {
            fn field(
                &mut self,
                key: &str,
                parser: &mut $crate::ingest::parser::Parser<'de>,
            ) -> Option<()> {
                use $crate::ingest::logs::fields;
                match key {
                    $($key => {
                        fields::once(&mut self.seen, $bit)?;
                        fields::keys!(self, parser, $kind $field)
                    })+
                    _ => parser.skip().map(drop),
                }
            }
        }
    };
    ($self:ident, $parser:ident, value $field:ident) => {{
        $self.$field = fields::Value::read($parser)?;
        Some(())
    }};
    ($self:ident, $parser:ident, object $field:ident) => {
        fields::object($parser, &mut $self.$field, true)
    };
    ($self:ident, $parser:ident, list $field:ident) => {
        fields::list($parser, &mut $self.$field, true)
    };
    ($self:ident, $parser:ident, messages $field:ident) => {
        fields::list($parser, &mut $self.$field, false)
    };
}

pub(super) use keys;
