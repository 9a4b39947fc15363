//! Worked tables, and cases that are left to the record form.

use super::{
    Field, Files, Keys, Layout, Lines, Plan, Reason, Rows, Rules, Scores, Trials, Values, scores,
    tables_as_text,
};
use crate::levels::Alphabet;
use crate::text::Texts;

const KEYS: [&str; 3] = ["oracle:none", "owl:a/b", "owl:a-b"];

struct Case<'a> {
    files: &'a [&'a str],
    unnamed: &'a [&'a str],
    own: &'a [i64],
    is_merged: bool,
}

/// Scores one trial; `None` if it is uncertain.
fn scored(case: &Case, is_reverted: &[bool]) -> Option<Scores> {
    let rows = Rows {
        offsets: &vec![0; case.files.len() + 1],
        ..Rows::default()
    };
    scored_with(case, rows, is_reverted)
}

/// Scores one trial whose attempts have the tables in `rows` too.
fn scored_with(case: &Case, rows: Rows, is_reverted: &[bool]) -> Option<Scores> {
    let count = case.files.len();
    let keys = KEYS.map(str::to_owned);
    let offsets = |texts: &[&str]| {
        let mut ends = vec![0];
        ends.extend(texts.iter().scan(0, |end, text| {
            *end += text.len() as i64;
            Some(*end)
        }));
        ends
    };
    let (named, unnamed) = (case.files.concat(), case.unnamed.concat());
    let (named_offsets, unnamed_offsets) = (offsets(case.files), offsets(case.unnamed));
    let files = Files {
        named: Texts {
            bytes: named.as_bytes(),
            offsets: &named_offsets,
        },
        unnamed: Texts {
            bytes: unnamed.as_bytes(),
            offsets: &unnamed_offsets,
        },
        rows,
        is_measured: &vec![true; count],
        keys: Keys {
            names: &keys,
            own: case.own,
            last: &vec![-1; count],
        },
    };
    let members: Vec<_> = (0..count as i64).collect();
    let trials = Trials {
        offsets: &[0, count as i64],
        members: &members,
        scored: &[count as i64],
    };
    let (tables, table, uncertain) = files.tables(&trials, case.is_merged);
    if uncertain[0] {
        return None;
    }
    let plan = Plan {
        table: &table,
        is_reverted,
        has_oracle: &vec![true; count],
    };
    let alphabet = Alphabet::new("ABC", " ");
    let rules = Rules {
        is_merged: case.is_merged,
        alphabet: &alphabet,
    };
    scores(&tables, &plan, rules).ok()
}

fn one(file: &str) -> Option<Scores> {
    let case = Case {
        files: &[file],
        unnamed: &[""],
        own: &[1],
        is_merged: false,
    };
    scored(&case, &[false])
}

#[test]
fn a_table_is_read_and_written() {
    let file = r#"{"owl:a/b": {"m.f": {"agent/nop": 4.0, "oracle/nop": 2, "significant": true},
        "m.\"g\"": {"agent/nop": null, "agent_seconds": 2.0, "nop_seconds": 1, "oracle/nop": 1.0},
        "m.h": {"agent/nop": "x", "oracle/nop": 1.0}, "m.i": null}}"#;
    let scores = one(file).unwrap_or_default();
    assert_eq!(scores.size, [4]);
    assert_eq!(scores.invalid_benchmark, [2, 3]);
    assert_eq!(scores.invalid_reason, [1, 0]);
    assert_eq!((scores.worst[0], scores.worst_benchmark[0]), (0.5, 1));
    assert_eq!(scores.regressions, [1]);
    let figures = scores.levels[0];
    assert_eq!(figures.valid, 2);
    assert!((figures.speedup - 2.0_f64.sqrt()).abs() < 1e-15);
    let found = scores.benchmarks;
    assert_eq!(found.names, b"m.fm.\"g\"m.hm.i");
    assert_eq!(found.name_length, [3, 5, 3, 3]);
    assert_eq!((found.agent[0], found.agent[1]), (4.0, 0.5));
    assert!(found.agent[2].is_nan() && found.oracle[3].is_nan());
    assert_eq!((found.oracle[0], found.oracle[2]), (2.0, 1.0));
    assert_eq!((found.advantage[0], found.advantage[1]), (2.0, -0.5));
    assert!(found.advantage[2].is_nan());
    assert_eq!(found.significant, [Some(true), None, None, None]);
    assert_eq!(found.is_fallback, [false; 4]);
    let reasons = [None, None, Some(Reason::NotANumber), Some(Reason::Missing)];
    assert_eq!(found.invalid, reasons);
}

