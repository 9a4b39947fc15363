//! Which definitions of its file a span overlaps.
//!
//! Half-open on both sides: a span and a definition overlap if they share at least one byte.
//!
//! The spans of a file are taken in the order of their starts. Of the definitions that one overlaps,
//! some begin before it and are still open where it begins: candidates are kept in a list, and one
//! that has ended never comes back. The others begin within the span, and in the order of starts
//! they follow each other. So a file of d definitions and k spans costs O(d + k log k) and the
//! overlaps found, however the definitions nest or cross; out of order they are sorted first.

use crate::{Error, Result, pool, spans};

/// Definitions of many files.
#[derive(Debug, Clone, Copy)]
pub struct Definitions<'a> {
    /// First byte of each definition.
    pub start: &'a [i64],
    /// The byte after the last of each definition.
    pub end: &'a [i64],
    /// File i has the definitions `[offsets[i], offsets[i + 1])`.
    pub offsets: &'a [i64],
}

/// Partners of each span: those of span i are `definitions[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// Places of definitions in their arrays, rising for each span.
    pub definitions: Vec<i64>,
    /// Where each span's begin, and where the last one's end.
    pub offsets: Vec<i64>,
}

/// Pairs every span with the definitions of its file that it overlaps.
///
/// Definitions of files that no span lies in are not looked at.
///
/// # Errors
///
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`] for the first bad span, then [`Error::Code`]
/// for the first span of a file that there is not, then the first two for definitions, file by file.
pub fn overlap_join(
    file: &[i64],
    start: &[i64],
    end: &[i64],
    definitions: Definitions<'_>,
) -> Result<Join> {
    spans::check("span", 0, start, end)?;
    let count = definitions.offsets.len() - 1;
    if let Some(index) = file.iter().position(|&code| code as u64 >= count as u64) {
        return Err(Error::Code {
            what: "file",
            index,
            code: file[index],
            count,
        });
    }
    let order = order(file, start);
    let files: Vec<_> = order.chunk_by(|&a, &b| file[a] == file[b]).collect();
    let weights = files.iter().scan(0, |sum, members| {
        let file = file[members[0]] as usize;
        *sum += members.len() as i64 + definitions.offsets[file + 1] - definitions.offsets[file];
        Some(*sum)
    });
    let weights: Vec<_> = [0].into_iter().chain(weights).collect();
    let pieces = pool::map_rows(&weights, |range| {
        let mut found = Found::default();
        for members in &files[range] {
            let file = File::of(definitions, file[members[0]] as usize)?;
            let spans = members.iter().map(|&index| (start[index], end[index]));
            file.join(spans, &mut found);
        }
        Ok(found)
    })?;
    Ok(arrange(&order, &pieces))
}

/// Indices of the spans by file, and within a file by start.
fn order(file: &[i64], start: &[i64]) -> Vec<usize> {
    let bits = |values: &[i64]| {
        64 - values
            .iter()
            .fold(0, |bits, value| bits | value)
            .leading_zeros()
    };
    let (start_bits, index_bits) = (bits(start), bits(&[file.len() as i64]));
    if bits(file) + start_bits + index_bits > u64::BITS {
        let mut order: Vec<_> = (0..file.len()).collect();
        order.sort_unstable_by_key(|&index| (file[index], start[index]));
        return order;
    }
    // Packed into one number each, they sort without a look back into the arrays.
    let spans = file.iter().zip(start).zip(0..);
    let mut packed: Vec<_> = spans
        .map(|((&file, &start), index)| {
            ((file as u64) << start_bits | start as u64) << index_bits | index
        })
        .collect();
    packed.sort_unstable();
    let mask = (1 << index_bits) - 1;
    packed
        .into_iter()
        .map(|packed| (packed & mask) as usize)
        .collect()
}

/// Overlaps of the spans of some files, in the order in which they were looked for.
#[derive(Default)]
struct Found {
    definitions: Vec<i64>,
    /// How many each span has.
    counts: Vec<usize>,
}

/// Puts what was found in the order of the spans.
fn arrange(order: &[usize], pieces: &[Found]) -> Join {
    let mut offsets = vec![0; order.len() + 1];
    let counts = pieces.iter().flat_map(|found| &found.counts);
    for (&index, &count) in order.iter().zip(counts) {
        offsets[index + 1] = count as i64;
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    let mut definitions = vec![0; sum as usize];
    let mut order = order.iter();
    for found in pieces {
        let mut rest = found.definitions.as_slice();
        for (&count, &index) in found.counts.iter().zip(order.by_ref()) {
            let (row, others) = rest.split_at(count);
            let begin = offsets[index] as usize;
            definitions[begin..begin + count].copy_from_slice(row);
            rest = others;
        }
    }
    Join {
        definitions,
        offsets,
    }
}

/// Definitions of one file.
struct File<'a> {
    start: &'a [i64],
    end: &'a [i64],
    /// Place of the first one in the arrays of all files.
    first: usize,
    /// The definitions by start, where they are not in this order.
    by_start: Option<Vec<usize>>,
}

impl<'a> File<'a> {
    fn of(definitions: Definitions<'a>, file: usize) -> Result<Self> {
        let first = definitions.offsets[file] as usize;
        let last = definitions.offsets[file + 1] as usize;
        let (start, end) = (
            &definitions.start[first..last],
            &definitions.end[first..last],
        );
        spans::check("definition", first, start, end)?;
        let by_start = (!start.is_sorted()).then(|| {
            let mut order: Vec<_> = (0..start.len()).collect();
            order.sort_unstable_by_key(|&index| start[index]);
            order
        });
        Ok(Self {
            start,
            end,
            first,
            by_start,
        })
    }

    /// Finds the overlaps of spans, which are sorted by start.
    fn join(&self, spans: impl Iterator<Item = (i64, i64)>, found: &mut Found) {
        match &self.by_start {
            None => self.join_in_order(spans, found, |place| place),
            Some(order) => self.join_in_order(spans, found, |place| order[place]),
        }
    }

    /// `nth` gives the definitions by start.
    fn join_in_order(
        &self,
        spans: impl Iterator<Item = (i64, i64)>,
        found: &mut Found,
        nth: impl Fn(usize) -> usize,
    ) {
        let mut begun = Vec::new();
        let mut reached = 0;
        for (start, end) in spans {
            while reached < self.start.len() && self.start[nth(reached)] < start {
                if self.end[nth(reached)] > start {
                    begun.push(nth(reached));
                }
                reached += 1;
            }
            begun.retain(|&definition| self.end[definition] > start);
            let before = found.definitions.len();
            if start < end {
                let place = |definition| (self.first + definition) as i64;
                found.definitions.extend(begun.iter().copied().map(place));
                found.definitions.extend(
                    (reached..self.start.len())
                        .map(&nth)
                        .take_while(|&definition| self.start[definition] < end)
                        .filter(|&definition| self.start[definition] < self.end[definition])
                        .map(place),
                );
                if self.by_start.is_some() {
                    found.definitions[before..].sort_unstable();
                }
            }
            found.counts.push(found.definitions.len() - before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Definitions, overlap_join};

    /// Splitmix64; a number from 0 to `limit - 1`.
    fn below(state: &mut u64, limit: i64) -> i64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = *state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % limit as u64) as i64
    }

    /// Columns of spans of up to 20 bytes in so many files, empty ones among them.
    fn spans(state: &mut u64, count: i64, files: i64) -> [Vec<i64>; 3] {
        let mut columns = [vec![], vec![], vec![]];
        for _ in 0..below(state, count) {
            let start = below(state, 60);
            let end = start + below(state, 20);
            for (column, value) in columns.iter_mut().zip([below(state, files), start, end]) {
                column.push(value);
            }
        }
        columns
    }

    #[test]
    fn agrees_with_a_look_at_every_pair() {
        for seed in 0..500 {
            let state = &mut seed.clone();
            let [mut file_of, start, end] = spans(state, 40, 3);
            let [file, span_start, span_end] = spans(state, 30, 3);
            file_of.sort_unstable();
            let offsets = [0, 1, 2, 3].map(|file| file_of.partition_point(|&of| of < file) as i64);
            let definitions = Definitions {
                start: &start,
                end: &end,
                offsets: &offsets,
            };
            let join = overlap_join(&file, &span_start, &span_end, definitions).unwrap();
            for (span, bounds) in join.offsets.windows(2).enumerate() {
                let expected: Vec<_> = (0..start.len())
                    .filter(|&definition| file_of[definition] == file[span])
                    .filter(|&definition| {
                        start[definition].max(span_start[span])
                            < end[definition].min(span_end[span])
                    })
                    .map(|definition| definition as i64)
                    .collect();
                let found = &join.definitions[bounds[0] as usize..bounds[1] as usize];
                assert_eq!(found, expected, "seed {seed}, span {span}");
            }
            assert_eq!(join.offsets.len(), file.len() + 1);
        }
    }

    #[test]
    fn files_too_far_apart_to_be_packed() {
        let offsets: Vec<_> = (0..=4).map(|file| i64::from(file > 0)).collect();
        let definitions = Definitions {
            start: &[0],
            end: &[i64::MAX],
            offsets: &offsets,
        };
        let far = i64::MAX - 1;
        let join = overlap_join(
            &[3, 0, 0],
            &[far; 3],
            &[i64::MAX, far, i64::MAX],
            definitions,
        );
        let join = join.unwrap();
        assert_eq!(
            (join.definitions, join.offsets),
            (vec![0], vec![0, 0, 0, 1])
        );
    }
}
