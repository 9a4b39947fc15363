//! Binding of the context kernel: walks views by their attributes, and asks Python about paths.

mod batch;
mod files;
mod tracker;

use std::cell::Cell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyTupleMethods};
use trajmeter_core::context::{Extent, GRANULARITIES, Gold, Rules, Scorer, Sizes, View, Views};

use crate::arrays::run;
use crate::attributes::{Attributes, extent, integer, number};
use crate::errors;
use crate::named::NamedTuple;
pub use batch::context_batch;
pub use files::{ContextFiles, context_files};
pub use tracker::{ContextTrackerKernel, StepCoverage};

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
        ContextTrackerKernel::new(slf)
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
