//! What views cover, against the worked cases; pieces and unions against plain sets.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::pieces::Pieces;
use super::{
    Cover, Extent, File, GRANULARITIES, Gold, Rules, Scorer, Span, Tables, Tracker, View, Views,
    place,
};
use crate::random::Random;

const CASES: &str = include_str!("../../../../../tests/cases/context_views.json");

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

#[test]
fn views_cover_what_the_cases_say() -> Outcome {
    let cases: Value = serde_json::from_str(CASES)?;
    let mut asked = 0;
    for case in list(&cases["cases"]) {
        for (rules, key) in [
            (Rules::Default, "default"),
            (Rules::AsWritten, "as_written"),
        ] {
            let file = file(case, rules);
            for view in list(&case["views"]) {
                let Some(answer) = view.get(key) else {
                    continue;
                };
                let place = format!("{}, {}, {key}", case["name"], view["view"]);
                let (cover, definitions) = covered(&file, &view["view"]);
                assert_eq!(cover.lines, range(&answer[0]), "{place}");
                assert_eq!(cover.bytes, range(&answer[1]), "{place}");
                assert_eq!(definitions, numbers(&answer[2]), "{place}");
                asked += 1;
            }
        }
    }
    assert!(asked > 60, "only {asked} answers were compared");
    Ok(())
}

fn file(case: &Value, rules: Rules) -> File {
    let tables = case["size"].as_i64().map(|size| {
        let definitions = list(&case["definitions"]).iter().filter_map(range);
        let line_starts = numbers(&case["line_starts"]);
        Tables::new(rules, size, &line_starts, definitions)
    });
    File::new(0, rules, tables)
}

