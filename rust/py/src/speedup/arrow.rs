//! Arrow arrays of the names and the figures of benchmarks.

use std::sync::Arc;

use arrow_array::builder::{MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, MapArray, StringArray, StructArray,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field as ArrowField, Fields};
use pyo3::prelude::*;
use trajmeter_core::speedup::{Benchmarks, REASONS, Scores};

use crate::columns::internal;
use crate::errors::InternalError;

/// Returns the benchmarks that do not count, with the reason, attempt by attempt.
pub(super) fn invalid(names: &[String], scores: &Scores) -> PyResult<ArrayRef> {
    let fields = MapFieldNames {
        entry: "entries".into(),
        key: "key".into(),
        value: "value".into(),
    };
    let (keys, values) = (StringBuilder::new(), StringBuilder::new());
    let mut builder = MapBuilder::new(Some(fields), keys, values);
    let mut entries = scores.invalid_benchmark.iter().zip(&scores.invalid_reason);
    for &count in &scores.invalid {
        for (&benchmark, &reason) in entries.by_ref().take(count as usize) {
            builder.keys().append_value(&names[benchmark as usize]);
            builder.values().append_value(REASONS[reason as usize]);
        }
        builder.append(true).map_err(|error| internal(&error))?;
    }
    Ok(Arc::new(builder.finish()))
}

/// Creates a column that maps the name of each benchmark of an attempt to its values; `sizes` are
/// the numbers of benchmarks.
pub(super) fn benchmarks(found: Benchmarks, sizes: &[i64]) -> PyResult<ArrayRef> {
    let floats = |values: Vec<f64>| -> ArrayRef {
        let is_there = || values.iter().map(|value| !value.is_nan());
        let nulls = is_there().any(|each| !each).then(|| is_there().collect());
        Arc::new(Float64Array::new(values.into(), nulls))
    };
    let invalid = if found.invalid.iter().all(Option::is_none) {
        StringArray::new_null(found.invalid.len())
    } else {
        let invalid = found.invalid.iter();
        let invalid = invalid.map(|reason| reason.map(|reason| REASONS[reason as usize]));
        invalid.collect()
    };
    let values = StructArray::from(
        [
            ("agent/nop", floats(found.agent)),
            ("oracle/nop", floats(found.oracle)),
            ("advantage", floats(found.advantage)),
            (
                "significant",
                Arc::new(BooleanArray::from(found.significant)) as ArrayRef,
            ),
            (
                "fallback_to_baseline",
                Arc::new(BooleanArray::from(found.is_fallback)),
            ),
            ("invalid", Arc::new(invalid)),
        ]
        .map(|(name, array)| {
            let field = ArrowField::new(name, array.data_type().clone(), true);
            (Arc::new(field), array)
        })
        .to_vec(),
    );
    let names = json(found.names, &found.name_length)?;
    let fields = Fields::from(vec![
        ArrowField::new("key", DataType::Utf8, false),
        ArrowField::new("value", values.data_type().clone(), true),
    ]);
    let entries = StructArray::new(fields.clone(), vec![names, Arc::new(values)], None);
    let field = ArrowField::new("entries", DataType::Struct(fields), false);
    let maps = MapArray::try_new(Arc::new(field), offsets(sizes)?, entries, None, false);
    Ok(Arc::new(maps.map_err(|error| internal(&error))?))
}

/// Creates a column of texts from one buffer and their lengths.
pub fn json(text: Vec<u8>, lengths: &[i64]) -> PyResult<ArrayRef> {
    let text = StringArray::try_new(offsets(lengths)?, Buffer::from_vec(text), None);
    Ok(Arc::new(text.map_err(|error| internal(&error))?))
}

/// Returns the offsets of values of these lengths.
fn offsets(lengths: &[i64]) -> PyResult<OffsetBuffer<i32>> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0_i64;
    offsets.push(0);
    for length in lengths {
        end += length;
        let end = i32::try_from(end)
            .map_err(|_| InternalError::new_err("more values than one column holds"))?;
        offsets.push(end);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}
