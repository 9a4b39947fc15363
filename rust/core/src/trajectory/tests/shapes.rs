//! Trajectories that are each designed to break something.

use super::oracle::{Case, Span};
use crate::random::Random;
use crate::trajectory::packed::SHORT;

impl Random {
    fn span(&mut self, files: i64, size: i64, longest: i64) -> Span {
        let start = self.below(size);
        (self.below(files), start, start + self.below(longest + 1))
    }
}

type Make = fn(&mut Random) -> Case;

pub const SMALL: &[(&str, Make)] = &[
    ("anything", anything),
    ("unit spans", units),
    ("all identical", identical),
    ("nested", nested),
    ("one huge span", huge),
    ("long waits", waits),
    ("touching", touching),
    ("sparse keys", sparse_keys),
    ("whole words", words),
    ("steps of many spans", crowds),
];

pub const LONG: &[(&str, Make)] = &[
    ("just short enough to be packed", |random| {
        scattered(random, SHORT)
    }),
    ("just too long to be packed", |random| {
        scattered(random, SHORT + 1)
    }),
    ("several buckets", |random| scattered(random, 5 * SHORT)),
    ("crowded", crowded),
    ("all in one bucket", one_bucket),
    ("spans across buckets", bridges),
    ("many keys", many_keys),
    ("many steps without spans", idle),
];

/// Too large for the oracle, which counts bytes, and for the faster methods.
pub const FAR: &[(&str, Make)] = &[
    ("buckets too long for 32 bits", |random| {
        far(random, 1 << 36, 9)
    }),
    ("a span too long for 32 bits", |random| {
        far(random, 1 << 20, 1 << 32)
    }),
    ("files too long for 64 bits", |random| {
        far(random, 1 << 62, 9)
    }),
];

fn case(random: &mut Random, mut span: impl FnMut(&mut Random) -> Span) -> Case {
    let steps = random.below(8);
    let gold = random.below(5);
    Case {
        steps: (0..steps)
            .map(|_| (0..random.below(5)).map(|_| span(random)).collect())
            .collect(),
        gold: (0..gold).map(|_| span(random)).collect(),
    }
}

/// Empty, overlapping, repeated and adjacent spans of few files.
fn anything(random: &mut Random) -> Case {
    case(random, |random| random.span(3, 40, 12))
}

/// Sets: breaks a mask that is one bit off.
fn units(random: &mut Random) -> Case {
    case(random, |random| {
        let code = random.below(130);
        (0, code, code + 1)
    })
}

/// Breaks code that relies on the order of equal starts: only the first may add.
fn identical(random: &mut Random) -> Case {
    let span = random.span(2, 100, 90);
    case(random, |_| span)
}

/// Every span is within an earlier or later one: breaks an owner that is closed too early.
fn nested(random: &mut Random) -> Case {
    case(random, |random| {
        let depth = random.below(60);
        (0, depth, 200 - depth)
    })
}

/// One span covers all others, at any time: they must enter or leave the heap without a trace.
fn huge(random: &mut Random) -> Case {
    let mut case = case(random, |random| random.span(2, 300, 20));
    let place = random.below(case.steps.len() as i64 + 1) as usize;
    case.steps.insert(place, vec![(1, 0, 400)]);
    case
}

/// Later steps begin earlier and end later, so the heap fills and every owner has a successor.
fn waits(random: &mut Random) -> Case {
    let mut case = case(random, |random| random.span(1, 100, 60));
    case.steps
        .sort_by_key(|spans| spans.first().map(|span| -span.1));
    case
}

/// Ends meet starts, within a file and where files meet on the line.
fn touching(random: &mut Random) -> Case {
    case(random, |random| {
        let start = 8 * random.below(6);
        (random.below(3), start, start + 8)
    })
}

/// Codes far apart: breaks tables as long as the largest code.
fn sparse_keys(random: &mut Random) -> Case {
    case(random, |random| {
        let (key, start, end) = random.span(4, 50, 20);
        ([0, 7, 1 << 40, i64::MAX][key as usize], start, end)
    })
}

/// Bounds at and next to multiples of 64: breaks heads, tails and full words of a bitmap.
fn words(random: &mut Random) -> Case {
    case(random, |random| {
        let start = 64 * random.below(4) + random.below(3);
        let length = 64 * random.below(4) + random.below(3);
        (random.below(2), start, start + length)
    })
}

/// Steps with more spans than are compared in pairs.
fn crowds(random: &mut Random) -> Case {
    let mut case = case(random, |random| random.span(2, 400, 30));
    let step = (0..7 + random.below(30))
        .map(|_| random.span(2, 400, 30))
        .collect();
    case.steps.push(step);
    case
}

fn long(random: &mut Random, spans: usize, mut span: impl FnMut(&mut Random) -> Span) -> Case {
    let mut steps = vec![Vec::new()];
    for _ in 0..spans {
        if random.below(3) == 0 {
            steps.push(Vec::new());
        }
        let last = steps.len() - 1;
        steps[last].push(span(random));
    }
    let gold = (0..spans / 10).map(|_| span(random)).collect();
    Case { steps, gold }
}

/// A line too long for a bitmap, with span counts around the limit of the packed sort.
fn scattered(random: &mut Random, spans: usize) -> Case {
    long(random, spans, |random| random.span(20, 1_000_000, 30))
}

/// A line short enough for a bitmap, of files of very different sizes.
fn crowded(random: &mut Random) -> Case {
    long(random, 2 * SHORT, |random| {
        if random.below(50) == 0 {
            random.span(1, 50_000, 100)
        } else {
            let (key, start, end) = random.span(9, 700, 100);
            (key + 1, start, end)
        }
    })
}

/// One span far away makes the buckets so wide that one holds all others.
fn one_bucket(random: &mut Random) -> Case {
    let mut case = long(random, 3 * SHORT, |random| random.span(2, 9_000, 20));
    case.steps.insert(7, vec![(1, 1 << 30, (1 << 30) + 5)]);
    case
}

/// Spans longer than a bucket: owners and waiting spans carry over to the next.
fn bridges(random: &mut Random) -> Case {
    long(random, 4 * SHORT, |random| {
        let longest = if random.below(3_000) == 0 { 700_000 } else { 5 };
        random.span(4, 1_000_000, longest)
    })
}

/// More keys than spans, so that they have to be renumbered.
fn many_keys(random: &mut Random) -> Case {
    long(random, 2 * SHORT, |random| {
        let (key, start, end) = random.span(3_000, 3_000, 9);
        (key * 0x1234_5678_9abc, start, end)
    })
}

/// More steps than spans: many steps are empty.
fn idle(random: &mut Random) -> Case {
    let mut case = scattered(random, SHORT + 5);
    for step in (0..case.steps.len()).step_by(3) {
        case.steps.splice(step..step, vec![Vec::new(); 40]);
    }
    case
}

/// Short spans in four files of this size, each viewed at its first byte and at its end, where the
/// last file has a span of length `longest`.
fn far(random: &mut Random, size: i64, longest: i64) -> Case {
    let mut case = long(random, 2 * SHORT, |random| random.span(4, size, 9));
    let firsts = (0..4).map(|file| (file, 0, 1));
    let lasts = [9, 9, 9, longest];
    let lasts = (0..)
        .zip(lasts)
        .map(|(file, length)| (file, size, size + length));
    case.steps.insert(100, firsts.chain(lasts).collect());
    case
}