fn covered(file: &File, view: &Value) -> (Cover, Vec<i64>) {
    let extent = match view[0].as_str() {
        Some("lines") => Extent::Lines,
        Some("bytes") => Extent::Bytes,
        Some("whole") => Extent::Whole,
        _ => Extent::Unknown,
    };
    let cover = file.cover(extent, view[1].as_i64(), view[2].as_i64());
    let mut definitions = Vec::new();
    file.definitions(&cover, |(start, end)| definitions.extend(start..end));
    definitions.sort_unstable();
    (cover, definitions)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn numbers(value: &Value) -> Vec<i64> {
    list(value).iter().filter_map(Value::as_i64).collect()
}

fn range(value: &Value) -> Option<(i64, i64)> {
    Some((value[0].as_i64()?, value[1].as_i64()?))
}

impl Random {
    fn keyed_span(&mut self, keys: i64, line: i64, length: i64) -> Span {
        let start = self.below(line);
        Span {
            key: self.below(keys),
            start,
            end: start + 1 + self.below(length),
        }
    }
}

/// Which places each step adds, by a plain set; pieces that held others must report the same.
fn check_pieces(
    pieces: &mut Pieces,
    random: &mut Random,
    count: usize,
    (keys, line, length): (i64, i64, i64),
) {
    pieces.clear();
    let mut seen = BTreeSet::new();
    for _ in 0..count {
        let span = random.keyed_span(keys, line, length);
        let mut new = Vec::new();
        pieces.add(span, |(start, end)| {
            assert!(start < end);
            new.extend((start..end).map(|place| (span.key, place)));
        });
        let expected: Vec<_> = (span.start..span.end)
            .map(|place| (span.key, place))
            .filter(|&place| seen.insert(place))
            .collect();
        assert_eq!(new, expected);
    }
}

#[test]
fn pieces_report_what_is_new() {
    let mut random = Random(1);
    let mut pieces = Pieces::default();
    for _ in 0..50 {
        check_pieces(&mut pieces, &mut random, 60, (2, 40, 8));
    }
    // Enough pieces for several chunks; then spans that swallow whole chunks of them.
    check_pieces(&mut pieces, &mut random, 3000, (3, 20_000, 2));
    check_pieces(&mut pieces, &mut random, 3000, (1, 6000, 1));
    check_pieces(&mut pieces, &mut random, 2000, (2, 4000, 900));
}

/// A file of 100 lines of 10 bytes with nested definitions.
fn sample(code: i64) -> File {
    scaled(code, 1)
}

/// The same with lines that are so many times as long.
fn scaled(code: i64, scale: i64) -> File {
    let definitions = (0..30).map(|index| (index * 30 * scale, (index * 30 + 45) * scale));
    let line_starts: Vec<i64> = (0..=100).map(|line| line * 10 * scale).collect();
    let tables = Tables::new(Rules::Default, 1000 * scale, &line_starts, definitions);
    File::new(code, Rules::Default, Some(tables))
}

fn random_views(random: &mut Random, steps: usize) -> Views {
    views_of(&(0..4).map(sample).collect::<Vec<_>>(), random, steps)
}

fn views_of(files: &[File], random: &mut Random, steps: usize) -> Views {
    let mut views = Views::default();
    for _ in 0..steps {
        for _ in 0..random.below(5) {
            let start = random.below(100);
            let view = View {
                extent: Extent::Lines,
                start: Some(start),
                end: Some(start + random.below(12)),
                listed: true,
            };
            views.add(
                Rules::Default,
                &files[random.below(files.len() as i64) as usize],
                false,
                view,
            );
        }
        views.end_step(Rules::Default);
    }
    views
}

fn random_gold(random: &mut Random) -> crate::Result<[Gold; GRANULARITIES]> {
    let mut gold: [Gold; GRANULARITIES] = Default::default();
    for (index, spans) in random_views(random, 1).into_spans().into_iter().enumerate() {
        gold[index] = Gold::new(spans, index)?;
    }
    Ok(gold)
}

#[test]
fn both_ways_measure_the_same() -> Outcome {
    let mut random = Random(7);
    for steps in [0, 1, 2, 10, 300] {
        let gold = random_gold(&mut random)?;
        let mut views = random_views(&mut random, steps);
        let at_once = Tracker::measured(&gold, &views)?.sizes(&gold, Rules::Default, None)?;
        let mut tracker = Tracker::default();
        tracker.add(&gold, &mut views);
        assert_eq!(tracker.sizes(&gold, Rules::Default, None)?, at_once);
    }
    Ok(())
}

#[test]
fn memory_that_is_kept_holds_nothing_of_the_one_before() -> Outcome {
    let mut random = Random(17);
    let mut scorer = Scorer::default();
    // The longest goes through the trajectory kernel.
    for steps in [10, 3, 300, 0, 2, 40, 1] {
        let gold = random_gold(&mut random)?;
        let mut views = random_views(&mut random, steps);
        let mut last = (steps % 2 == 0).then(|| random_views(&mut random, 1));
        let mut tracker = Tracker::default();
        tracker.add(&gold, &mut views.clone());
        let expected = tracker.sizes(&gold, Rules::Default, last.clone().as_mut())?;
        let found = scorer.score(&gold, Rules::Default, &mut views, last.as_mut())?;
        assert_eq!(found, expected, "{steps} steps");
    }
    Ok(())
}

#[test]
fn places_of_any_size_are_measured_alike() -> Outcome {
    let mut scorer = Scorer::default();
    // As near as they come, in a file that is too long, and in files with too large a number.
    for files in [
        [sample(0), sample(1)],
        [sample(0), scaled(1, 1 << 30)],
        [sample(3), sample(1 << 40)],
        [sample(-1), sample(2)],
    ] {
        let mut random = Random(19);
        for steps in [1, 4, 12, 30] {
            let mut gold: [Gold; GRANULARITIES] = Default::default();
            let spans = views_of(&files, &mut random, 1).into_spans();
            for (index, spans) in spans.into_iter().enumerate() {
                gold[index] = Gold::new(spans, index)?;
            }
            let mut views = views_of(&files, &mut random, steps);
            let mut tracker = Tracker::default();
            tracker.add(&gold, &mut views.clone());
            let expected = tracker.sizes(&gold, Rules::Default, None)?;
            let found = scorer.score(&gold, Rules::Default, &mut views, None)?;
            assert_eq!(found, expected, "{steps} steps");
        }
    }
    Ok(())
}

#[test]
fn numbers_of_places_rise_as_keys_and_places_do() {
    let values = [i64::MIN, -1, 0, 1, 63, 64, i64::MAX];
    let places = values.map(|key| values.map(|at| place(key, at)));
    let all: Vec<_> = places.into_iter().flatten().collect();
    assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn views_one_by_one_end_where_steps_do() -> Outcome {
    let files: Vec<File> = (0..2).map(sample).collect();
    let mut random = Random(13);
    for rules in [Rules::Default, Rules::AsWritten] {
        let gold = random_gold(&mut random)?;
        let (mut whole, mut apart) = (Tracker::default(), Tracker::default());
        for _ in 0..40 {
            let mut step = Views::default();
            for _ in 0..random.below(4) {
                let mut one = Views::default();
                let start = random.below(100);
                let view = View {
                    extent: Extent::Lines,
                    start: Some(start),
                    end: Some(start + random.below(12)),
                    listed: true,
                };
                for views in [&mut step, &mut one] {
                    let file = &files[(start % 2) as usize];
                    if start < 20 {
                        views.add_named(file, [start].into_iter());
                    }
                    views.add(rules, file, false, view);
                }
                apart.view(&gold, rules, &one);
                assert!(apart.is_open());
            }
            step.end_step(rules);
            whole.add(&gold, &mut step);
            apart.close_step(&gold, rules);
            assert_eq!(apart.coverage(&gold), whole.coverage(&gold));
            assert_eq!(apart.viewed()?, whole.viewed()?);
        }
        assert_eq!(
            apart.sizes(&gold, rules, None)?,
            whole.sizes(&gold, rules, None)?
        );
    }
    Ok(())
}

#[test]
fn unions_and_gold_agree_with_plain_sets() -> Outcome {
    let mut random = Random(11);
    for _ in 0..20 {
        let gold = random_gold(&mut random)?;
        let mut views = random_views(&mut random, 12);
        let places: Vec<_> = views.spans.each_ref().map(|spans| set(spans)).into();
        let viewed: Vec<BTreeMap<_, _>> = (0..GRANULARITIES)
            .map(|index| sizes_of_steps(&views, index))
            .collect();
        let mut tracker = Tracker::default();
        tracker.add(&gold, &mut views);
        let sizes = tracker.sizes(&gold, Rules::Default, None)?;
        for index in 0..GRANULARITIES {
            let golden = set(gold[index].spans());
            let found = sizes.last[index];
            assert_eq!(found.gold, golden.len() as i64);
            assert_eq!(found.predicted, places[index].len() as i128);
            let shared = golden.intersection(&places[index]).count();
            assert_eq!(found.intersection, shared as i64);
            let total: usize = viewed[index].values().sum();
            assert_eq!(sizes.steps[index].viewed, total as i128);
        }
    }
    Ok(())
}

#[test]
fn gold_within_a_range_is_what_it_shares_with_it() -> Outcome {
    // Keys 1 and 65 share a bit, as do 0, which has gold, and 64, which has none.
    let spans = [
        (0, 2, 4),
        (1, 0, 1),
        (1, 3, 5),
        (1, 7, 8),
        (1, 8, 9),
        (65, 2, 6),
    ];
    let spans = spans.map(|(key, start, end)| Span { key, start, end });
    let golden = set(&spans);
    let gold = Gold::new(spans.to_vec(), 0)?;
    for (key, start, end) in [0, 1, 2, 64, 65].into_iter().flat_map(|key| {
        (0..11).flat_map(move |start| (start + 1..12).map(move |end| (key, start, end)))
    }) {
        let range = set(&[Span { key, start, end }]);
        let shared = golden.intersection(&range).count() as i64;
        assert_eq!(
            gold.within(key, (start, end)),
            shared,
            "{key} {start} {end}"
        );
    }
    Ok(())
}

fn set(spans: &[Span]) -> BTreeSet<(i64, i64)> {
    spans
        .iter()
        .flat_map(|span| (span.start..span.end).map(|place| (span.key, place)))
        .collect()
}

fn sizes_of_steps(views: &Views, index: usize) -> BTreeMap<usize, usize> {
    let mut begin = 0;
    let mut sizes = BTreeMap::new();
    for (step, &end) in views.ends[index].iter().enumerate() {
        let spans = &views.spans[index][begin..end as usize];
        sizes.insert(step, set(spans).len());
        begin = end as usize;
    }
    sizes
}
