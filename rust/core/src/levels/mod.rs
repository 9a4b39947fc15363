//! How far agents get ahead of an oracle, with their benchmarks grouped by the parts of their names.
//!
//! What the levels are, and what counts, is told in the twin. Every string is looked at once, which
//! gives each name a function, each function a class and each class a module. After that an agent's
//! ratios are laid side by side by function and multiplied once: the product of a class is that of
//! its functions, and so on up.

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
    /// Where each begins and ends.
    pub offsets: &'a [i64],
}

/// Ratios of many agents: agent `i` has the entries `offsets[i]..offsets[i + 1]`.
pub struct Ratios<'a> {
    /// Which name each entry has.
    pub benchmark: &'a [i64],
    /// The agent's ratio of each entry.
    pub agent: &'a [f64],
    /// The oracle's ratio of each entry.
    pub oracle: &'a [f64],
    /// Where each agent's entries begin and end.
    pub offsets: &'a [i64],
}

/// Figures of one agent; NaN where no entry counts.
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
    let groups = Groups::of(names.text, names.offsets, alphabet);
    let mut figures = vec![Figures::default(); ratios.offsets.len() - 1];
    pool::fill_rows(ratios.offsets, &mut figures, |rows, out| {
        let offset = |row: usize| ratios.offsets[row] as usize;
        let entries = offset(rows.start)..offset(rows.end);
        let mut levels = Levels::new(&groups, &ratios.benchmark[entries.clone()], entries.start)?;
        for (figures, row) in out.iter_mut().zip(rows) {
            *figures = levels.figures(ratios, offset(row)..offset(row + 1))?;
        }
        Ok(())
    })?;
    Ok(figures)
}

fn is_ratio(value: f64) -> bool {
    value > 0.0 && value < f64::INFINITY
}

/// What it takes to group the entries of an agent; used again for the next agent.
struct Levels<'a> {
    groups: &'a Groups,
    functions: Functions,
    classes: Table,
    modules: Table,
}

impl<'a> Levels<'a> {
    /// Room for the groups of these benchmarks, which begin at `base`.
    fn new(groups: &'a Groups, benchmarks: &[i64], base: usize) -> Result<Self> {
        let count = groups.function.len();
        for (index, &code) in (base..).zip(benchmarks) {
            if usize::try_from(code).map_or(true, |code| code >= count) {
                return Err(Error::Code {
                    what: "benchmark",
                    index,
                    code,
                    count,
                });
            }
        }
        let function = |code: &i64| groups.function[*code as usize];
        let functions = Slots::new(benchmarks.iter().map(function));
        let classes = Slots::new(functions.range().map(|function| groups.class_of[function]));
        let modules = Slots::new(classes.range().map(|class| groups.module_of[class]));
        Ok(Self {
            groups,
            functions: Functions::new(functions),
            classes: Table::new(classes),
            modules: Table::new(modules),
        })
    }

    /// The figures of one agent.
    fn figures(&mut self, ratios: &Ratios, entries: Range<usize>) -> Result<Figures> {
        for entry in entries {
            let (agent, oracle) = (ratios.agent[entry], ratios.oracle[entry]);
            if is_ratio(agent) && is_ratio(oracle) {
                let benchmark = ratios.benchmark[entry] as usize;
                let function = self.groups.function[benchmark];
                self.functions.add(function, agent, oracle);
            }
        }
        let classes = &mut self.classes;
        let by_function = self.functions.take(|function, pair| {
            classes.multiply(self.groups.class_of[function as usize], pair);
        })?;
        let modules = &mut self.modules;
        let by_class = classes.take(|class, pair| {
            modules.multiply(self.groups.module_of[class as usize], pair);
        });
        let mut whole = Pair::EMPTY;
        let by_module = modules.take(|_, pair| whole = whole.times(pair));
        Ok(Figures {
            valid: whole.agent.count() as i64,
            speedup: whole.agent.mean(),
            advantage: [by_module, by_class, by_function, whole.lead()],
        })
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

    fn times(self, other: Self) -> Self {
        Self {
            agent: self.agent.times(other.agent),
            oracle: self.oracle.times(other.oracle),
        }
    }

    fn lead(self) -> f64 {
        self.agent.mean() - self.oracle.mean()
    }
}

/// Positions of groups, in the order in which they are met.
struct Slots {
    /// Least number of a group.
    first: u32,
    /// Position of each group from `first` on, or [`Slots::ABSENT`].
    position: Vec<u32>,
    /// The groups that were met.
    met: Vec<u32>,
}

impl Slots {
    const ABSENT: u32 = u32::MAX;

