//! Fuzzes samples of Inspect logs: any bytes. Nothing panics, and a row does not depend on what was
//! read before it.
//!
//! The values of the row are compared with the record reader in the Python tests.

#![no_main]

use std::convert::identity;

use libfuzzer_sys::fuzz_target;
use trajmeter_core::ingest::{Log, Reader, Shape, Wanted};

const SHAPE: &str = include_str!("../trajectory_shape.json");
const OTHER: &[u8] = br#"{"id": "t", "messages": [{"role": "assistant", "content": "x"}]}"#;

fuzz_target!(|sample: &[u8]| {
    let shape = Shape::record(SHAPE).expect("the shape of a record");
    let names = shape.members.iter().map(|member| member.name.clone());
    let wanted = Wanted::new(names.collect());
    let reader = Reader::trajectories(shape, wanted).expect("a shape with all columns");
    let log = Log {
        task: "null".to_owned(),
        status: "null".to_owned(),
        ..Log::default()
    };
    let event = [&br#"{"id": 1, "events": ["#[..], sample, b"]}"].concat();
    for sample in [sample, &event] {
        let read = |samples: &[&[u8]]| {
            let named: Vec<_> = samples.iter().map(|each| ("s".to_owned(), *each)).collect();
            let pieces = reader.read_samples(&log, &named, identity);
            for piece in &pieces {
                for column in piece.columns.iter().flatten() {
                    assert_eq!(column.len(), piece.rows);
                }
            }
            pieces.iter().map(|piece| piece.rows).sum::<usize>()
        };
        assert_eq!(read(&[OTHER, sample, OTHER]), read(&[sample]) + 2);
    }
});
