//! Lines of any bytes: no panic, and rows that do not depend on what stands around a line.
//!
//! Where a line is read, reading it alone has to give the same row: half a row that a refused line
//! leaves behind, or a column that lags, would show. What the rows have to be is held against the
//! record reader in Python's tests.

#![no_main]

use std::convert::identity;

use libfuzzer_sys::fuzz_target;
use trajmeter_core::ingest::{Reader, Shape, Wanted};

const SHAPE: &str = include_str!("../trajectory_shape.json");

fuzz_target!(|block: &[u8]| {
    let shape = Shape::record(SHAPE).expect("the shape of a record");
    let names = shape.members.iter().map(|member| member.name.clone());
    let wanted = Wanted::new(names.collect());
    let reader = Reader::trajectories(shape, wanted).expect("a shape with all columns");
    let pieces = reader.read(block, "file", 1, identity);
    let rows: usize = pieces.iter().map(|piece| piece.rows).sum();
    let mut alone = 0;
    for (number, line) in block.split_inclusive(|&byte| byte == b'\n').enumerate() {
        for piece in reader.read(line, "file", number as i64 + 1, identity) {
            alone += piece.rows;
            for column in piece.columns.iter().flatten() {
                assert_eq!(column.len(), piece.rows);
            }
        }
    }
    assert_eq!(rows, alone);
});
