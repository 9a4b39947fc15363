//! Fuzzes logs: any bytes. Nothing panics, and a row does not depend on what was read before it.
//!
//! The values of the row are compared with the record reader in the Python tests.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trajmeter_core::ingest::{Reader, Shape, Wanted};

const SHAPE: &str = include_str!("../trajectory_shape.json");
const OTHER: &[u8] =
    br#"{"trajectory_format": "mini-swe-agent-1", "messages": [{"role": "assistant",
"content": "```bash\nls\n```"}]}"#;

fuzz_target!(|log: &[u8]| {
    let shape = Shape::record(SHAPE).expect("the shape of a record");
    let names = shape.members.iter().map(|member| member.name.clone());
    let wanted = Wanted::new(names.collect());
    let reader = Reader::trajectories(shape, wanted).expect("a shape with all columns");
    for as_contextbench in [false, true] {
        let read =
            |logs: &[&[u8]]| reader.read_log_contents(logs, "a/b.traj.json", as_contextbench);
        let alone = read(&[log]);
        let after = read(&[OTHER, log, OTHER]);
        assert_eq!(alone.rows + alone.refused.len(), 1);
        assert_eq!(after.rows, alone.rows + 2);
        for piece in [&alone, &after] {
            for column in piece.columns.iter().flatten() {
                assert_eq!(column.len(), piece.rows);
            }
        }
        if alone.rows > 0 {
            // The parts that the reader skips must be valid JSON too.
            let text = std::str::from_utf8(log).expect("a log of UTF-8");
            assert!(serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok());
        }
    }
});
