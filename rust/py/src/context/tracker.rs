//! Binding of the context kernel for a trajectory that is still running, step by step.

use pyo3::prelude::*;
use trajmeter_core::context::{GRANULARITIES, Tracker, Views};

use super::{ContextKernel, named};
use crate::arrays::run;
use crate::errors;

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
    pub(super) fn new(kernel: Py<ContextKernel>) -> Self {
        Self {
            kernel,
            tracker: Tracker::default(),
            views: Views::default(),
        }
    }

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
