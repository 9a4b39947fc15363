//! Lead of agents over an oracle, with benchmarks grouped by the parts of their names.
//!
//! The twin defines the levels and which entries count. A name is parsed when it is first seen,
//! which assigns its function, class and module. After that an entry costs one multiplication per
//! ratio: the product of a class is the product of those of its functions, and so on upwards.

mod names;

use std::ops::Range;

pub use names::Alphabet;
use names::Groups;

use crate::means::Product;
use crate::{Error, Result, pool};

/// Names of benchmarks, as UTF-8: name `i` is `text[offsets[i]..offsets[i + 1]]`.
pub struct Names<'a> {
    /// The names, one after another.
    pub text: &'a [u8],
    /// Start of each name, followed by the end of the last.
    pub offsets: &'a [i64],
}

impl<'a> Names<'a> {
    fn text(&self, index: usize) -> &'a [u8] {
        &self.text[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

/// Ratios of many agents: agent `i` has the entries `offsets[i]..offsets[i + 1]`.
pub struct Ratios<'a> {
    /// Index of the name of each entry.
    pub benchmark: &'a [i64],
    /// The agent's ratio of each entry.
    pub agent: &'a [f64],
    /// The oracle's ratio of each entry.
    pub oracle: &'a [f64],
    /// Start of each agent's entries, followed by the end of the last.
    pub offsets: &'a [i64],
}

/// Figures of one agent; NaN if no entry counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Figures {
    /// Entries whose ratios are both finite and above 0.
    pub valid: i64,
    /// Geometric mean of the agent's ratios.
    pub speedup: f64,
    /// Advantage at the levels 1 to 4.
    pub advantage: [f64; 4],
}

/// Averages the ratios of each agent over all its benchmarks, and over groups of them.
///
/// # Errors
///
/// [`Error::Code`] for the first entry whose name does not exist.
pub fn level_advantages(
    names: &Names,
    alphabet: &Alphabet,
    ratios: &Ratios,
) -> Result<Vec<Figures>> {
    let mut figures = vec![Figures::default(); ratios.offsets.len() - 1];
    pool::fill_rows(ratios.offsets, &mut figures, |rows, out| {
        let offset = |row: usize| ratios.offsets[row] as usize;
        let used = names_used(names, ratios, offset(rows.start)..offset(rows.end))?;
        let mut levels = Levels::new(Groups::new(names, alphabet, used));
        for (figures, row) in out.iter_mut().zip(rows) {
            *figures = levels.figures(ratios, offset(row)..offset(row + 1));
        }
        Ok(())
    })?;
    Ok(figures)
}

/// Returns the range of names that the entries use.
fn names_used(names: &Names, ratios: &Ratios, entries: Range<usize>) -> Result<Range<usize>> {
    let codes = &ratios.benchmark[entries.clone()];
    let (mut least, mut greatest) = (i64::MAX, -1);
    for &code in codes {
        least = least.min(code);
        greatest = greatest.max(code);
    }
    let count = names.offsets.len() - 1;
    if codes.is_empty() {
        return Ok(0..0);
    }
    if least >= 0 && (greatest as usize) < count {
        return Ok(least as usize..greatest as usize + 1);
    }
    let is_bad = |code: i64| usize::try_from(code).map_or(true, |code| code >= count);
    let (index, code) = entries
        .zip(codes)
        .find_map(|(index, &code)| is_bad(code).then_some((index, code)))
        .unwrap_or_default();
    Err(Error::Code {
        what: "benchmark",
        index,
        code,
        count,
    })
}

fn is_ratio(value: f64) -> bool {
    value > 0.0 && value < f64::INFINITY
}

/// Buffers for grouping the entries of an agent, reused for the next agent.
struct Levels<'a> {
    groups: Groups<'a>,
    functions: Table,
    classes: Table,
    modules: Table,
}

impl<'a> Levels<'a> {
    fn new(groups: Groups<'a>) -> Self {
        Self {
            groups,
            functions: Table::default(),
            classes: Table::default(),
            modules: Table::default(),
        }
    }