#[test]
fn what_is_not_certain() {
    for table in [
        r#"{"m.f": {"agent/nop": 1.0}, "m.f": {}}"#,
        r#"{"m.f": {"agent/nop": 1.0, "agent/nop": 2.0}}"#,
        r#"{"m.f": {"agent/nop": NaN}}"#,
        r#"{"m.f": {"agent/nop": 1e400}}"#,
        r#"{"m.\ud800": {}}"#,
        r#"{"m.f": {"agent_seconds": {"value": 1.0}}}"#,
        "[]",
        "1",
    ] {
        let alone = format!("{{\"owl:a/b\": {table}}}");
        assert!(one(&alone).is_none(), "{table}");
        let beside = format!("{{\"x:y\": {{}}, \"owl:a/b\": {table}}}");
        assert!(one(&beside).is_none(), "{table}");
    }
}

#[test]
fn a_table_may_stand_in_several_files() {
    let both = r#"{"oracle:none": {"m.f": {"agent/nop": 2.0, "oracle/nop": 2.0}},
        "owl:a/b": {"m.f": {"agent/nop": 4.0, "oracle/nop": 2.0}}}"#;
    let other = both.replace("4.0", "3.0");
    for is_merged in [false, true] {
        let same = Case {
            files: &[both, both],
            unnamed: &["", ""],
            own: &[0, 1],
            is_merged,
        };
        let scores = scored(&same, &[false, true]).unwrap_or_default();
        assert_eq!(scores.size, [1, 1]);
        assert_eq!(scores.worst, [2.0, 1.0]);
        let different = Case {
            files: &[both, &other],
            ..same
        };
        assert!(scored(&different, &[false, false]).is_none());
    }
}

#[test]
fn agents_of_one_name_are_not_certain() {
    let case = Case {
        files: &["{}", "{}"],
        unnamed: &["", ""],
        own: &[1, 2],
        is_merged: false,
    };
    assert!(scored(&case, &[false, false]).is_none());
}

