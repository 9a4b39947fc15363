//! Every benchmark of many attempts, as columns.

use super::entry::{Entry, Ratio, Reason};

/// Benchmarks, one after another.
#[derive(Debug, Default)]
pub struct Benchmarks {
    /// Their names, one after another.
    pub names: Vec<u8>,
    /// Bytes of each name.
    pub name_length: Vec<i64>,
    /// Ratio with the agent's change; NaN if it is missing, as the others are.
    pub agent: Vec<f64>,
    /// Ratio with the reference solution.
    pub oracle: Vec<f64>,
    /// The first minus the second.
    pub advantage: Vec<f64>,
    /// Whether the change was significant.
    pub significant: Vec<Option<bool>>,
    /// Whether the agent's ratio is that of an agent that changed nothing.
    pub is_fallback: Vec<bool>,
    /// Why it does not count.
    pub invalid: Vec<Option<Reason>>,
}

impl Benchmarks {
    /// Reserves memory for a number of benchmarks.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            names: Vec::new(),
            name_length: Vec::with_capacity(count),
            agent: Vec::with_capacity(count),
            oracle: Vec::with_capacity(count),
            advantage: Vec::with_capacity(count),
            significant: Vec::with_capacity(count),
            is_fallback: Vec::with_capacity(count),
            invalid: Vec::with_capacity(count),
        }
    }

    /// Adds a benchmark.
    pub(super) fn push(
        &mut self,
        name: &str,
        entry: &Entry,
        is_reverted: bool,
        fault: Option<Reason>,
    ) {
        let number = |ratio: Ratio| ratio.unwrap_or(f64::NAN);
        let (agent, oracle) = (number(entry.agent), number(entry.oracle));
        self.names.extend_from_slice(name.as_bytes());
        self.name_length.push(name.len() as i64);
        self.agent.push(agent);
        self.oracle.push(oracle);
        self.advantage.push(agent - oracle);
        self.significant.push(entry.significant);
        self.is_fallback.push(is_reverted && entry.agent.is_ok());
        self.invalid.push(fault);
    }

    /// Adds those that follow.
    pub(super) fn append(&mut self, mut more: Self) {
        self.names.append(&mut more.names);
        self.name_length.append(&mut more.name_length);
        self.agent.append(&mut more.agent);
        self.oracle.append(&mut more.oracle);
        self.advantage.append(&mut more.advantage);
        self.significant.append(&mut more.significant);
        self.is_fallback.append(&mut more.is_fallback);
        self.invalid.append(&mut more.invalid);
    }
}