    /// Computes the figures of one agent.
    fn figures(&mut self, ratios: &Ratios, entries: Range<usize>) -> Figures {
        let (groups, classes, modules) = (&mut self.groups, &mut self.classes, &mut self.modules);
        for entry in entries {
            let (agent, oracle) = (ratios.agent[entry], ratios.oracle[entry]);
            if is_ratio(agent) && is_ratio(oracle) {
                let function = groups.function(ratios.benchmark[entry] as usize);
                let pair = self.functions.pair(function);
                pair.agent = pair.agent.with(agent);
                pair.oracle = pair.oracle.with(oracle);
            }
        }
        let by_function = self.functions.take(|function, products| {
            classes.pair(groups.class_of(function)).multiply(products);
        });
        let by_class = classes.take(|class, products| {
            modules.pair(groups.module_of(class)).multiply(products);
        });
        let mut whole = Pair::EMPTY;
        let by_module = modules.take(|_, products| whole.multiply(products));
        Figures {
            valid: whole.agent.count() as i64,
            speedup: whole.agent.mean(),
            advantage: [by_module, by_class, by_function, whole.lead()],
        }
    }
}

/// Products of the agent's and of the oracle's ratios in a group.
#[derive(Clone, Copy)]
struct Pair {
    agent: Product,
    oracle: Product,
}

impl Pair {
    const EMPTY: Self = Self {
        agent: Product::EMPTY,
        oracle: Product::EMPTY,
    };

    fn multiply(&mut self, other: &Self) {
        self.agent = self.agent.times(other.agent);
        self.oracle = self.oracle.times(other.oracle);
    }

    fn lead(&self) -> f64 {
        self.agent.mean() - self.oracle.mean()
    }
}

/// Products of an agent's groups, in the order of first appearance.
#[derive(Default)]
struct Table {
    /// Position of each group, or [`Table::ABSENT`].
    position: Vec<u32>,
    /// The groups seen so far, with their products.
    met: Vec<(u32, Pair)>,
}

impl Table {
    const ABSENT: u32 = u32::MAX;

    /// Returns the products of a group, which start empty.
    fn pair(&mut self, group: u32) -> &mut Pair {
        let group_index = group as usize;
        if group_index >= self.position.len() {
            self.position.resize(group_index + 1, Self::ABSENT);
        }
        let position = &mut self.position[group_index];
        if *position == Self::ABSENT {
            *position = self.met.len() as u32;
            self.met.push((group, Pair::EMPTY));
        }
        &mut self.met[*position as usize].1
    }

    /// Returns the mean lead over the groups, passes the products of each to `next`, and clears the
    /// table.
    fn take(&mut self, mut next: impl FnMut(u32, &Pair)) -> f64 {
        let mut leads = Leads::of(self.met.len());
        for (group, products) in &self.met {
            self.position[*group as usize] = Self::ABSENT;
            leads.add(products.lead());
            next(*group, products);
        }
        self.met.clear();
        leads.mean()
    }
}

/// A mean of leads with compensated summation (Neumaier), as accurate as the twin's exact sum.
struct Leads {
    count: f64,
    sum: f64,
    lost: f64,
}

impl Leads {
    fn of(count: usize) -> Self {
        Self {
            count: count as f64,
            sum: 0.0,
            lost: 0.0,
        }
    }

    fn add(&mut self, lead: f64) {
        // Dividing before adding keeps the sum below the greatest double.
        let lead = lead / self.count;
        let sum = self.sum + lead;
        self.lost += if self.sum.abs() >= lead.abs() {
            (self.sum - sum) + lead
        } else {
            (lead - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Returns the mean; NaN if there are no leads.
    fn mean(&self) -> f64 {
        if self.count > 0.0 {
            self.sum + self.lost
        } else {
            f64::NAN
        }
    }
}

#[cfg(test)]
mod tests;
