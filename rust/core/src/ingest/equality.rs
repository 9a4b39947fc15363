//! JSON texts that hold objects: which of them are equal.
//!
//! Two objects are equal if they hold equal values under the same keys, in any order. Numbers are
//! equal by value, so that 1 is 1.0; true is not 1. `keyed_arguments` in Python defines it. A text
//! that is not certain to be read there as it is here is left to the caller.
//!
//! Each object is written out anew, with its keys in order and its values one after another, so
//! that equal ones become equal bytes.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::raw::is_certain;
use super::value::{Text, only_if, refused};
use crate::{offsets, pool};

/// Stands for valid JSON that is neither an object, nor null or a text, which may stand for one.
pub const NO_OBJECT: i64 = -1;

/// Stands for text that the caller has to look at.
pub const UNCERTAIN: i64 = -2;

/// Whole doubles below it are the integers they look like.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Codes of the objects that texts hold: equal ones have one code, from 0.
///
/// Text i is `texts[offsets[i]..offsets[i + 1]]`.
///
/// # Errors
///
/// [`crate::Error::Choice`] for an offset that falls or leads outside.
pub fn object_codes(texts: &[u8], offsets: &[i64]) -> crate::Result<Vec<i64>> {
    offsets::check(offsets, texts.len())?;
    if offsets.is_empty() {
        return Ok(Vec::new());
    }
    let pieces = pool::map(pool::pieces(offsets).into_iter(), |rows| {
        Piece::of(texts, &offsets[rows.start..=rows.end])
    });
    let mut codes = Vec::with_capacity(offsets.len() - 1);
    // Growing would hash every object again.
    let most = pieces.iter().map(|piece| piece.objects.len()).sum();
    let mut known = FxHashMap::with_capacity_and_hasher(most, FxBuildHasher);
    for piece in pieces {
        let number = |object| {
            let next = known.len() as i64;
            *known.entry(object).or_insert(next)
        };
        let numbers: Vec<i64> = piece.objects.into_iter().map(number).collect();
        let code = |code: i64| usize::try_from(code).map_or(code, |place| numbers[place]);
        codes.extend(piece.codes.into_iter().map(code));
    }
    Ok(codes)
}

/// Which texts hold an object: 0 for one that does.
///
/// # Errors
///
/// [`crate::Error::Choice`] for an offset that falls or leads outside.
pub fn objects(texts: &[u8], offsets: &[i64]) -> crate::Result<Vec<i64>> {
    offsets::check(offsets, texts.len())?;
    if offsets.is_empty() {
        return Ok(Vec::new());
    }
    let pieces = pool::map(pool::pieces(offsets).into_iter(), |rows| {
        each(
            texts,
            &offsets[rows.start..=rows.end],
            |text| match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => 0,
                Err(_) => UNCERTAIN,
            },
        )
    });
    Ok(pieces.concat())
}

/// Some of the texts.
struct Piece {
    /// Codes of these texts alone.
    codes: Vec<i64>,
    /// The objects as they are written anew, in the order of their codes.
    objects: Vec<Vec<u8>>,
}

impl Piece {
    fn of(texts: &[u8], offsets: &[i64]) -> Self {
        let mut numbers: FxHashMap<Vec<u8>, usize> =
            FxHashMap::with_capacity_and_hasher(offsets.len(), FxBuildHasher);
        let mut written = Vec::new();
        let codes = each(texts, offsets, |text| {
            written.clear();
            let mut source = serde_json::Deserializer::from_str(text);
            if Writer(&mut written).deserialize(&mut source).is_err() || source.end().is_err() {
                return UNCERTAIN;
            }
            if let Some(&number) = numbers.get(&written) {
                return number as i64;
            }
            let number = numbers.len();
            numbers.insert(written.clone(), number);
            number as i64
        });
        let mut objects = vec![Vec::new(); numbers.len()];
        for (object, number) in numbers {
            objects[number] = object;
        }
        Self { codes, objects }
    }
}

/// What `of_object` gives for each text that begins as an object; others are told apart here.
fn each(texts: &[u8], offsets: &[i64], mut of_object: impl FnMut(&str) -> i64) -> Vec<i64> {
    offsets
        .windows(2)
        .map(|bounds| {
            let text = texts
                .get(bounds[0] as usize..bounds[1] as usize)
                .and_then(|text| std::str::from_utf8(text).ok());
            let Some(text) = text.filter(|text| is_certain(text)) else {
                return UNCERTAIN;
            };
            match text.trim_start_matches([' ', '\t', '\r', '\n']).as_bytes() {
                [b'{', ..] => of_object(text),
                [b'[' | b't' | b'f' | b'-' | b'0'..=b'9', ..]
                    if serde_json::from_str::<IgnoredAny>(text).is_ok() =>
                {
                    NO_OBJECT
                }
                _ => UNCERTAIN,
            }
        })
        .collect()
}

/// Writes a value so that equal ones are equal bytes, and none begins with another.
struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn text(&mut self, tag: u8, text: &str) {
        self.0.push(tag);
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
    }

    fn integer(&mut self, value: i64) {
        self.0.push(b'i');
        self.0.extend(value.to_le_bytes());
    }
}