    /// Room for these groups and all between them: numbers of one task mostly lie together.
    fn new(groups: impl Iterator<Item = u32>) -> Self {
        let (first, last) = groups.fold((u32::MAX, 0), |(first, last), group| {
            (first.min(group), last.max(group))
        });
        let length = if first <= last {
            (last - first) as usize + 1
        } else {
            0
        };
        Self {
            first,
            position: vec![Self::ABSENT; length],
            met: Vec::new(),
        }
    }

    /// All groups there is room for.
    fn range(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.position.len()
    }

    /// Position of a group, and whether it is met for the first time.
    fn position(&mut self, group: u32) -> (usize, bool) {
        let position = &mut self.position[(group - self.first) as usize];
        let is_new = *position == Self::ABSENT;
        if is_new {
            *position = self.met.len() as u32;
            self.met.push(group);
        }
        (*position as usize, is_new)
    }

    /// Forgets what was met.
    fn clear(&mut self) {
        for group in self.met.drain(..) {
            self.position[(group - self.first) as usize] = Self::ABSENT;
        }
    }
}

/// Ratios of one agent by function.
struct Functions {
    slots: Slots,
    /// Position of its function, agent's ratio and oracle's ratio of each entry.
    entries: Vec<(u32, f64, f64)>,
    /// How many entries each function has; then where its next one goes.
    counts: Vec<u32>,
    /// The agent's ratios, those of a function side by side.
    agent: Vec<f64>,
    /// The oracle's ratios in the same order.
    oracle: Vec<f64>,
}

impl Functions {
    fn new(slots: Slots) -> Self {
        Self {
            slots,
            entries: Vec::new(),
            counts: Vec::new(),
            agent: Vec::new(),
            oracle: Vec::new(),
        }
    }

    fn add(&mut self, function: u32, agent: f64, oracle: f64) {
        let (position, is_new) = self.slots.position(function);
        if is_new {
            self.counts.push(0);
        }
        self.counts[position] += 1;
        self.entries.push((position as u32, agent, oracle));
    }

    /// Mean lead over the functions, giving the products of each to `next`; then there are none.
    fn take(&mut self, mut next: impl FnMut(u32, Pair)) -> Result<f64> {
        let mut begin = 0;
        for count in &mut self.counts {
            begin += std::mem::replace(count, begin);
        }
        self.agent.resize(self.entries.len(), 0.0);
        self.oracle.resize(self.entries.len(), 0.0);
        for (position, agent, oracle) in self.entries.drain(..) {
            let place = &mut self.counts[position as usize];
            self.agent[*place as usize] = agent;
            self.oracle[*place as usize] = oracle;
            *place += 1;
        }
        let mut leads = Leads::of(self.counts.len());
        let mut begin = 0;
        for (&function, end) in self.slots.met.iter().zip(self.counts.drain(..)) {
            let pair = Pair {
                agent: Product::of(&self.agent, begin..end as usize)?,
                oracle: Product::of(&self.oracle, begin..end as usize)?,
            };
            begin = end as usize;
            leads.add(pair);
            next(function, pair);
        }
        self.slots.clear();
        Ok(leads.mean())
    }
}

/// Products of an agent's groups.
struct Table {
    slots: Slots,
    pairs: Vec<Pair>,
}

impl Table {
    fn new(slots: Slots) -> Self {
        Self {
            slots,
            pairs: Vec::new(),
        }
    }

    fn multiply(&mut self, group: u32, pair: Pair) {
        let (position, is_new) = self.slots.position(group);
        if is_new {
            self.pairs.push(pair);
        } else {
            self.pairs[position] = self.pairs[position].times(pair);
        }
    }