#[test]
fn a_table_without_a_name_is_the_attempts_own() {
    let case = Case {
        files: &["", ""],
        unnamed: &[r#"{"m.f": {"agent/nop": 4.0, "oracle/nop": 2.0}}"#, ""],
        own: &[1, 0],
        is_merged: false,
    };
    let scores = scored(&case, &[false, false]).unwrap_or_default();
    assert_eq!(scores.size, [1, 0]);
    assert_eq!(scores.benchmarks.names, b"m.f");
}

#[test]
fn columns_become_json() {
    let rows = Rows {
        names: &["m.f", "m.\"g\""],
        benchmark: &[0, 1, -1, 1],
        offsets: &[0, 2, 3, 4],
        fields: &[
            Field {
                name: "agent/nop",
                values: Values::Numbers(&[1.5, f64::NAN, 0.0, f64::NEG_INFINITY]),
                is_valid: &[true; 4],
            },
            Field {
                name: "significant",
                values: Values::Flags(&[true; 4]),
                is_valid: &[true, false, true, true],
            },
        ],
    };
    let (text, lengths) = tables_as_text(&rows, &KEYS.map(str::to_owned), &[1, 0, 0]);
    let first = concat!(
        r#"{"owl:a/b": {"m.f": {"agent/nop": 1.5, "significant": true}, "#,
        r#""m.\"g\"": {"agent/nop": NaN, "significant": null}}}"#,
    );
    let last = r#"{"oracle:none": {"m.\"g\"": {"agent/nop": -Infinity, "significant": true}}}"#;
    assert_eq!(String::from_utf8_lossy(&text), format!("{first}{{}}{last}"));
    assert_eq!(lengths, [first.len() as i64, 2, last.len() as i64]);
}

#[test]
fn rows_are_scored_like_their_text() {
    let numbers = |name, values| Field {
        name,
        values: Values::Numbers(values),
        is_valid: &[true, true, false, true],
    };
    let rows = Rows {
        names: &["m.f", "m.g"],
        benchmark: &[1, 0, 0, 1],
        offsets: &[0, 2, 4],
        fields: &[
            numbers("agent/nop", &[4.0, -1.0, 0.0, 0.5]),
            numbers("oracle/nop", &[2.0, 1.0, 0.0, 1.0]),
            numbers("nop_seconds", &[2.0, 1.0, 0.0, 1.0]),
            Field {
                name: "agent_seconds",
                values: Values::Integers(&[1, 2, 3, 0]),
                is_valid: &[true; 4],
            },
            Field {
                name: "significant",
                values: Values::Flags(&[true, false, true, true]),
                is_valid: &[true, true, true, false],
            },
        ],
    };
    let (text, lengths) = tables_as_text(&rows, &KEYS.map(str::to_owned), &[0, 1]);
    let text = String::from_utf8_lossy(&text);
    let (first, second) = text.split_at(lengths[0] as usize);
    for is_merged in [false, true] {
        let as_text = Case {
            files: &[first, second],
            unnamed: &["", ""],
            own: &[0, 1],
            is_merged,
        };
        let as_rows = Case {
            files: &["", ""],
            ..as_text
        };
        for is_reverted in [[false, false], [false, true]] {
            let expected = scored(&as_text, &is_reverted);
            assert!(expected.is_some());
            let found = scored_with(&as_rows, rows, &is_reverted);
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        }
    }
    let both = Case {
        files: &[second, ""],
        unnamed: &["", ""],
        own: &[0, 1],
        is_merged: false,
    };
    let only_second = Rows {
        offsets: &[0, 0, 4],
        benchmark: &[0, 1, 2, 3],
        names: &["a", "b", "c", "d"],
        ..rows
    };
    // Another file holds a table under its name.
    assert!(scored_with(&both, only_second, &[false, false]).is_none());
}

#[test]
fn lines_become_attempts() {
    let layout = || Layout {
        names: ["task_id", "agent", "model", "attempt", "benchmark"].map(str::to_owned),
        fields: vec![("agent_nop".to_owned(), "agent/nop".to_owned(), true)],
        about: vec!["cost".to_owned()],
        foreign: vec!["turns".to_owned()],
    };
    let mut lines = Lines::new(layout());
    let block = "\n{\"task_id\": \"t\", \"agent\": \"owl\", \"benchmark\": \"f\", \"agent_nop\": 2}\n\
                 {\"task_id\": 7, \"attempt\": 1.0, \"benchmark\": null, \"cost\": 0.50}\n";
    assert_eq!(lines.read(block.as_bytes(), 1), Some(4));
    let more = "{\"task_id\": \"t\", \"agent\": \"owl\", \"benchmark\": \"g\", \"x\": [1]}";
    assert_eq!(lines.read(more.as_bytes(), 4), Some(4));
    assert!(lines.are_distinct());
    let [first, second] = lines.attempts() else {
        unreachable!("two attempts")
    };
    assert_eq!((first.line, first.size(), second.line), (2, 2, 3));
    assert_eq!(second.identity[0].as_deref(), Some("7"));
    assert_eq!(second.identity[3].as_deref(), Some("1"));
    assert_eq!(second.about[0].as_deref(), Some("0.50"));
    let (text, _) = lines.take_tables(0..2);
    let table = "{\"owl:unknown\": {\"f\": {\"agent/nop\": 2}, \"g\": {}}}{}";
    assert_eq!(String::from_utf8_lossy(&text), table);
    for bad in [
        "{\"benchmark\": \"f\"}",
        "{\"task_id\": \"t\", \"agent_nop\": 1}",
        "{\"task_id\": \"t\", \"turns\": 1}",
        "{\"task_id\": 1.5}",
        "{\"task_id\": \"t\", \"task_id\": \"t\"}",
        "{\"task_id\": \"t\", \"x\": NaN}",
        "[]",
    ] {
        assert_eq!(Lines::new(layout()).read(bad.as_bytes(), 1), None, "{bad}");
    }
}
