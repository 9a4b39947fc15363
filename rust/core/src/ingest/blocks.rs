//! Blocks of bytes that are searched together, with a result bit per byte.
//!
//! Every x86-64 CPU has instructions for this. Elsewhere a block is compared word by word, without
//! carries from one byte to the next (Warren, *Hacker's Delight*, 6-1).

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m128i;

#[cfg(target_arch = "x86_64")]
use pulp::core_arch::x86::Sse2;

/// Bytes per block.
pub(crate) const BLOCK: usize = 32;

const WORD: usize = 8;
const ONES: u64 = u64::MAX / 255;

/// A block of adjacent bytes.
#[derive(Clone, Copy)]
pub(crate) struct Block([u8; BLOCK]);

impl Block {
    /// Returns the block that begins at `at`; `None` if fewer bytes are left.
    #[inline]
    pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        bytes.get(at..)?.first_chunk().copied().map(Self)
    }

    /// Copies the block to the beginning of a slice, if the slice is long enough.
    #[inline]
    pub(crate) fn copy_to(self, place: &mut [u8]) {
        // Copying slices would compile to a function call.
        if let Some(place) = place.first_chunk_mut() {
            *place = self.0;
        }
    }

    /// Finds quotes, backslashes and control characters.
    #[inline]
    pub(crate) fn specials(self) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = Sse2::try_new() {
            return self.by_half(|bytes| {
                let equal = |byte: u8| simd._mm_cmpeq_epi8(bytes, simd._mm_set1_epi8(byte as i8));
                let last_control = simd._mm_set1_epi8(0x1f);
                let controls = simd._mm_cmpeq_epi8(bytes, simd._mm_min_epu8(bytes, last_control));
                let marks = simd._mm_or_si128(equal(b'"'), equal(b'\\'));
                simd._mm_movemask_epi8(simd._mm_or_si128(marks, controls))
            });
        }
        self.specials_by_word()
    }

    /// Finds a byte.
    #[inline]
    pub(crate) fn places_of(self, byte: u8) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = Sse2::try_new() {
            let equal = simd._mm_set1_epi8(byte as i8);
            return self.by_half(|bytes| simd._mm_movemask_epi8(simd._mm_cmpeq_epi8(bytes, equal)));
        }
        self.places_by_word(byte)
    }

    /// Joins the bits that `find` returns for each half.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn by_half(self, find: impl Fn(__m128i) -> i32) -> u32 {
        let [low, high]: [__m128i; 2] = pulp::cast(self.0);
        find(low) as u32 | (find(high) as u32) << (BLOCK / 2)
    }

    fn specials_by_word(self) -> u32 {
        self.by_word(|word| {
            let controls = zeros(word & (ONES * 0xe0));
            equal(word, b'"') | equal(word, b'\\') | controls
        })
    }

    fn places_by_word(self, byte: u8) -> u32 {
        self.by_word(|word| equal(word, byte))
    }

    /// Joins the bits of each word, for which `find` sets the highest bit of each matching byte.
    fn by_word(self, find: impl Fn(u64) -> u64) -> u32 {
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let words = self.0.chunks_exact(WORD).enumerate();
        words.fold(0, |found, (at, word)| {
            let word = word
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte));
            let bits = (find(word) >> 7).wrapping_mul(GATHER) >> 56;
            found | (bits as u32) << (WORD * at)
        })
    }
}

fn equal(word: u64, byte: u8) -> u64 {
    zeros(word ^ (ONES * u64::from(byte)))
}

/// Sets the highest bit of each byte that is 0.
fn zeros(word: u64) -> u64 {
    const LOW: u64 = ONES * 0x7f;
    !(((word & LOW) + LOW) | word | LOW)
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Block};

    fn bits(block: Block, is_it: impl Fn(u8) -> bool) -> u32 {
        let found = block.0.iter().enumerate();
        found.fold(0, |bits, (at, &byte)| bits | u32::from(is_it(byte)) << at)
    }

    #[test]
    fn every_byte_at_every_place() {
        for around in [b'x', b'"', b'!', 0x20, 0x1f, 0x80, 0xff, 0] {
            for at in 0..BLOCK {
                for byte in 0..=u8::MAX {
                    let mut bytes = [around; BLOCK];
                    bytes[at] = byte;
                    let block = Block(bytes);
                    let specials = bits(block, |byte| matches!(byte, b'"' | b'\\' | 0..0x20));
                    let slashes = bits(block, |byte| byte == b'\\');
                    assert_eq!(block.specials(), specials, "{bytes:?}");
                    assert_eq!(block.specials_by_word(), specials, "{bytes:?}");
                    assert_eq!(block.places_of(b'\\'), slashes, "{bytes:?}");
                    assert_eq!(block.places_by_word(b'\\'), slashes, "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn a_block_is_whole() {
        let bytes = [1; BLOCK + 1];
        assert!(Block::at(&bytes, 0).is_some() && Block::at(&bytes, 1).is_some());
        assert!(Block::at(&bytes, 2).is_none() && Block::at(&bytes, BLOCK + 9).is_none());
        let mut place = [0; BLOCK + 1];
        Block([7; BLOCK]).copy_to(&mut place);
        assert_eq!((place[0], place[BLOCK - 1], place[BLOCK]), (7, 7, 0));
    }
}
