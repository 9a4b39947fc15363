//! Numbers the distinct texts of a column.
//!
//! In a column of paths or words, few distinct texts occur many times each, so only the time of a
//! lookup matters. The numbers are in a hash table that is at most half full; the hashes are kept
//! too, so that texts are compared only if their hashes are equal.

/// Code of a row without a text.
pub const NO_TEXT: i64 = -1;

/// A column of texts, or a part of one.
#[derive(Debug, Clone, Copy)]
pub struct TextColumn<'a> {
    /// All texts, one after another.
    pub held: &'a [u8],
    /// Text i is `held[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i32],
    /// Which texts are not null; `None` if none is null.
    pub present: Option<&'a [bool]>,
}

impl<'a> TextColumn<'a> {
    /// Returns the text of every row if all are equal, as in many columns.
    fn only_text(&self) -> Option<&'a [u8]> {
        let [begin, first, ..] = *self.offsets else {
            return None;
        };
        let size = (first - begin) as usize;
        let is_even = |bounds: &[i32]| (bounds[1] - bounds[0]) as usize == size;
        if self.present.is_some() || !self.offsets.windows(2).all(is_even) {
            return None;
        }
        let held = &self.held[begin as usize..][..size * (self.offsets.len() - 1)];
        // Each text equals the next if the bytes do not change when shifted by one text.
        (held[size..] == held[..held.len() - size]).then(|| &held[..size])
    }
}

/// The distinct texts of a column, and the number of each row's text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Codes {
    /// Number of each row's text among the distinct ones; [`NO_TEXT`] for a null.
    pub codes: Vec<i64>,
    /// The distinct texts, in order of first occurrence.
    pub held: Vec<u8>,
    /// Text i is `held[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
}

impl Codes {
    fn text(&self, code: usize) -> &[u8] {
        &self.held[self.offsets[code] as usize..self.offsets[code + 1] as usize]
    }
}

/// Numbers the texts of a column, given in consecutive parts.
#[must_use]
pub fn text_codes(parts: &[TextColumn<'_>]) -> Codes {
    let rows = parts.iter().map(|part| part.offsets.len().max(1) - 1).sum();
    let mut found = Codes {
        codes: Vec::with_capacity(rows),
        held: Vec::new(),
        offsets: vec![0],
    };
    let mut table = Table::new();
    for part in parts {
        if let Some(text) = part.only_text() {
            let code = table.code(text, &mut found);
            found
                .codes
                .resize(found.codes.len() + part.offsets.len() - 1, code);
            continue;
        }
        for (row, bounds) in part.offsets.windows(2).enumerate() {
            let code = if part.present.is_some_and(|present| !present[row]) {
                NO_TEXT
            } else {
                let text = &part.held[bounds[0] as usize..bounds[1] as usize];
                table.code(text, &mut found)
            };
            found.codes.push(code);
        }
    }
    found
}

const FEWEST_SLOTS: usize = 64;
const FREE: u32 = u32::MAX;

/// Hash table of text numbers, with linear probing.
struct Table {
    slots: Vec<u32>,
    hashes: Vec<u64>,
}

impl Table {
    fn new() -> Self {
        Self {
            slots: vec![FREE; FEWEST_SLOTS],
            hashes: Vec::new(),
        }
    }

    /// Returns the number of a text; a new text gets the next number.
    fn code(&mut self, text: &[u8], known: &mut Codes) -> i64 {
        let hash = hash(text);
        let mut slot = self.slot(hash);
        loop {
            let code = self.slots[slot];
            if code == FREE {
                return self.add(slot, hash, text, known);
            }
            let at = code as usize;
            if self.hashes[at] == hash && known.text(at) == text {
                return at as i64;
            }
            slot = self.next(slot);
        }
    }

    /// First slot to look in; the number of slots is a power of two.
    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    fn add(&mut self, slot: usize, hash: u64, text: &[u8], known: &mut Codes) -> i64 {
        let code = self.hashes.len();
        self.slots[slot] = code as u32;
        self.hashes.push(hash);
        known.held.extend_from_slice(text);
        known.offsets.push(known.held.len() as i64);
        if 2 * self.hashes.len() > self.slots.len() {
            self.grow();
        }
        code as i64
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 4 * self.slots.len()];
        for code in 0..self.hashes.len() {
            let mut slot = self.slot(self.hashes[code]);
            while self.slots[slot] != FREE {
                slot = self.next(slot);
            }
            self.slots[slot] = code as u32;
        }
    }
}

/// Hashes eight bytes at a time; the last word may overlap the one before.
fn hash(text: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(FACTOR);
        product as u64 ^ (product >> 64) as u64
    };
    let mut state = mix(FACTOR, text.len() as u64);
    let mut rest = text;
    while let Some((word, behind)) = rest.split_first_chunk::<8>() {
        state = mix(state, u64::from_le_bytes(*word));
        rest = behind;
    }
    if rest.is_empty() {
        return state;
    }
    let last = if let Some(last) = text.last_chunk::<8>() {
        u64::from_le_bytes(*last)
    } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
    } else {
        let [first, middle, last] = [0, rest.len() / 2, rest.len() - 1].map(|at| rest[at]);
        u64::from(u32::from_le_bytes([first, middle, last, 0]))
    };
    mix(state, last)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{NO_TEXT, TextColumn, text_codes};
    use crate::random::Random;

    #[test]
    fn texts_are_numbered_as_they_occur() {
        let mut random = Random(3);
        for most in [3, 40, 3000] {
            let texts: Vec<String> = (0..5000)
                .map(|_| {
                    let number = random.below(most);
                    "x".repeat(random.below(2) as usize * 9) + &number.to_string()
                })
                .collect();
            let mut held = b"before".to_vec();
            let mut offsets = vec![6];
            for text in &texts {
                held.extend_from_slice(text.as_bytes());
                offsets.push(held.len() as i32);
            }
            let part = |offsets| TextColumn {
                held: &held,
                offsets,
                present: None,
            };
            let empty = TextColumn {
                held: b"",
                offsets: &[],
                present: None,
            };
            let found = text_codes(&[part(&offsets[..2001]), empty, part(&offsets[2000..])]);
            let mut known = HashMap::new();
            for (text, &code) in texts.iter().zip(&found.codes) {
                let next = known.len() as i64;
                assert_eq!(*known.entry(text).or_insert(next), code);
                assert_eq!(found.text(code as usize), text.as_bytes());
            }
            assert_eq!(found.codes.len(), texts.len());
            assert_eq!(found.offsets.len(), known.len() + 1);
        }
    }

    #[test]
    fn one_text_in_every_row_has_one_number() {
        let part = |held, offsets| TextColumn {
            held,
            offsets,
            present: None,
        };
        let same = part(b"-ababab", &[1, 3, 5, 7]);
        let empty = part(b"", &[0, 0, 0]);
        let other = part(b"abaabb", &[0, 2, 4, 6]);
        let found = text_codes(&[same, empty, other, part(b"ab", &[0, 2])]);
        assert_eq!(found.codes, [0, 0, 0, 1, 1, 0, 2, 3, 0]);
        assert_eq!(found.held, b"abaabb");
    }

    #[test]
    fn a_null_has_no_number() {
        let column = TextColumn {
            held: b"abcabc",
            offsets: &[0, 3, 3, 3, 6],
            present: Some(&[true, false, true, true]),
        };
        let found = text_codes(&[column]);
        assert_eq!(found.codes, [0, NO_TEXT, 1, 0]);
        assert_eq!(found.offsets, [0, 3, 3]);
    }
}
