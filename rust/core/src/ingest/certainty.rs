//! Refusing what only the record reader reads with certainty.

/// What was read; `None` refuses the record, which is then left to the record reader.
pub(super) type Certain<T> = Option<T>;

/// Refuses the record unless `condition` holds.
pub(super) fn require(condition: bool) -> Certain<()> {
    condition.then_some(())
}
