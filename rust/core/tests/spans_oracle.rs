//! Compares the span kernels with an oracle so simple that it is unlikely to be wrong, on the
//! shapes that each merging method is meant for, and on shapes designed to break it.

#[path = "../src/random.rs"]
mod random;

use random::Random;
use trajmeter_core::spans::{Spans, difference, intersection, measure, union};

/// Sorts the spans, then joins those that overlap or touch.
fn oracle(spans: &Spans) -> Spans {
    let mut pairs: Vec<_> = spans
        .start
        .iter()
        .copied()
        .zip(spans.end.iter().copied())
        .collect();
    pairs.retain(|(start, end)| start < end);
    pairs.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (start, end) in pairs {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged.into_iter().collect()
}

/// Intersects by comparing each span of one side with all of the other.
fn shared(spans: &Spans, others: &Spans) -> Spans {
    let mut found = Vec::new();
    for (&start, &end) in spans.start.iter().zip(&spans.end) {
        let first = others.end.partition_point(|&end| end <= start);
        let reached = others.start.iter().zip(&others.end).skip(first);
        for (&other_start, &other_end) in reached.take_while(|&(&other_start, _)| other_start < end)
        {
            found.push((start.max(other_start), end.min(other_end)));
        }
    }
    found.into_iter().collect()
}

impl Random {
    fn spans(&mut self, count: usize, base: i64, universe: i64, longest: i64) -> Spans {
        let mut span = |_| {
            let start = base + self.below(universe);
            (start, start.saturating_add(self.below(longest)))
        };
        (0..count).map(&mut span).collect()
    }
}

fn check(spans: &Spans, others: &Spans, shape: &str) {
    let (merged, other_merged) = (oracle(spans), oracle(others));
    let bytes = |spans: &Spans| -> i64 {
        spans
            .end
            .iter()
            .zip(&spans.start)
            .map(|(end, start)| end - start)
            .sum()
    };
    assert_eq!(
        union(&spans.start, &spans.end).as_ref(),
        Ok(&merged),
        "{shape}"
    );
    assert_eq!(
        measure(&spans.start, &spans.end),
        Ok(bytes(&merged)),
        "{shape}"
    );

    let (start, end) = (&spans.start, &spans.end);
    let (other_start, other_end) = (&others.start, &others.end);
    let both = shared(&merged, &other_merged);
    assert_eq!(
        intersection(start, end, other_start, other_end).as_ref(),
        Ok(&both),
        "{shape}"
    );

    // The difference shares nothing with the others, and together with the intersection is
    // everything.
    let left = difference(start, end, other_start, other_end).unwrap_or_default();
    assert_eq!(shared(&left, &other_merged), Spans::default(), "{shape}");
    let mut parts = left;
    parts.start.extend(&both.start);
    parts.end.extend(&both.end);
    assert_eq!(oracle(&parts), merged, "{shape}");
}

#[test]
fn every_size_and_spread() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for count in [1, 63, 64, 500, 4_200] {
        let many = count as i64;
        for universe in [
            many / 2 + 1,
            8 * many,
            64 * many,
            5_000 * many,
            1 << 44,
            1 << 61,
        ] {
            for longest in [1, 2, 64, 5_000, 1_000_000, universe / 3 + 2] {
                for base in [0, 1_000_000, i64::MAX - universe - 1] {
                    let spans = random.spans(count, base, universe, longest);
                    let others = random.spans(count / 2 + 1, base, universe, longest);
                    let shape = format!("{count} in {universe} up to {longest} from {base}");
                    check(&spans, &others, &shape);
                }
            }
        }
    }
}

#[test]
fn enough_for_threads() {
    let mut random = Random(1);
    for (universe, longest) in [(1 << 21, 40), (1 << 40, 3_000_000), (1 << 62, 1 << 50)] {
        let spans = random.spans(200_000, 5, universe, longest);
        let others = random.spans(150_000, 5, universe, longest);
        check(&spans, &others, &format!("200000 in {universe}"));
    }
}

#[test]
fn shapes_meant_to_break_a_method() {
    let mut random = Random(2);
    let few = random.spans(100, 0, 10_000, 50);
    let crowd: Spans = (0..5_000).map(|index| (700 + index % 3, 705)).collect();
    let comb: Spans = (0..70_000)
        .rev()
        .map(|index| (2 * index, 2 * index + 1))
        .collect();
    let nested: Spans = (0..5_000)
        .map(|index| (index, 20_000 - index))
        .rev()
        .collect();
    let empty: Spans = (0..5_000).rev().map(|index| (index, index)).collect();
    // All but one are in a corner of the file, so buckets of equal width leave most of them in one.
    let mut corner = random.spans(30_000, 0, 400_000, 20);
    corner.start.push(1 << 40);
    corner.end.push((1 << 40) + 1);
    // Spans that begin where a bucket does, and extend beyond it by one byte, by all, or by any
    // number.
    let buckets: Spans = (0..9_000)
        .rev()
        .map(|index| (index % 300 * 64, index % 300 * 64 + 63 + index % 5 * 32))
        .collect();
    let across: Spans = (0..9_000)
        .map(|index| (index * 7 % 64, 1 << (index % 40)))
        .collect();
    for (name, spans) in [
        ("crowd", crowd),
        ("comb", comb),
        ("nested", nested),
        ("empty", empty),
        ("corner", corner),
        ("buckets", buckets),
        ("across", across),
    ] {
        let spans: Spans = spans
            .start
            .iter()
            .zip(&spans.end)
            .map(|(&start, &end)| (start, end.max(start)))
            .collect();
        check(&spans, &few, name);
        check(&few, &spans, name);
    }
}
