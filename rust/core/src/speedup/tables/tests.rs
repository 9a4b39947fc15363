use super::{Entry, Piece};

/// Formats the entries and the names that were seen; `None` if the table is refused.
fn read(text: &str, is_merged: bool, is_plain: bool) -> Option<String> {
    let mut piece = Piece::default();
    if is_plain {
        piece.plain(text, is_merged)?;
    } else {
        piece.any(text, is_merged)?;
    }
    Some(format!(
        "{:?} {:?}",
        piece.entries,
        piece.names.into_names()
    ))
}

#[test]
fn plain_tables_are_read_alike() {
    let plain = [
        r"{}",
        r#" { "a" : { "agent/nop" : 1.1 , "oracle/nop" : 0.30000000000000004 } } "#,
        r#"{"a": {"agent/nop": 1, "oracle/nop": null, "significant": true}, "b": {}}"#,
        r#"{"\u00e9\n": {"agent/nop": -0, "oracle/nop": 0.0, "fallback_to_baseline": true}}"#,
        r#"{"a": {"nop_seconds": 2, "agent_seconds": 1e-3, "agent/nop": null, "x": 1}}"#,
        r#"{"a": {"agent/nop": true, "oracle/nop": 18446744073709551616, "significant": 1}}"#,
    ];
    let left = [
        r#"{"a": {"agent/nop": "1"}}"#,
        r#"{"a": {"x": [1, {}]}}"#,
        r#"{"a": null, "b": 1}"#,
        r#"{"a": {"agent_seconds": {"value": 1}}}"#,
    ];
    let refused = [
        r#"{"a": {}, "a": {}}"#,
        r#"{"a": {"agent/nop": 1, "agent/nop": 1}}"#,
        r#"{"a": {"agent/nop": 1e999}}"#,
        r#"{"a": {"agent/nop": NaN}}"#,
        r#"{"a": {"agent/nop": 01}}"#,
        r#"{"a": {}} x"#,
        r#"{"a": {},}"#,
        r#"{"a": {}"#,
        r"[]",
        "",
    ];
    for is_merged in [false, true] {
        for text in plain {
            let own = read(text, is_merged, true);
            assert!(own.is_some(), "{text}");
            assert_eq!(own, read(text, is_merged, false), "{text}");
        }
        for text in left.iter().chain(&refused) {
            assert_eq!(read(text, is_merged, true), None, "{text}");
        }
        for text in refused {
            assert_eq!(read(text, is_merged, false), None, "{text}");
        }
    }
    assert_eq!(read(r#"{"error": {}}"#, true, true), None);
    assert!(read(r#"{"error": {}}"#, false, true).is_some());
}

#[test]
fn tables_are_read_alike_after_others() {
    let texts = [
        r#"{"a": {"agent/nop": 1.5, "oracle/nop": 2}, "b": {"agent/nop": 1, "oracle/nop": 3}}"#,
        r#"{"a": {"agent/nop": 0.1, "oracle/nop": null}, "b": {"agent/nop": 2, "oracle/nop": 4}}"#,
        r#"{"b": {"agent/nop": 5, "oracle/nop": 6}, "a": {"agent/nop": 7, "oracle/nop": 8}}"#,
        r#"{"a":{"agent/nop":1,"oracle/nop":2},"b":{"agent/nop":1}}"#,
        r#"{"a":{"agent/nop":3,"oracle/nop":4},"b":{"agent/nop":5}}"#,
        r#"{"a":{"agent/nop":3} , "b" : {"agent/nop":5, "oracle/nop":1, "x":1} , "c":{} }"#,
        r#"{"a":{"oracle/nop":3} , "b" : {"agent/nop":5, "oracle/nop":1, "y":1} , "c":{"x":1}}"#,
        r#"{"a": {"agent/nop": 1.5}, "a": {"agent/nop": 1.5}}"#,
        r#"{"a": {"agent/nop": 1.5, "oracle/nop": 2}, "a": {"agent/nop": 1.5, "oracle/nop": 2}}"#,
        r#"{"a": {"agent/nop": 1.5, "oracle/nop": 01}}"#,
        r#"{"a": {"agent/nop": 1.5, "oracle/nop": 1}"#,
        r#"{"ab": {"agent/nop": 1.5, "oracle/nop": 2, "significant": true}}"#,
        r#"{"\u0061": {"agent/nop": 1.5, "oracle/nop": 2, "significant": true}}"#,
        "{}",
        r#"{"a": {"agent/nop": 2, "oracle/nop": 2, "fallback_to_baseline": true}}"#,
    ];
    for is_merged in [false, true] {
        for (first, second) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            let [plain, any] = [true, false].map(|is_plain| {
                let mut piece = Piece::default();
                let mut found = Vec::new();
                for text in [first, second, first] {
                    let begin = piece.entries.len();
                    let read = if is_plain {
                        piece.plain(text, is_merged)
                    } else {
                        piece.any(text, is_merged)
                    };
                    if read.is_none() {
                        piece.entries.truncate(begin);
                    }
                    found.push((read, piece.entries.len()));
                }
                let names = piece.names.into_names();
                // Numbers may differ: a refused table assigns some too.
                let entries = piece.entries.iter().map(|&entry| {
                    let name = &names[entry.benchmark as usize];
                    let benchmark = 0;
                    (name, Entry { benchmark, ..entry })
                });
                format!("{found:?} {:?}", entries.collect::<Vec<_>>())
            });
            assert_eq!(plain, any, "{first} {second}");
        }
    }
}
