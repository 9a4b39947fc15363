//! Values of logs, read one after another into fields of Rust.
//!
//! Every method gives none where a value is not of the type that is looked for, where a key that is
//! read comes twice, or where the text is not valid JSON.

use std::borrow::Cow;

use super::super::escapes::Escapes;
use super::super::parser::Parser;
use super::super::raw::is_certain;
use super::super::tree::Quoted;

/// An object of which some keys are read.
pub(super) trait Fields<'a> {
    /// Reads the value of a key.
    fn field(&mut self, key: &str, parser: &mut Parser<'a>) -> Option<()>;
}

/// A value of one type.
pub(super) trait Value<'a>: Sized {
    fn read(parser: &mut Parser<'a>) -> Option<Self>;
}

/// Null stands for what is not there.
impl<'a, T: Value<'a>> Value<'a> for Option<T> {
    fn read(parser: &mut Parser<'a>) -> Option<Self> {
        if parser.null()? {
            return Some(None);
        }
        T::read(parser).map(Some)
    }
}

/// A text that is taken apart later, if at all.
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

/// The text of a value of any shape.
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

/// Reads an object, or null if that may stand for an empty one.
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

/// Reads a list of objects, or null if that may stand for an empty one, to the end of `values`.
pub(super) fn list<'a, T: Fields<'a> + Default>(
    parser: &mut Parser<'a>,
    values: &mut Vec<T>,
    nullable: bool,
) -> Option<()> {
    if nullable && parser.null()? {
        return Some(());
    }
    parser.list(|parser| {
        let mut value = T::default();
        object(parser, &mut value, false)?;
        values.push(value);
        Some(())
    })
}

/// Notes a key that may come once.
pub(super) fn once(seen: &mut u16, bit: u8) -> Option<()> {
    let is_first = *seen & (1 << bit) == 0;
    *seen |= 1 << bit;
    is_first.then_some(())
}

/// Reads objects with these keys: one value each, an object or null, or a list of objects. Other
/// keys are passed over.
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
