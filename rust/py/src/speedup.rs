//! Bindings of the speedups of many attempts.

use std::sync::Arc;

use arrow_array::builder::{MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, MapArray, StringArray, StructArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field as ArrowField, Fields};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::levels::{Alphabet, Figures};
use trajmeter_core::speedup::{
    Benchmarks, Field, Files, Keys, Plan, REASONS, Rows, Rules, Scores, Tables, Texts, Trials,
    Values, scores, tables_as_text,
};

use crate::arrays::{Flags, Floats, Integers, NewIntegers, run, slice};
use crate::columns::{Columns, internal};
use crate::errors::InternalError;

type Bytes<'py> = PyReadonlyArray1<'py, u8>;
type Column<'py> = (Bytes<'py>, Integers<'py>);
type FieldColumn<'py> = (String, Bound<'py, PyAny>, Flags<'py>);

/// Rows of benchmarks, as Python passes them: distinct names, the index of each row's name, the
/// offsets of attempts, and fields.
type RowColumns<'py> = (
    Column<'py>,
    Integers<'py>,
    Integers<'py>,
    Vec<FieldColumn<'py>>,
);

/// The tables of benchmarks of many attempts.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct SpeedupTables {
    tables: Tables,
    of_row: Vec<i64>,
    uncertain: Vec<bool>,
    is_merged: bool,
}

#[pymethods]
impl SpeedupTables {
    #[new]
    #[pyo3(signature = (
        named, unnamed, rows, is_measured, keys, own, last, offsets, members, scored, *, merged
    ))]
    #[allow(clippy::too_many_arguments)] // one flat array per column
    fn new(
        py: Python<'_>,
        named: Column<'_>,
        unnamed: Column<'_>,
        rows: RowColumns<'_>,
        is_measured: Flags<'_>,
        keys: Vec<String>,
        own: Integers<'_>,
        last: Integers<'_>,
        offsets: Integers<'_>,
        members: Integers<'_>,
        scored: Integers<'_>,
        merged: bool,
    ) -> PyResult<Self> {
        let held = HeldRows::new(&rows)?;
        let fields = held.fields()?;
        let files = Files {
            named: texts(&named)?,
            unnamed: texts(&unnamed)?,
            rows: held.rows(&fields)?,
            is_measured: slice(&is_measured)?,
            keys: Keys {
                names: &keys,
                own: slice(&own)?,
                last: slice(&last)?,
            },
        };
        let trials = Trials {
            offsets: slice(&offsets)?,
            members: slice(&members)?,
            scored: slice(&scored)?,
        };
        let size = files.named.bytes.len() + files.unnamed.bytes.len() + files.rows.benchmark.len();
        let (tables, of_row, uncertain) = run(py, size, || Ok(files.tables(&trials, merged)))?;
        Ok(Self {
            tables,
            of_row,
            uncertain,
            is_merged: merged,
        })
    }

    /// The names of all benchmarks as UTF-8, one after another.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.tables.names.concat().as_bytes())
    }

    /// Index of each attempt's table; -1 for none.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        self.of_row.clone().into_pyarray(py)
    }

    /// Number of benchmarks of each table.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        let sizes = self.tables.iter().map(|table| table.len() as i64);
        sizes.collect::<Vec<_>>().into_pyarray(py)
    }

    /// Number of benchmarks of each table that are objects.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        let objects = self.tables.iter().map(|table| {
            let objects = table.iter().filter(|entry| entry.is_object);
            objects.count() as i64
        });
        objects.collect::<Vec<_>>().into_pyarray(py)
    }

    /// Whether each trial is left to the record form.
    #[getter]
    fn uncertain<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<bool>> {
        self.uncertain.clone().into_pyarray(py)
    }

    fn score(
        &self,
        py: Python<'_>,
        table: Integers<'_>,
        is_reverted: Flags<'_>,
        has_oracle: Flags<'_>,
        capitals: &str,
        blanks: &str,
    ) -> PyResult<Columns> {
        let plan = Plan {
            table: slice(&table)?,
            is_reverted: slice(&is_reverted)?,
            has_oracle: slice(&has_oracle)?,
        };
        let alphabet = Alphabet::new(capitals, blanks);
        let rules = Rules {
            is_merged: self.is_merged,
            alphabet: &alphabet,
        };
        let size = self.tables.iter().map(<[_]>::len).sum();
        let scores = run(py, size, || scores(&self.tables, &plan, rules))?;
        self.columns(scores)
    }
}

