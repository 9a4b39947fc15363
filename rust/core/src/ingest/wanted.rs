//! The set of columns that are kept.

/// Names of the wanted columns; columns in records are `record.column`.
#[derive(Clone, Debug)]
pub struct Wanted(Vec<String>);

impl Wanted {
    /// Creates the set from names.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self(names)
    }

    /// Returns whether the column is wanted, or a column below it, or a record that contains it.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let holds = |outer: &str, inner: &str| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut names = self.0.iter();
        names.any(|name| holds(name, path) || holds(path, name))
    }
}