    /// Mean lead over the groups, giving the products of each to `next`; then there are none.
    fn take(&mut self, mut next: impl FnMut(u32, Pair)) -> f64 {
        let mut leads = Leads::of(self.pairs.len());
        for (&group, pair) in self.slots.met.iter().zip(self.pairs.drain(..)) {
            leads.add(pair);
            next(group, pair);
        }
        self.slots.clear();
        leads.mean()
    }
}

/// A mean of leads that keeps what rounding loses (Neumaier), as the twin's exact sum does.
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

    fn add(&mut self, pair: Pair) {
        // Divided before they are added up, the leads cannot exceed the greatest double.
        let lead = pair.lead() / self.count;
        let sum = self.sum + lead;
        self.lost += if self.sum.abs() >= lead.abs() {
            (self.sum - sum) + lead
        } else {
            (lead - sum) + self.sum
        };
        self.sum = sum;
    }

    /// The mean; NaN of none.
    fn mean(&self) -> f64 {
        if self.count > 0.0 {
            self.sum + self.lost
        } else {
            f64::NAN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, Figures, Names, Ratios, level_advantages};
    use crate::Error;

    const NAMES: [&str; 4] = ["m.A.time_x(1)", "m.A.time_x(2)", "m.A.time_y", "n.time_z"];

    fn figures(
        benchmark: &[i64],
        agent: &[f64],
        oracle: &[f64],
        offsets: &[i64],
    ) -> Result<Vec<Figures>, Error> {
        let text = NAMES.concat();
        let mut ends = vec![0];
        for name in NAMES {
            ends.push(ends[ends.len() - 1] + name.len() as i64);
        }
        level_advantages(
            &Names {
                text: text.as_bytes(),
                offsets: &ends,
            },
            &Alphabet::new("AB", " "),
            &Ratios {
                benchmark,
                agent,
                oracle,
                offsets,
            },
        )
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-14
    }

    #[test]
    fn four_benchmarks() {
        let agent = [2.0, 8.0, 1.0, 1.5];
        let oracle = [1.0, 4.0, 2.0, 3.0];
        let figures = figures(&[0, 1, 2, 3], &agent, &oracle, &[0, 4]);
        assert!(figures.is_ok_and(|figures| {
            let [first] = figures[..] else { return false };
            // Both products are 24. Modules: (2 * 8 * 1)^(1/3) - (1 * 4 * 2)^(1/3) and 1.5 - 3.
            let modules = (16.0_f64.cbrt() - 2.0 - 1.5) / 2.0;
            // Functions: 4 - 2, 1 - 2 and 1.5 - 3.
            let functions = (2.0 - 1.0 - 1.5) / 3.0;
            first.valid == 4
                && close(first.speedup, 24.0_f64.powf(0.25))
                && close(first.advantage[0], modules)
                && close(first.advantage[1], modules)
                && close(first.advantage[2], functions)
                && close(first.advantage[3], 0.0)
        }));
    }

    #[test]
    fn what_is_no_ratio_does_not_count() {
        let bad = [0.0, -1.0, f64::NAN, f64::INFINITY];
        let good = [2.0; 4];
        for (agent, oracle) in [(bad, good), (good, bad)] {
            let figures = figures(&[0, 1, 2, 3], &agent, &oracle, &[0, 4, 4]);
            assert!(figures.is_ok_and(|figures| {
                figures.iter().all(|row| {
                    let nothing = row.advantage.iter().all(|level| level.is_nan());
                    row.valid == 0 && row.speedup.is_nan() && nothing
                })
            }));
        }
    }

    #[test]
    fn a_name_that_does_not_exist_is_refused() {
        for code in [-1, 4, i64::MAX] {
            let error = figures(&[0, code], &[1.0; 2], &[1.0; 2], &[0, 2]).map_err(|error| {
                let code = error.code();
                (code, error.to_string())
            });
            let message = format!(
                "benchmark 1 is {code}, expected at least 0 and less than 4, \
                 the number of benchmarks"
            );
            assert!(error.is_err_and(|error| error == ("invalid_input", message)));
        }
    }
}
