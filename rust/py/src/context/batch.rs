//! Binding of the context kernel for batches: attempts as columns, scored without the GIL.

use std::borrow::Cow;
use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use trajmeter_core::context::{
    File, Pairs, Rows, Target, Targets, Task, ViewColumns, check, is_leak, pairs, score_rows,
};
use trajmeter_core::pool;

use super::ContextKernel;
use super::files::{ContextFiles, KnownFile};
use crate::arrays::{Flags, Integers, Texts, array, run, slice, texts};
use crate::named::NamedTuple;

/// What a pair of repository and path refers to.
struct Place<'a> {
    found: Found<'a>,
    leak: bool,
}

/// The file that a pair of repository and path refers to.
enum Found<'a> {
    At(Cow<'a, str>),
    Nowhere,
    /// Only Python can decide.
    Unknown,
}

/// The file that a pair refers to, if any, and whether the path names a leak.
type KnownTarget = (Option<Py<KnownFile>>, bool);

/// Number of pairs that a thread resolves at a time.
const PIECE: usize = 128;

/// The columns of views, in the order of their named tuple.
type ViewArrays<'py> = (
    Integers<'py>,
    Integers<'py>,
    Integers<'py>,
    Integers<'py>,
    Flags<'py>,
    Flags<'py>,
    Flags<'py>,
    Integers<'py>,
    Integers<'py>,
);

/// Scores many attempts; see the twin.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the columns of the contract")]
pub fn context_batch<'py>(
    py: Python<'py>,
    tasks: Vec<Bound<'py, ContextKernel>>,
    task: Integers<'py>,
    views: ViewArrays<'py>,
    step_offsets: Integers<'py>,
    row_offsets: Integers<'py>,
    final_offsets: Integers<'py>,
    has_final: Flags<'py>,
    paths: (Bound<'py, PyBytes>, Integers<'py>),
    names: (Bound<'py, PyBytes>, Integers<'py>),
) -> PyResult<Bound<'py, PyAny>> {
    static CONTEXT_BATCH_ARRAYS: NamedTuple = NamedTuple::new("ContextBatchArrays");
    let columns = view_columns(&views)?;
    let rows = Rows {
        task: slice(&task)?,
        step_offsets: slice(&step_offsets)?,
        row_offsets: slice(&row_offsets)?,
        final_offsets: slice(&final_offsets)?,
        has_final: slice(&has_final)?,
    };
    let paths = texts("path", &paths.0, slice(&paths.1)?)?;
    let symbols = texts("name", &names.0, slice(&names.1)?)?;
    let kernels: Vec<&ContextKernel> = tasks.iter().map(Bound::get).collect();
    let (repositories, repository) = repositories(&kernels);
    let (found, places) = run(py, columns.path.len(), || {
        check(&rows, &columns, kernels.len(), paths.len(), symbols.len())?;
        let found = pairs(&rows, columns.path, paths.len(), &repository);
        let places = find(&found, &repositories, &paths);
        Ok((found, places))
    })?;
    let files = files(py, &found, places, &repositories, &paths)?;
    let asked_for = definitions(py, &found.of_view, &files, &columns, &symbols)?;
    let tasks: Vec<_> = kernels.iter().map(|kernel| kernel.task()).collect();
    let sizes = run(py, columns.path.len() + rows.task.len(), || {
        let targets: Vec<Target<'_>> = files.iter().map(target).collect();
        let targets = Targets {
            of_view: &found.of_view,
            targets: &targets,
            named: &asked_for,
        };
        score_rows(&rows, &columns, &tasks, &repository, &targets)
    })?;
    CONTEXT_BATCH_ARRAYS.of(
        py,
        (
            array(py, sizes.counts),
            array(py, sizes.coverage),
            array(py, sizes.offsets),
        ),
    )
}

fn view_columns<'a>(views: &'a ViewArrays<'_>) -> PyResult<ViewColumns<'a>> {
    let (path, extent, start, end, has_start, has_end, listed, symbol, symbol_offsets) = views;
    Ok(ViewColumns {
        path: slice(path)?,
        extent: slice(extent)?,
        start: slice(start)?,
        end: slice(end)?,
        has_start: slice(has_start)?,
        has_end: slice(has_end)?,
        listed: slice(listed)?,
        symbol: slice(symbol)?,
        symbol_offsets: slice(symbol_offsets)?,
    })
}

