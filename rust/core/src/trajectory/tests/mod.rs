//! Compares every method with the oracle, on shapes that are each designed to break something.

mod oracle;
mod shapes;

use std::slice;

use oracle::{Answer, Case, Span};

use super::bitmap::Bitmap;
use super::buckets::Buckets;
use super::input::{Batch, KeyedSpans, Trajectory};
use super::line::{Line, number_keys};
use super::packed::Packed;
use super::step::Step;
use super::{Sizes, trajectory, wide};
use crate::random::Random;
use crate::{Error, Result};

/// Cases as the flat arrays of a batch, after a span and a gold span that belong to no case.
struct Flat {
    spans: [Vec<i64>; 3],
    step_offsets: Vec<i64>,
    trajectory_offsets: Vec<i64>,
    gold: [Vec<i64>; 3],
    gold_offsets: Vec<i64>,
}

impl Flat {
    fn of(cases: &[Case]) -> Self {
        let mut flat = Self {
            spans: [vec![-1], vec![-7], vec![-9]],
            step_offsets: vec![0, 1],
            trajectory_offsets: vec![1],
            gold: [vec![-1], vec![-7], vec![-9]],
            gold_offsets: vec![1],
        };
        for case in cases {
            for step in &case.steps {
                push(&mut flat.spans, step);
                flat.step_offsets.push(flat.spans[0].len() as i64);
            }
            let steps = flat.step_offsets.len() as i64 - 1;
            flat.trajectory_offsets.push(steps);
            push(&mut flat.gold, &case.gold);
            flat.gold_offsets.push(flat.gold[0].len() as i64);
        }
        flat
    }

    fn batch(&self) -> Batch<'_> {
        Batch {
            spans: keyed(&self.spans),
            step_offsets: &self.step_offsets,
            trajectory_offsets: &self.trajectory_offsets,
            gold: keyed(&self.gold),
            gold_offsets: &self.gold_offsets,
        }
    }
}

fn push(arrays: &mut [Vec<i64>; 3], spans: &[Span]) {
    for &(key, start, end) in spans {
        for (array, value) in arrays.iter_mut().zip([key, start, end]) {
            array.push(value);
        }
    }
}

fn keyed([key, start, end]: &[Vec<i64>; 3]) -> KeyedSpans<'_> {
    KeyedSpans { key, start, end }
}

/// Returns the kernel's answer to each case, all in one batch.
fn kernel(cases: &[Case]) -> Result<Vec<Answer>> {
    let flat = Flat::of(cases);
    let batch = flat.batch();
    let count = cases.iter().map(|case| case.steps.len()).sum();
    let mut out = [vec![0; count], vec![0; count], vec![0; count]];
    let [size, added, gold_added] = &mut out;
    let mut gold_size = vec![0; cases.len()];
    trajectory(
        &batch,
        Sizes {
            size,
            added,
            gold_added,
            gold_size: &mut gold_size,
        },
    )?;
    let mut begin = 0;
    let answers = cases.iter().zip(gold_size).map(|(case, gold)| {
        let steps = begin..begin + case.steps.len();
        begin = steps.end;
        (
            steps
                .map(|step| (out[0][step], out[1][step], out[2][step]))
                .collect(),
            gold,
        )
    });
    Ok(answers.collect())
}

/// Returns the answer of each method to a case, whichever the kernel would choose.
fn methods(case: &Case) -> Vec<(&'static str, Answer)> {
    let flat = Flat::of(slice::from_ref(case));
    let batch = flat.batch();
    let Some(original) = Trajectory::new(&batch, 0) else {
        return Vec::new();
    };
    let (keys, gold_keys, count) = number_keys(&original.spans, &original.gold);
    let trajectory = original.with_keys(&keys, &gold_keys, super::input::bits(count as u64));
    let mut answers = Vec::new();
    let mut add = |name, score: &mut dyn FnMut(&mut [Step]) -> u64| {
        let mut steps = vec![Step::default(); case.steps.len()];
        let gold = score(&mut steps) as i64;
        let steps = steps
            .iter()
            .map(|step| (step.size as i64, step.added as i64, step.gold_added as i64));
        answers.push((name, (steps.collect(), gold)));
    };
    add("wide", &mut |steps| wide::score(&original, steps));
    if let Some(bits) = Packed::index_bits(&trajectory) {
        add("packed", &mut |steps| {
            Packed::default().score(&trajectory, bits, steps)
        });
    }
    let mut line = Line::default();
    if line.lay(&trajectory).is_some() {
        if line.length < 1 << 24 {
            add("bitmap", &mut |steps| {
                Bitmap::default().score(&trajectory, line.length, |span| line.place(span), steps)
            });
        }
        if let Some(one) = Buckets::shift(&trajectory, &line) {
            let several = one.saturating_sub(4);
            add("one bucket", &mut |steps| {
                Buckets::default().score(&trajectory, &line, one, steps)
            });
            add("several buckets", &mut |steps| {
                Buckets::default().score(&trajectory, &line, several, steps)
            });
        }
    }
    answers
}

#[test]
fn every_method_agrees_with_the_definition() {
    for (shape, make) in shapes::SMALL {
        for seed in 0..200 {
            let case = make(&mut Random(seed));
            let expected = oracle::answer(&case);
            for (method, answer) in methods(&case) {
                assert_eq!(answer, expected, "{shape}, {method}, seed {seed}: {case:?}");
            }
            assert_eq!(kernel(&[case]), Ok(vec![expected]), "{shape}, seed {seed}");
        }
    }
}

