//! Which columns are kept.

/// Names of the columns that are to be kept, those within records behind a dot.
#[derive(Clone, Debug)]
pub struct Wanted(Vec<String>);

impl Wanted {
    /// The names.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self(names)
    }

    /// Whether the column is wanted, or anything below it, or all of the record it is in.
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
