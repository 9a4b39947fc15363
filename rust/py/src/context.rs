//! Binding of the context kernel: walks views by their attributes, and asks Python about paths.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyTupleMethods};
use trajmeter_core::context::{
    Extent, File, GRANULARITIES, Gold, Rules, Sizes, Tables, Tracker, View, Views, score,
};

use crate::arrays::{Integers, run, slice};
use crate::attributes::{Attributes, extent, integer, number};
use crate::errors;
use crate::named::NamedTuple;

thread_local! {
    /// Memory for views, kept from one score to the next.
    static VIEWS: Cell<Option<Box<Views>>> = const { Cell::new(None) };
}

/// Compiles a task's gold; see the twin.
#[pyfunction]
pub fn context(
    py: Python<'_>,
    resolve: Py<PyAny>,
    gold: Bound<'_, PyAny>,
    rules: &str,
) -> PyResult<ContextKernel> {
    let rules = match rules {
        "as_written" => Rules::AsWritten,
        _ => Rules::Default,
    };
    let mut kernel = ContextKernel {
        rules,
        gold: Default::default(),
        resolve,
        paths: PyDict::new(py).unbind(),
        files: PyDict::new(py).unbind(),
        count: AtomicU64::new(0),
    };
    let mut views = Views::default();
    for lines in gold.try_iter()? {
        let (file, first, last, in_lines): (
            Bound<'_, PyAny>,
            Bound<'_, PyAny>,
            Bound<'_, PyAny>,
            bool,
        ) = lines?.extract()?;
        let file = kernel.file(&file)?;
        views.add_gold(
            &file.get().file,
            integer(&first)?,
            integer(&last)?,
            in_lines,
        );
    }
    for (index, spans) in views.into_spans().into_iter().enumerate() {
        kernel.gold[index] = Gold::new(spans, index).map_err(|error| errors::raise(&error))?;
    }
    Ok(kernel)
}

/// A task's gold, compiled, and the files that its paths were found to mean.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct ContextKernel {
    rules: Rules,
    gold: [Gold; GRANULARITIES],
    resolve: Py<PyAny>,
    /// [`KnownPath`] by path as written.
    paths: Py<PyDict>,
    /// [`KnownFile`] by code.
    files: Py<PyDict>,
    count: AtomicU64,
}

/// What a path was found to mean.
#[pyclass(frozen)]
struct KnownPath {
    file: Option<Py<KnownFile>>,
    number: u64,
    leak: bool,
}

/// A file with its tables.
#[pyclass(frozen)]
struct KnownFile {
    file: File,
    /// Finds definitions by name; absent where none are known.
    named: Option<Py<PyAny>>,
}

#[pymethods]
impl ContextKernel {
    /// Scores a whole trajectory.
    #[pyo3(signature = (turns, final_views))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        turns: Option<Bound<'py, PyAny>>,
        final_views: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut views = VIEWS.take().unwrap_or_default();
        views.clear();
        if let Some(turns) = turns {
            for turn in turns.try_iter()? {
                let seen = Attributes::of(turn?)?.get(intern!(py, "views"))?;
                if !seen.is_none() {
                    self.add_step(&seen, &mut views)?;
                }
            }
        }
        let mut last = self.step(final_views.as_ref())?;
        let sizes = run(py, views.len(), || {
            score(&self.gold, self.rules, &mut views, last.as_mut())
        });
        VIEWS.set(Some(views));
        named(py, sizes?)
    }

    /// Begins a trajectory that is fed step by step.
    fn tracker(slf: Py<Self>) -> ContextTrackerKernel {
        ContextTrackerKernel {
            kernel: slf,
            tracker: Tracker::default(),
            views: Views::default(),
        }
    }
}

