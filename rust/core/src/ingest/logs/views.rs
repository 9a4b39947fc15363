//! Views of files that the commands of a run showed, by paths in the repository.

use std::rc::Rc;

use super::observations::Uncertain;
use super::record::Turn;
use crate::shell::{Executed, Leak, View, may_be_in_repository, shell_views};

/// Exit statuses of runs that end before the model is sent the last output: limits are checked
/// before the model is asked again.
const LOOKED_AT_BEFORE: [&str; 2] = ["LimitsExceeded", "TimeExceeded"];

/// The folder in which every command of a run starts, and the views of commands run there.
pub(super) struct Folder<'a> {
    start: Option<&'a str>,
    /// The repository below the folder, in Multi-SWE-bench's containers.
    repository: Option<&'a str>,
    /// Leaks so far, each with the number of its turn.
    pub leaks: Vec<(usize, Leak)>,
}

impl<'a> Folder<'a> {
    pub(super) fn new(folder: Option<&'a str>, repository: Option<&'a str>) -> Self {
        Self {
            start: folder,
            repository,
            leaks: Vec::new(),
        }
    }

    /// Adds the views of a command of a turn, and its leaks.
    pub(super) fn see(
        &mut self,
        turn: usize,
        executed: &Executed<'_>,
        views: &mut Vec<View>,
    ) -> Result<(), Uncertain> {
        // The twin decides which files of a repository below `/tmp` are views.
        if self.start.is_some_and(|start| !may_be_in_repository(start)) {
            return Err(Uncertain);
        }
        let executed = Executed {
            folder: self.start,
            ..*executed
        };
        let mut shown = shell_views(&executed).map_err(|_| Uncertain)?;
        let leaks = shown.leaks.into_iter().map(|leak| (turn, leak));
        self.leaks.extend(leaks);
        let mut last: Option<(Rc<str>, Rc<str>)> = None;
        for View { path, .. } in &mut shown.views {
            let known = last.take().filter(|(own, _)| Rc::ptr_eq(own, path));
            let (_, below) = last.insert(known.unwrap_or_else(|| (path.clone(), self.path(path))));
            path.clone_from(below);
        }
        views.append(&mut shown.views);
        Ok(())
    }

    fn path(&self, path: &Rc<str>) -> Rc<str> {
        let below = self.start.and_then(|folder| below(path, folder));
        let Some(below) = below else {
            return path.clone();
        };
        let repository = self.repository.and_then(|name| self::below(below, name));
        repository.unwrap_or(below).into()
    }
}

/// Returns a path relative to a folder that contains it.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Converts turns to steps. A turn that ran commands without showing a file has an empty list of
/// views.
pub(super) fn as_steps(turns: &mut [Turn<'_>], exit_status: Option<&str>) {
    for turn in &mut *turns {
        turn.views = turn.views.take().filter(|views| !views.is_empty());
    }
    if exit_status.is_some_and(|status| LOOKED_AT_BEFORE.contains(&status)) {
        if let Some(last) = turns.last_mut() {
            last.views = None;
        }
    }
    if turns.iter().all(|turn| turn.views.is_none()) {
        for turn in turns.iter_mut().filter(|turn| turn.program.is_some()) {
            turn.views = Some(Vec::new());
        }
    }
}