#[test]
fn long_trajectories_agree_with_the_definition() {
    for (shape, make) in shapes::LONG {
        let case = make(&mut Random(1));
        assert_eq!(
            kernel(slice::from_ref(&case)),
            Ok(vec![oracle::answer(&case)]),
            "{shape}"
        );
    }
}

#[test]
fn long_trajectories_with_large_numbers_fall_back() {
    for (shape, make) in shapes::FAR {
        let case = make(&mut Random(2));
        let (method, expected) = methods(&case).swap_remove(0);
        assert_eq!(method, "wide");
        assert_eq!(kernel(&[case]), Ok(vec![expected]), "{shape}");
    }
}

#[test]
fn batch_is_its_trajectories_one_by_one() {
    let mut random = Random(5);
    let cases: Vec<_> = (0..9_000)
        .map(|index| shapes::SMALL[index % shapes::SMALL.len()].1(&mut random))
        .collect();
    let singles: Result<Vec<_>> = cases
        .iter()
        .map(|case| Ok(kernel(slice::from_ref(case))?.remove(0)))
        .collect();
    assert_eq!(kernel(&cases), singles);
}

#[test]
fn far_spans_count_exactly() {
    let far = i64::MAX;
    let case = Case {
        steps: vec![
            vec![(0, far - 10, far), (far, 0, 5), (0, far - 20, far - 5)],
            vec![],
            vec![(0, far - 30, far), (far, far - 1, far)],
        ],
        gold: vec![(0, far - 12, far), (far, 3, 4)],
    };
    // Step 0 sees [far - 20, far) of one file and 5 bytes of the other, 12 and 1 of them gold;
    // step 2 sees 30 + 1 bytes, of which 10 + 1 are new.
    let expected = (vec![(25, 25, 13), (0, 0, 0), (31, 11, 0)], 13);
    for (method, answer) in methods(&case) {
        assert_eq!(answer, expected, "{method}");
    }
    assert_eq!(kernel(&[case]), Ok(vec![expected]));
}

#[test]
fn totals_beyond_an_i64_are_refused_in_order() {
    let whole = |key| (key, 0, i64::MAX);
    let fine = Case {
        steps: vec![vec![whole(0), whole(0)]],
        gold: vec![whole(0)],
    };
    let long = Case {
        steps: vec![vec![whole(0)], vec![(1, 7, 8)]],
        gold: vec![],
    };
    let golden = Case {
        steps: vec![vec![whole(0), whole(1)]],
        gold: vec![whole(2), whole(1)],
    };
    let maximum = i64::MAX;
    let answer = (vec![(maximum, maximum, maximum)], maximum);
    assert_eq!(kernel(slice::from_ref(&fine)), Ok(vec![answer]));
    let refusal = |what, index| Err(Error::Overflow { what, index });
    let sum = "sum of step sizes of trajectory";
    assert_eq!(
        kernel(&[fine.clone(), long.clone(), golden.clone()]),
        refusal(sum, 1)
    );
    assert_eq!(
        kernel(&[fine, golden, long]),
        refusal("gold size of trajectory", 1)
    );
}

#[test]
fn bad_values_come_before_totals_and_spans_before_gold() {
    let whole = |key| (key, 0, i64::MAX);
    let long = Case {
        steps: vec![vec![whole(0), whole(1)]],
        gold: vec![],
    };
    let gold = |span| Case {
        steps: vec![],
        gold: vec![span],
    };
    let step = |span| Case {
        steps: vec![vec![span]],
        gold: vec![],
    };
    // Index 0 is in front of the batch, 1 and 2 are the spans of `long`.
    let negative = |what, index, start, end| Error::NegativeSpan {
        what,
        index,
        start,
        end,
    };
    let reversed = |what, index, start, end| Error::ReversedSpan {
        what,
        index,
        start,
        end,
    };
    let key = |what, index, key| Error::NegativeKey { what, index, key };
    for (cases, error) in [
        (vec![gold((0, -1, 0))], negative("gold span", 1, -1, 0)),
        (vec![gold((0, 5, 2))], reversed("gold span", 1, 5, 2)),
        (vec![gold((-4, 5, 6))], key("gold span", 1, -4)),
        (vec![gold((0, 5, 2)), step((-2, 5, 6))], key("span", 3, -2)),
        (
            vec![step((-2, 5, 6)), step((0, 5, 2))],
            reversed("span", 4, 5, 2),
        ),
        (vec![step((-2, -5, -6))], negative("span", 3, -5, -6)),
        (
            vec![step((0, 1, i64::MIN))],
            reversed("span", 3, 1, i64::MIN),
        ),
        (
            vec![step((0, i64::MIN, i64::MAX))],
            negative("span", 3, i64::MIN, i64::MAX),
        ),
    ] {
        let cases = [vec![long.clone()], cases].concat();
        assert_eq!(kernel(&cases), Err(error));
    }
}

#[test]
fn empty_batches_and_trajectories() {
    assert_eq!(kernel(&[]), Ok(vec![]));
    assert_eq!(kernel(&[Case::default()]), Ok(vec![(vec![], 0)]));
    let unseen = Case {
        steps: vec![vec![], vec![(3, 9, 9)]],
        gold: vec![(1, 2, 4), (1, 4, 4)],
    };
    assert_eq!(kernel(&[unseen]), Ok(vec![(vec![(0, 0, 0); 2], 2)]));
}