impl SpeedupTables {
    fn columns(&self, scores: Scores) -> PyResult<Columns> {
        let names = &self.tables.names;
        let floats = |figure: fn(&Figures) -> f64| -> ArrayRef {
            let value = |row| Some(figure(row)).filter(|value| !value.is_nan());
            Arc::new(scores.levels.iter().map(value).collect::<Float64Array>())
        };
        let valid: Vec<_> = scores.levels.iter().map(|figures| figures.valid).collect();
        let speedup = floats(|row| row.speedup);
        let [level_1, level_2, level_3, level_4] = [
            floats(|row| row.advantage[0]),
            floats(|row| row.advantage[1]),
            floats(|row| row.advantage[2]),
            floats(|row| row.advantage[3]),
        ];
        let worst = scores.worst_benchmark.iter();
        let worst = worst.map(|&name| usize::try_from(name).ok().map(|name| &names[name]));
        let worst_benchmark: StringArray = worst.clone().collect();
        let worst_nulls: NullBuffer = worst.map(|name| name.is_some()).collect();
        let invalid = invalid(names, &scores)?;
        let worst = Float64Array::new(scores.worst.into(), Some(worst_nulls.clone()));
        let regressions = Int64Array::new(scores.regressions.into(), Some(worst_nulls));
        let sizes = scores.size.clone();
        Columns::of(vec![
            ("num_valid_benchmarks", Arc::new(Int64Array::from(valid))),
            ("task_speedup", speedup),
            ("agent_advantage_level1", level_1),
            ("agent_advantage_level2", level_2),
            ("agent_advantage_level3", level_3),
            ("agent_advantage_level4", level_4),
            ("num_benchmarks", Arc::new(Int64Array::from(scores.size))),
            ("worst_speedup", Arc::new(worst)),
            ("worst_benchmark", Arc::new(worst_benchmark)),
            ("num_regressions", Arc::new(regressions)),
            (
                "is_without_oracle",
                Arc::new(BooleanArray::from(scores.is_without_oracle)),
            ),
            (
                "has_reverted",
                Arc::new(BooleanArray::from(scores.has_reverted)),
            ),
            ("invalid_benchmarks", invalid),
            (
                "per_benchmark_speedups",
                benchmarks(scores.benchmarks, &sizes)?,
            ),
        ])
    }
}

/// Writes the table of benchmarks of each attempt as JSON.
#[pyfunction]
pub fn speedup_tables_as_text<'py>(
    py: Python<'py>,
    rows: RowColumns<'py>,
    keys: Vec<String>,
    key: Integers<'py>,
) -> PyResult<Columns> {
    let held = HeldRows::new(&rows)?;
    let fields = held.fields()?;
    let (rows, key) = (held.rows(&fields)?, slice(&key)?);
    let (text, lengths) = run(py, rows.benchmark.len(), || {
        Ok(tables_as_text(&rows, &keys, key))
    })?;
    Columns::of(vec![("ratios_by_agent", json(text, &lengths)?)])
}

/// Rows of benchmarks whose memory is borrowed.
struct HeldRows<'a, 'py> {
    columns: &'a RowColumns<'py>,
    names: Vec<&'a str>,
    values: Vec<HeldValues<'py>>,
}

/// Values of a field.
#[derive(FromPyObject)]
enum HeldValues<'py> {
    Numbers(Floats<'py>),
    Integers(Integers<'py>),
    Flags(Flags<'py>),
}

impl<'py> HeldValues<'py> {
    fn field<'a>(&'a self, (name, _, is_valid): &'a FieldColumn<'py>) -> PyResult<Field<'a>> {
        Ok(Field {
            name,
            values: match self {
                Self::Numbers(values) => Values::Numbers(slice(values)?),
                Self::Integers(values) => Values::Integers(slice(values)?),
                Self::Flags(values) => Values::Flags(slice(values)?),
            },
            is_valid: slice(is_valid)?,
        })
    }
}

impl<'a, 'py> HeldRows<'a, 'py> {
    fn new(columns: &'a RowColumns<'py>) -> PyResult<Self> {
        let names = texts(&columns.0)?;
        let count = names.offsets.len() - 1;
        let values = columns.3.iter().map(|(name, values, _)| {
            let unchecked = |_| InternalError::new_err(format!("unchecked array of {name}"));
            values.extract().map_err(unchecked)
        });
        Ok(Self {
            columns,
            names: (0..count)
                .map(|name| names.get(name).unwrap_or_default())
                .collect(),
            values: values.collect::<PyResult<_>>()?,
        })
    }

    fn fields(&self) -> PyResult<Vec<Field<'_>>> {
        let columns = self.columns.3.iter().zip(&self.values);
        columns
            .map(|(column, values)| values.field(column))
            .collect()
    }

    fn rows<'s>(&'s self, fields: &'s [Field<'s>]) -> PyResult<Rows<'s>> {
        Ok(Rows {
            names: &self.names,
            benchmark: slice(&self.columns.1)?,
            offsets: slice(&self.columns.2)?,
            fields,
        })
    }
}

fn texts<'a>(column: &'a Column<'_>) -> PyResult<Texts<'a>> {
    Ok(Texts {
        bytes: slice(&column.0)?,
        offsets: slice(&column.1)?,
    })
}

/// Returns the benchmarks that do not count, with the reason, attempt by attempt.
fn invalid(names: &[String], scores: &Scores) -> PyResult<ArrayRef> {
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
fn benchmarks(found: Benchmarks, sizes: &[i64]) -> PyResult<ArrayRef> {
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
