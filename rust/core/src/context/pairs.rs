//! Finds the distinct pairs of repository and path in a batch.
//!
//! Paths are codes of the batch's own texts. The file that a path refers to depends on the task's
//! repository too: [`pairs`] finds the pairs that occur, so that each is resolved once, and assigns
//! every view the number of its pair.

use rustc_hash::FxHashMap;

use super::Rows;

/// The pairs of repository and path that occur in views.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Number of each view's pair; 0 for a view of an attempt without a task.
    pub of_view: Vec<u32>,
    /// Repository and path of each pair.
    pub pairs: Vec<(usize, usize)>,
}

/// Finds the pairs of repository and path, given the repository of each task and the number of
/// paths.
#[must_use]
pub fn pairs(rows: &Rows<'_>, path: &[i64], paths: usize, repository: &[usize]) -> Pairs {
    let mut found = Pairs {
        of_view: vec![0; path.len()],
        pairs: Vec::new(),
    };
    let mut numbers: FxHashMap<(usize, usize), u32> = FxHashMap::default();
    // The last pair of each path. Most paths occur in one repository and need no further table.
    let mut met = vec![(usize::MAX, 0); paths];
    for (row, &task) in rows.task.iter().enumerate() {
        let Ok(task) = usize::try_from(task) else {
            continue;
        };
        let repository = repository[task];
        let steps = rows.steps(row);
        let begin = rows.step_offsets[steps.start] as usize;
        let end = rows.step_offsets[steps.end] as usize;
        for view in (begin..end).chain(rows.final_views(row)) {
            let path = path[view] as usize;
            let (last, number) = &mut met[path];
            if *last != repository {
                *last = repository;
                *number = *numbers.entry((repository, path)).or_insert_with(|| {
                    found.pairs.push((repository, path));
                    found.pairs.len() as u32 - 1
                });
            }
            found.of_view[view] = *number;
        }
    }
    found
}
