//! Binding of the context kernel: walks views by their attributes, and asks Python about paths.

use std::cell::Cell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyTupleMethods};
use trajmeter_core::context::{
    Extent, GRANULARITIES, Gold, Rules, Scorer, Sizes, Tracker, View, Views,
};

use crate::arrays::run;
use crate::attributes::{Attributes, extent, integer, number};
use crate::context_files::ContextFiles;
use crate::errors;
use crate::named::NamedTuple;

thread_local! {
    /// Memory for views, reused from one score to the next.
    static VIEWS: Cell<Option<Box<Views>>> = const { Cell::new(None) };
}

/// Compiles a task's gold; see the twin.
#[pyfunction]
pub fn context(files: Py<ContextFiles>, gold: Bound<'_, PyAny>) -> PyResult<ContextKernel> {
    let known = files.get();
    let mut views = Views::default();
    for lines in gold.try_iter()? {
        let (file, first, last, in_lines): (
            Bound<'_, PyAny>,
            Bound<'_, PyAny>,
            Bound<'_, PyAny>,
            bool,
        ) = lines?.extract()?;
        let file = known.file(&file)?;
        views.add_gold(
            &file.get().file,
            integer(&first)?,
            integer(&last)?,
            in_lines,
        );
    }
    let mut compiled: [Gold; GRANULARITIES] = Default::default();
    for (index, spans) in views.into_spans().into_iter().enumerate() {
        compiled[index] = Gold::new(spans, index).map_err(|error| errors::raise(&error))?;
    }
    Ok(ContextKernel {
        files,
        gold: compiled,
    })
}

/// A task's gold, compiled, beside the files of its repository.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct ContextKernel {
    pub files: Py<ContextFiles>,
    pub gold: [Gold; GRANULARITIES],
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
            Scorer::default().score(&self.gold, self.rules(), &mut views, last.as_mut())
        });
        VIEWS.set(Some(views));
        named(py, sizes?)
    }

    /// Begins a trajectory whose steps are added one by one.
    fn tracker(slf: Py<Self>) -> ContextTrackerKernel {
        ContextTrackerKernel {
            kernel: slf,
            tracker: Tracker::default(),
            views: Views::default(),
        }
    }
}

impl ContextKernel {
    fn rules(&self) -> Rules {
        self.files.get().rules
    }

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
        self.add_views(views, step)?;
        step.end_step(self.rules());
        Ok(())
    }

    fn add_views(&self, views: &Bound<'_, PyAny>, step: &mut Views) -> PyResult<()> {
        if let Ok(views) = views.cast::<PyTuple>() {
            for view in views.iter_borrowed() {
                self.add(view.to_owned(), step)?;
            }
        } else {
            for view in views.try_iter()? {
                self.add(view?, step)?;
            }
        }
        Ok(())
    }

    fn add(&self, view: Bound<'_, PyAny>, step: &mut Views) -> PyResult<()> {
        let py = view.py();
        let view = Attributes::of(view)?;
        let known = self.files.get().path(view.get(intern!(py, "path"))?)?;
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
            self.rules() == Rules::Default || view.get(intern!(py, "listed"))?.is_truthy()?;
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
        step.add(self.rules(), &file.file, known.leak, view);
        Ok(())
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
    /// Adds one step, or ends the open one with these views; its coverage so far.
    fn update(&mut self, views: Bound<'_, PyAny>) -> PyResult<StepCoverage> {
        let kernel = self.kernel.get();
        if self.tracker.is_open() {
            self.view(views)?;
            self.close_step();
            return Ok(self.coverage());
        }
        self.views.clear();
        kernel.add_step(&views, &mut self.views)?;
        run(views.py(), self.views.len(), || {
            self.tracker.add(&kernel.gold, &mut self.views);
            Ok(())
        })?;
        Ok(self.coverage())
    }

    /// Adds views to the open step.
    fn view(&mut self, views: Bound<'_, PyAny>) -> PyResult<()> {
        let kernel = self.kernel.get();
        self.views.clear();
        kernel.add_views(&views, &mut self.views)?;
        run(views.py(), self.views.len(), || {
            self.tracker.view(&kernel.gold, kernel.rules(), &self.views);
            Ok(())
        })
    }

    /// Ends the open step.
    fn close_step(&mut self) {
        let kernel = self.kernel.get();
        self.tracker.close_step(&kernel.gold, kernel.rules());
    }

    /// Share of gold seen so far.
    fn coverage(&self) -> StepCoverage {
        let [file, symbol, span, line] = self.tracker.coverage(&self.kernel.get().gold);
        StepCoverage {
            step: self.tracker.steps(),
            file,
            symbol,
            span,
            line,
        }
    }

    /// Total size of the finished steps, by granularity.
    #[getter]
    fn viewed(&self) -> PyResult<(i64, i64, i64, i64)> {
        let [file, symbol, span, line] = self.totals()?;
        Ok((file.0, symbol.0, span.0, line.0))
    }

    /// How much of it an earlier step had shown, by granularity.
    #[getter]
    fn repeated(&self) -> PyResult<(i64, i64, i64, i64)> {
        let [file, symbol, span, line] = self.totals()?;
        Ok((file.1, symbol.1, span.1, line.1))
    }

    /// Sizes of the finished steps.
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
                .sizes(&kernel.gold, kernel.rules(), last.as_mut())
        })?;
        named(py, sizes)
    }
}

impl ContextTrackerKernel {
    fn totals(&self) -> PyResult<[(i64, i64); GRANULARITIES]> {
        self.tracker.viewed().map_err(|error| errors::raise(&error))
    }
}

/// Share of gold seen after a step.
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