impl ContextKernel {
    /// The views as a single step, if there are any views at all.
    fn step(&self, views: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Views>> {
        let Some(views) = views else {
            return Ok(None);
        };
        let mut step = Views::default();
        self.add_step(views, &mut step)?;
        Ok(Some(step))
    }

    fn add_step(&self, views: &Bound<'_, PyAny>, step: &mut Views) -> PyResult<()> {
        if let Ok(views) = views.cast::<PyTuple>() {
            for view in views.iter_borrowed() {
                self.add(view.to_owned(), step)?;
            }
        } else {
            for view in views.try_iter()? {
                self.add(view?, step)?;
            }
        }
        step.end_step(self.rules);
        Ok(())
    }

    fn add(&self, view: Bound<'_, PyAny>, step: &mut Views) -> PyResult<()> {
        let py = view.py();
        let view = Attributes::of(view)?;
        let known = self.path(view.get(intern!(py, "path"))?)?;
        let known = known.get();
        let Some(file) = &known.file else {
            step.add_unresolved(known.number, known.leak);
            return Ok(());
        };
        let file = file.get();
        let symbols = view.get(intern!(py, "symbols"))?;
        let nameless = symbols
            .cast::<PyTuple>()
            .is_ok_and(PyTupleMethods::is_empty);
        if !nameless {
            for name in symbols.try_iter()? {
                step.add_named(&file.file, file.named(&name?)?.into_iter());
            }
        }
        let listed =
            self.rules == Rules::Default || view.get(intern!(py, "listed"))?.is_truthy()?;
        let extent = extent(&view.get(intern!(py, "extent"))?)?;
        let (start, end) = if extent == Extent::Unknown {
            (None, None)
        } else {
            (
                number(&view.get(intern!(py, "start"))?)?,
                number(&view.get(intern!(py, "end"))?)?,
            )
        };
        let view = View {
            extent,
            start,
            end,
            listed,
        };
        step.add(self.rules, &file.file, known.leak, view);
        Ok(())
    }

    /// What a path means, asked of Python when it first occurs.
    fn path<'py>(&self, path: Bound<'py, PyAny>) -> PyResult<Bound<'py, KnownPath>> {
        let py = path.py();
        let paths = self.paths.bind(py);
        if let Some(known) = paths.get_item(&path)? {
            return Ok(known.cast_into::<KnownPath>()?);
        }
        let resolved = self.resolve.bind(py).call1((&path,))?;
        let file = resolved.getattr(intern!(py, "file"))?;
        let file = if file.is_none() {
            None
        } else {
            Some(self.file(&file)?.unbind())
        };
        let known = KnownPath {
            file,
            number: self.count.fetch_add(1, Ordering::Relaxed),
            leak: resolved.getattr(intern!(py, "leak"))?.is_truthy()?,
        };
        // Another thread may have met the path meanwhile: the first answer stays.
        let (_, known) = paths.set_default_with_result(path, Bound::new(py, known)?)?;
        Ok(known.cast_into::<KnownPath>()?)
    }

    /// A file with its tables, compiled when it first occurs.
    fn file<'py>(&self, file: &Bound<'py, PyAny>) -> PyResult<Bound<'py, KnownFile>> {
        let py = file.py();
        let files = self.files.bind(py);
        let code = file.getattr(intern!(py, "code"))?;
        if let Some(known) = files.get_item(&code)? {
            return Ok(known.cast_into::<KnownFile>()?);
        }
        let tables = file.getattr(intern!(py, "tables"))?;
        let (tables, named) = if tables.is_none() {
            (None, None)
        } else {
            let named = tables.getattr(intern!(py, "named"))?.unbind();
            (Some(self.tables(&tables)?), Some(named))
        };
        let known = KnownFile {
            file: File::new(code.extract()?, self.rules, tables),
            named,
        };
        let (_, known) = files.set_default_with_result(code, Bound::new(py, known)?)?;
        Ok(known.cast_into::<KnownFile>()?)
    }

    fn tables(&self, tables: &Bound<'_, PyAny>) -> PyResult<Tables> {
        let py = tables.py();
        let starts = column(&tables.getattr(intern!(py, "definition_start"))?)?;
        let ends = column(&tables.getattr(intern!(py, "definition_end"))?)?;
        Ok(Tables::new(
            self.rules,
            tables.getattr(intern!(py, "size"))?.extract()?,
            column(&tables.getattr(intern!(py, "line_starts"))?)?,
            starts.into_iter().zip(ends),
        ))
    }
}

