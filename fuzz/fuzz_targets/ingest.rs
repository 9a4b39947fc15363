//! Fuzzes lines: any bytes. Nothing panics, and a row does not depend on the lines around it.
//!
//! A line that is read must give the same row when it is read alone: this reveals a half-written
//! row that a refused line left behind, or a column that has fallen behind the others. The values
//! of the rows are compared with the record reader in the Python tests.

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