/// The distinct repositories, and the index of each task's repository.
fn repositories<'a>(kernels: &[&'a ContextKernel]) -> (Vec<&'a ContextFiles>, Vec<usize>) {
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut found = Vec::new();
    let of_task = kernels.iter().map(|kernel| {
        let place = places.entry(kernel.files.as_ptr() as usize);
        *place.or_insert_with(|| {
            found.push(kernel.files.get());
            found.len() - 1
        })
    });
    let of_task = of_task.collect();
    (found, of_task)
}

/// What each pair refers to.
fn find<'a>(found: &Pairs, repositories: &[&ContextFiles], paths: &Texts<'a>) -> Vec<Place<'a>> {
    let pieces = pool::chunks(found.pairs.len(), PIECE);
    let places = pool::map(pieces, |piece| {
        let pairs = found.pairs[piece].iter();
        let place = |&(repository, path): &(usize, usize)| {
            let (finder, path) = (repositories[repository].finder(), paths[path]);
            let found = match finder.map(|finder| finder.find(path)) {
                Some(Some(place)) => Found::At(place),
                Some(None) => Found::Nowhere,
                None => Found::Unknown,
            };
            let leak = is_leak(path);
            Place { found, leak }
        };
        pairs.map(place).collect::<Vec<_>>()
    });
    places.into_iter().flatten().collect()
}

/// The file that each pair refers to; Python is asked where only it can decide.
fn files(
    py: Python<'_>,
    pairs: &Pairs,
    places: Vec<Place<'_>>,
    repositories: &[&ContextFiles],
    paths: &Texts<'_>,
) -> PyResult<Vec<KnownTarget>> {
    let mut files: Vec<KnownTarget> = Vec::with_capacity(places.len());
    for (&(repository, path), place) in pairs.pairs.iter().zip(places) {
        let repository = repositories[repository];
        files.push(match place.found {
            Found::Nowhere => (None, place.leak),
            Found::At(path) => (Some(repository.at(py, &path)?.unbind()), place.leak),
            Found::Unknown => {
                let known = repository.path(PyString::new(py, paths[path]).into_any())?;
                let known = known.get();
                let file = known.file.as_ref().map(|file| file.clone_ref(py));
                (file, known.leak)
            }
        });
    }
    Ok(files)
}

/// Definitions of each name that a view requests; Python is asked once per file and name.
fn definitions(
    py: Python<'_>,
    of_view: &[u32],
    files: &[KnownTarget],
    views: &ViewColumns<'_>,
    symbols: &Texts<'_>,
) -> PyResult<Vec<Vec<i64>>> {
    let mut known: HashMap<(u32, i64), Vec<i64>> = HashMap::new();
    let mut found = vec![Vec::new(); views.symbol.len()];
    if found.is_empty() {
        return Ok(found);
    }
    for (bounds, &pair) in views.symbol_offsets.windows(2).zip(of_view) {
        let Some((Some(file), _)) = files.get(pair as usize) else {
            continue;
        };
        let asked = bounds[0] as usize..bounds[1] as usize;
        for (slot, &symbol) in found[asked.clone()].iter_mut().zip(&views.symbol[asked]) {
            if let Some(definitions) = known.get(&(pair, symbol)) {
                slot.clone_from(definitions);
                continue;
            }
            let name = PyString::new(py, symbols[symbol as usize]).into_any();
            *slot = file.get().named(&name)?;
            known.insert((pair, symbol), slot.clone());
        }
    }
    Ok(found)
}

fn target((file, leak): &KnownTarget) -> Target<'_> {
    let file: Option<&File> = file.as_ref().map(|known| &known.get().file);
    Target { file, leak: *leak }
}

impl ContextKernel {
    fn task(&self) -> Task<'_> {
        Task {
            gold: &self.gold,
            rules: self.files.get().rules,
        }
    }
}
