//! The worked cases of `tests/cases`, which the Python tests read as well.

#![expect(
    clippy::unwrap_used,
    reason = "a case that cannot be read should stop the test"
)]

use std::path::Path;

use serde_json::Value;
use trajmeter_core::lines::{LineTable, bytes_to_lines, line_starts};
use trajmeter_core::means::{gmean, gmean_grouped};
use trajmeter_core::spans::{self, Spans};
use trajmeter_core::{Error, Result};

fn load(file: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn list<'a>(case: &'a Value, key: &str) -> &'a Vec<Value> {
    case[key].as_array().unwrap()
}

fn pairs(case: &Value, key: &str) -> Spans {
    let pair = |pair: &Value| (pair[0].as_i64().unwrap(), pair[1].as_i64().unwrap());
    list(case, key).iter().map(pair).collect()
}

fn integers(case: &Value, key: &str) -> Vec<i64> {
    list(case, key)
        .iter()
        .map(|value| value.as_i64().unwrap())
        .collect()
}

fn double(value: &Value) -> f64 {
    value
        .as_f64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap()
}

fn doubles(case: &Value, key: &str) -> Vec<f64> {
    list(case, key).iter().map(double).collect()
}

/// Compares a result with `expected`, or with the code and message of `error`.
fn check<T: PartialEq + std::fmt::Debug>(
    case: &Value,
    result: Result<T>,
    expected: impl FnOnce() -> T,
) {
    let described = |error: &Error| (error.code().to_owned(), error.to_string());
    match case.get("error") {
        None => assert_eq!(result, Ok(expected()), "{case}"),
        Some(error) => {
            let text = |key: &str| error[key].as_str().unwrap().to_owned();
            assert_eq!(
                described(&result.unwrap_err()),
                (text("code"), text("message")),
                "{case}"
            );
        }
    }
}

#[test]
fn spans() {
    for case in list(&load("spans.json"), "cases") {
        let Spans { start, end } = pairs(case, "spans");
        let others = case
            .get("others")
            .map(|_| pairs(case, "others"))
            .unwrap_or_default();
        let set = |result| check(case, result, || pairs(case, "expected"));
        let count = |result| check(case, result, || case["expected"].as_i64().unwrap());
        match case["kernel"].as_str().unwrap() {
            "union" => set(spans::union(&start, &end)),
            "measure" => count(spans::measure(&start, &end)),
            "intersection" => set(spans::intersection(
                &start,
                &end,
                &others.start,
                &others.end,
            )),
            "difference" => set(spans::difference(&start, &end, &others.start, &others.end)),
            kernel => panic!("no kernel {kernel}"),
        }
    }
}

#[test]
fn lines() {
    let cases = load("lines.json");
    for case in list(&cases, "cases") {
        let text = case["text"].as_str().unwrap();
        let starts = line_starts(text.as_bytes());
        assert_eq!(starts, integers(case, "starts"), "{case}");
    }
    for case in list(&cases, "touched") {
        let text = case["text"].as_str().unwrap();
        let starts = line_starts(text.as_bytes());
        let table = LineTable {
            starts: &starts,
            size: text.len() as i64,
        };
        let spans = pairs(case, "spans");
        let ranges = bytes_to_lines(table, &spans.start, &spans.end);
        check(case, ranges, || pairs(case, "lines"));
    }
}

#[test]
fn means() {
    let cases = load("means.json");
    for case in list(&cases, "cases") {
        let mean = gmean(&doubles(case, "values"));
        check(case, mean.map(Close), || Close(double(&case["expected"])));
    }
    for case in list(&cases, "grouped") {
        let means = gmean_grouped(&doubles(case, "values"), &integers(case, "offsets"));
        let close = |means: Vec<f64>| means.into_iter().map(Close).collect::<Vec<_>>();
        check(case, means.map(close), || close(doubles(case, "expected")));
    }
}

/// A mean, equal to any other within the tolerance; NaN equals NaN.
#[derive(Debug)]
struct Close(f64);

impl PartialEq for Close {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || (self.0.is_nan() && other.0.is_nan())
            || (self.0 - other.0).abs() <= (1e-14 * other.0).max(5e-324)
    }
}
