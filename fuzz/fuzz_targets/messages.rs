//! Fuzzes rows and lists of messages, and rows of data sets: any bytes. Nothing panics, and only
//! valid JSON is read.
//!
//! Random bytes rarely form a row, so each input is also embedded as a message, and as a value in a
//! message. The values of the rows are compared with the record reader in the Python tests.

#![no_main]

use std::convert::identity;

use libfuzzer_sys::fuzz_target;
use trajmeter_core::ingest::{Format, Reader, Shape, Wanted};

const SHAPE: &str = include_str!("../trajectory_shape.json");
const PLACES: [(&str, &str); 8] = [
    ("", ""),
    (r#"{"messages": [{"role": "user", "content": ""}, "#, "]}"),
    (r#"{"messages": [{"role": "assistant", "content": "#, "}]}"),
    (
        r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "c", "name": "f"}]},
            {"role": "tool", "tool_call_id": "c", "content": "#,
        "}]}",
    ),
    (r#"[{"role": "user", "content": ""}, "#, "]"),
    (
        r#"{"instance_id": "i", "resolved": 1, "trajectory": [{"role": "user", "content": ""}, "#,
        "]}",
    ),
    (
        r#"{"instance_id": "i", "target": true, "trajectory": [{"role": "ai", "text": ""}, "#,
        "]}",
    ),
    (
        r#"{"instance_id": "i", "target": true, "trajectory": [{"role": "ai", "text": "#,
        "}]}",
    ),
];

fuzz_target!(|bytes: &[u8]| {
    let shape = Shape::record(SHAPE).expect("the shape of a record");
    let names = shape.members.iter().map(|member| member.name.clone());
    let wanted = Wanted::new(names.collect());
    let reader = Reader::trajectories(shape, wanted).expect("a shape with all columns");
    let formats = vec![
        Format::Messages,
        Format::Instance,
        Format::Fenced,
        Format::List,
    ];
    let reader = reader.only(formats, []);
    for (before, after) in PLACES {
        let line = [
            before.replace('\n', " ").as_bytes(),
            bytes,
            after.as_bytes(),
        ]
        .concat();
        for piece in reader.read(&line, "file", 1, identity) {
            for column in piece.columns.iter().flatten() {
                assert_eq!(column.len(), piece.rows);
            }
            if piece.rows > 0 && !bytes.contains(&b'\n') {
                let line = String::from_utf8(line.clone()).expect("a row of UTF-8");
                let line = line.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
                let value = serde_json::from_str::<&serde_json::value::RawValue>(line);
                assert!(value.is_ok(), "{line}");
            }
        }
    }
});
