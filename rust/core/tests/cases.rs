//! The worked examples of `tests/cases`, which the Python tests read too.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use trajmeter_core::trajectory::{Batch, KeyedSpans, Sizes, trajectory, trajectory_figures};
use trajmeter_core::{Error, Result};

fn cases(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/cases")
        .join(name);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    let cases = document["cases"].as_array().cloned().unwrap_or_default();
    assert!(!cases.is_empty(), "no cases in {}", path.display());
    cases
}

/// Flattens a list of lists; returns the items and their offsets.
fn ragged(rows: &Value) -> (Vec<Value>, Vec<i64>) {
    let mut values = Vec::new();
    let mut offsets = vec![0];
    for row in rows.as_array().into_iter().flatten() {
        values.extend(row.as_array().into_iter().flatten().cloned());
        offsets.push(values.len() as i64);
    }
    (values, offsets)
}

/// Returns one number of each tuple.
fn column(tuples: &[Value], index: usize) -> Vec<i64> {
    let numbers: Vec<_> = tuples
        .iter()
        .filter_map(|tuple| tuple[index].as_i64())
        .collect();
    assert_eq!(numbers.len(), tuples.len(), "{tuples:?}");
    numbers
}

fn check(case: &Value, result: Result<Value>) {
    let name = &case["name"];
    match result {
        Ok(answer) => assert_eq!(answer, case["expected"], "{name}"),
        Err(error) => assert_eq!(refusal(&error), case["error"], "{name}"),
    }
}

fn refusal(error: &Error) -> Value {
    json!({"code": error.code(), "message": error.to_string()})
}

#[test]
fn trajectory_cases() {
    for case in cases("trajectory.json") {
        check(&case, measure(&case));
    }
}

fn measure(case: &Value) -> Result<Value> {
    let (spans, step_offsets) = ragged(&case["steps"]);
    let (gold, gold_offsets) = ragged(&json!([case["gold"]]));
    let [key, start, end] = [0, 1, 2].map(|index| column(&spans, index));
    let [gold_key, gold_start, gold_end] = [0, 1, 2].map(|index| column(&gold, index));
    let steps = step_offsets.len() - 1;
    let trajectory_offsets = [0, steps as i64];
    let mut size = vec![0; steps];
    let mut added = vec![0; steps];
    let mut gold_added = vec![0; steps];
    let mut gold_size = vec![0];
    let batch = Batch {
        spans: KeyedSpans {
            key: &key,
            start: &start,
            end: &end,
        },
        step_offsets: &step_offsets,
        trajectory_offsets: &trajectory_offsets,
        gold: KeyedSpans {
            key: &gold_key,
            start: &gold_start,
            end: &gold_end,
        },
        gold_offsets: &gold_offsets,
    };
    let out = Sizes {
        size: &mut size,
        added: &mut added,
        gold_added: &mut gold_added,
        gold_size: &mut gold_size,
    };
    trajectory(&batch, out)?;
    let figures = trajectory_figures(&size, &added, &gold_added, &gold_size, &trajectory_offsets);
    // JSON has no NaN: it becomes null.
    Ok(json!({
        "size": size,
        "added": added,
        "gold_added": gold_added,
        "gold_size": gold_size[0],
        "coverage": figures.coverage,
        "auc_coverage": figures.auc_coverage[0],
        "redundancy": figures.redundancy[0],
    }))
}
