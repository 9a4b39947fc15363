//! Fuzzes documents: any bytes. Nothing panics, the parts found are those that another parser
//! finds, and a row does not depend on what was read before it.
//!
//! Random bytes rarely form a document, so each input is also embedded as an item of a valid one.
//! The values of the rows are compared with the record reader in the Python tests.

#![no_main]

use std::convert::identity;

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use trajmeter_core::ingest::{Document, Format, Reader, Shape, Wanted};

const SHAPE: &str = include_str!("../trajectory_shape.json");
const ROW: &[u8] = br#"{"messages": [{"role": "user", "content": "x"}]}"#;
const LIST: &[u8] = br#"[{"role": "user", "content": "x"}]"#;

fn reader() -> Reader {
    let shape = Shape::record(SHAPE).expect("the shape of a record");
    let names = shape.members.iter().map(|member| member.name.clone());
    let wanted = Wanted::new(names.collect());
    Reader::trajectories(shape, wanted).expect("a shape with all columns")
}

fuzz_target!(|bytes: &[u8]| {
    let inside = [&b"["[..], bytes, b", 1]"].concat();
    for content in [bytes, &inside] {
        if let Some(found) = Document::of(content, None) {
            let known: Vec<&RawValue> = serde_json::from_slice(content).expect("a list");
            let known = known.iter().map(|value| value.get().as_bytes());
            assert!(known.eq(found.items.iter().map(|range| &content[range.clone()])));
        }
    }
    let object = [&br#"{"a": "#[..], bytes, br#", "s": []}"#].concat();
    if let Some(found) = Document::of(&object, Some("s")) {
        assert!(found.items.is_empty());
        for (_, range) in found.members {
            assert!(serde_json::from_slice::<&RawValue>(&object[range]).is_ok());
        }
    }
    let lists = reader().only(vec![Format::List], []);
    for (other, reader) in [(ROW, reader()), (LIST, lists)] {
        let read = |values: &[&[u8]]| {
            let named: Vec<_> = values
                .iter()
                .map(|each| (Some("[0]".to_owned()), *each))
                .collect();
            let pieces = reader.read_values(&named, "file", identity);
            for piece in &pieces {
                for column in piece.columns.iter().flatten() {
                    assert_eq!(column.len(), piece.rows);
                }
            }
            pieces.iter().map(|piece| piece.rows).sum::<usize>()
        };
        assert_eq!(read(&[other, bytes, other]), read(&[bytes]) + 2);
    }
});