impl<'de> DeserializeSeed<'de> for Writer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Writer<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.push(b'n');
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.push(if value { b't' } else { b'f' });
        Ok(())
    }

    fn visit_i64<E: Error>(mut self, value: i64) -> Result<(), E> {
        self.integer(value);
        Ok(())
    }

    fn visit_u64<E: Error>(mut self, value: u64) -> Result<(), E> {
        self.integer(i64::try_from(value).map_err(|_| refused())?);
        Ok(())
    }

    fn visit_f64<E: Error>(mut self, value: f64) -> Result<(), E> {
        if value.fract() == 0.0 {
            only_if(value.abs() < EXACT)?;
            self.integer(value as i64);
        } else {
            self.0.push(b'd');
            self.0.extend(value.to_bits().to_le_bytes());
        }
        Ok(())
    }

    fn visit_str<E: Error>(mut self, value: &str) -> Result<(), E> {
        self.text(b's', value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        while items.next_element_seed(Writer(self.0))?.is_some() {}
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let begin = self.0.len();
        let mut known: Vec<(Cow<'de, str>, usize)> = Vec::new();
        let mut is_sorted = true;
        while let Some(Text(key)) = members.next_key::<Text<'de>>()? {
            is_sorted &= known.last().is_none_or(|(last, _)| *last < key);
            let at = self.0.len();
            self.text(b'k', &key);
            known.push((key, at));
            members.next_value_seed(Writer(self.0))?;
        }
        if !is_sorted {
            sort(self.0, begin, &mut known)?;
        }
        self.0.push(b'}');
        Ok(())
    }
}

/// Bring the members that are written from `begin` on into the order of their keys.
fn sort<E: Error>(
    written: &mut Vec<u8>,
    begin: usize,
    members: &mut [(Cow<'_, str>, usize)],
) -> Result<(), E> {
    let unsorted = written.split_off(begin);
    let ends: Vec<usize> = members[1..]
        .iter()
        .map(|&(_, at)| at)
        .chain([begin + unsorted.len()])
        .collect();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_unstable_by(|&a, &b| members[a].0.cmp(&members[b].0));
    // The last of a key that stands twice holds in Python; such objects are rare.
    only_if(
        order
            .windows(2)
            .all(|pair| members[pair[0]].0 != members[pair[1]].0),
    )?;
    for member in order {
        written.extend(&unsorted[members[member].1 - begin..ends[member] - begin]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{NO_OBJECT, UNCERTAIN, object_codes, objects};

    fn both(texts: &[&str]) -> (Vec<i64>, Vec<i64>) {
        let mut offsets = vec![0];
        for text in texts {
            offsets.push(offsets[offsets.len() - 1] + text.len() as i64);
        }
        let bytes = texts.concat().into_bytes();
        (
            object_codes(&bytes, &offsets).unwrap(),
            objects(&bytes, &offsets).unwrap(),
        )
    }

    #[test]
    fn equal_objects_share_a_code() {
        let texts = [
            r#"{"a": 1, "b": [true, null, {"c": "d"}]}"#,
            r#" {"b":[true,null,{"c":"\u0064"}],"a":1.0} "#,
            r#"{"a": 1, "b": [1, null, {"c": "d"}]}"#,
            "{}",
            r#"{"a": -0.0}"#,
            r#"{"a": 0}"#,
            r#"{"a": 0.5}"#,
            r#"{"a": 50e-2}"#,
        ];
        let (codes, kinds) = both(&texts);
        assert_eq!(codes, [0, 0, 1, 2, 3, 3, 4, 4]);
        assert_eq!(kinds, [0; 8]);
    }

    #[test]
    fn the_borders_between_values_are_kept() {
        let texts = [
            r#"{"a": ["b", "c"]}"#,
            r#"{"a": ["bc"]}"#,
            r#"{"a": [["b"], "c"]}"#,
            r#"{"a": [["b", "c"]]}"#,
            r#"{"a": {"b": "c"}}"#,
            r#"{"ab": "c"}"#,
        ];
        assert_eq!(both(&texts).0, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn offsets_that_lead_nowhere_are_refused() {
        assert_eq!(object_codes(b"", &[]), Ok(Vec::new()));
        assert!(object_codes(b"{}", &[5, 0]).is_err());
        assert!(objects(b"{}", &[0, 3]).is_err());
    }

    #[test]
    fn codes_do_not_depend_on_pieces() {
        let texts: Vec<_> = (0..40_000)
            .map(|row| match row % 5 {
                0 => "[]".to_owned(),
                1 => "{".to_owned(),
                _ => format!(r#"{{"a": {}, "b": {}}}"#, row % 7, row / 30_000),
            })
            .collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let (codes, kinds) = both(&texts);
        let mut met = Vec::new();
        for (row, text) in texts.iter().enumerate() {
            let code = match row % 5 {
                0 => NO_OBJECT,
                1 => UNCERTAIN,
                _ => {
                    let place = met.iter().position(|known| known == text);
                    place.unwrap_or_else(|| {
                        met.push(*text);
                        met.len() - 1
                    }) as i64
                }
            };
            assert_eq!((codes[row], kinds[row]), (code, code.min(0)), "{text}");
        }
        assert_eq!(met.len(), 14);
    }

    #[test]
    fn others_are_told_apart() {
        let texts = [
            "[1]", "true", "-1.5", "null", r#""{}""#, "", "[1", "NaN", "tru", "{",
        ];
        let (codes, kinds) = both(&texts);
        assert_eq!(codes, kinds);
        assert_eq!(codes[..3], [NO_OBJECT; 3]);
        assert_eq!(codes[3..], [UNCERTAIN; 7]);
    }

    #[test]
    fn what_python_may_read_otherwise_is_left_to_it() {
        let texts = [
            r#"{"a": 1, "a": 2}"#,
            r#"{"a": 18446744073709551616}"#,
            r#"{"a": 9007199254740992.0}"#,
            r#"{"a": "\ud800"}"#,
            r#"{"a": 1e400}"#,
            r#"{"a": 1} x"#,
        ];
        assert_eq!(both(&texts).0, [UNCERTAIN; 6]);
        assert_eq!(both(&texts).1, [0, 0, 0, UNCERTAIN, UNCERTAIN, UNCERTAIN]);
    }
}