impl KnownFile {
    /// Indices of the definitions that a name asks for.
    fn named(&self, name: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
        match &self.named {
            None => Ok(Vec::new()),
            Some(named) => named.bind(name.py()).call1((name,))?.extract(),
        }
    }
}

/// The state of a trajectory that is still running.
#[pyclass(module = "trajmeter.kernels._rust")]
pub struct ContextTrackerKernel {
    kernel: Py<ContextKernel>,
    tracker: Tracker,
    /// Memory for the views of a step.
    views: Views,
}

#[pymethods]
impl ContextTrackerKernel {
    /// Adds one step; its coverage so far.
    fn update(&mut self, views: Bound<'_, PyAny>) -> PyResult<StepCoverage> {
        let kernel = self.kernel.get();
        self.views.clear();
        kernel.add_step(&views, &mut self.views)?;
        run(views.py(), self.views.len(), || {
            self.tracker.add(&kernel.gold, &mut self.views);
            Ok(())
        })?;
        let [file, symbol, span, line] = self.tracker.coverage();
        Ok(StepCoverage {
            step: self.tracker.steps(),
            file,
            symbol,
            span,
            line,
        })
    }

    /// Sizes of the steps so far.
    #[pyo3(signature = (final_views))]
    fn sizes<'py>(
        &self,
        py: Python<'py>,
        final_views: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kernel = self.kernel.get();
        let mut last = kernel.step(final_views.as_ref())?;
        let length = last.as_ref().map_or(0, Views::len);
        let sizes = run(py, length, || {
            self.tracker
                .sizes(&kernel.gold, kernel.rules, last.as_mut())
        })?;
        named(py, sizes)
    }
}

/// Share of gold that has been seen after a step.
#[pyclass(frozen, get_all, eq, module = "trajmeter.kernels._rust")]
#[derive(PartialEq)]
pub struct StepCoverage {
    step: i64,
    file: Option<f64>,
    symbol: Option<f64>,
    span: Option<f64>,
    line: Option<f64>,
}

#[pymethods]
impl StepCoverage {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let names = ["step", "file", "symbol", "span", "line"];
        let mut fields = Vec::with_capacity(names.len());
        for name in names {
            fields.push(format!("{name}={}", slf.getattr(name)?.repr()?));
        }
        Ok(format!("StepCoverage({})", fields.join(", ")))
    }
}

fn column(array: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let array: Integers<'_> = array.extract()?;
    Ok(slice(&array)?.to_vec())
}

static CONTEXT_SIZES: NamedTuple = NamedTuple::new("ContextSizes");
static CONTEXT_TALLY: NamedTuple = NamedTuple::new("ContextTally");
static FINAL_SIZES: NamedTuple = NamedTuple::new("FinalSizes");
static STEP_SIZES: NamedTuple = NamedTuple::new("StepSizes");

fn named(py: Python<'_>, sizes: Sizes) -> PyResult<Bound<'_, PyAny>> {
    let tally = CONTEXT_TALLY.of(
        py,
        (
            sizes.tally.views,
            sizes.tally.unresolved_paths(),
            sizes.tally.empty_ranges,
            sizes.tally.leaked_views,
        ),
    )?;
    let mut last = Vec::with_capacity(GRANULARITIES);
    for size in sizes.last {
        let counts = (size.intersection, size.gold, size.predicted as i64);
        last.push(FINAL_SIZES.of(py, counts)?);
    }
    let mut steps = Vec::with_capacity(GRANULARITIES);
    for size in sizes.steps {
        let coverage = size
            .coverage
            .map(|shares| PyTuple::new(py, shares))
            .transpose()?;
        let (covered, viewed) = (size.covered_sum as i64, size.viewed as i64);
        let union = size.union as i64;
        steps.push(STEP_SIZES.of(py, (coverage, covered, viewed, union))?);
    }
    CONTEXT_SIZES.of(
        py,
        (
            sizes.num_steps,
            sizes.has_final_context,
            tally,
            PyTuple::new(py, last)?,
            PyTuple::new(py, steps)?,
        ),
    )
}
