//! How far agents get ahead of an oracle, with their benchmarks grouped by the parts of their names.
//!
//! What the levels are, and what counts, is told in the twin. Every string is looked at once, which
//! gives each name a function, each function a class and each class a module. After that an agent
//! costs one multiplication per benchmark: the products of a class are those of its functions.

mod names;

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
            for entry in offset(row)..offset(row + 1) {
                let (agent, oracle) = (ratios.agent[entry], ratios.oracle[entry]);
                if is_ratio(agent) && is_ratio(oracle) {
                    levels.add(ratios.benchmark[entry] as usize, agent, oracle);
                }
            }
            *figures = levels.take();
        }
        Ok(())
    })?;
    Ok(figures)
}

fn is_ratio(value: f64) -> bool {
    value > 0.0 && value < f64::INFINITY
}

/// Running products of one agent, by function; used again for the next agent.
struct Levels<'a> {
    groups: &'a Groups,
    functions: Table,
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
        let functions = Table::new(
            benchmarks
                .iter()
                .map(|&code| groups.function[code as usize]),
        );
        let classes = Table::new(functions.range().map(|function| groups.class_of[function]));
        let modules = Table::new(classes.range().map(|class| groups.module_of[class]));
        Ok(Self {
            groups,
            functions,
            classes,
            modules,
        })
    }

    fn add(&mut self, benchmark: usize, agent: f64, oracle: f64) {
        let pair = Pair {
            agent: Product::of_one(agent),
            oracle: Product::of_one(oracle),
        };
        self.functions
            .multiply(self.groups.function[benchmark], pair);
    }

    /// The figures of the agent; afterwards there are no entries.
    fn take(&mut self) -> Figures {
        for &(function, pair) in &self.functions.found {
            self.classes
                .multiply(self.groups.class_of[function as usize], pair);
        }
        for &(class, pair) in &self.classes.found {
            self.modules
                .multiply(self.groups.module_of[class as usize], pair);
        }
        let mut whole = Pair::EMPTY;
        for &(_, pair) in &self.modules.found {
            whole = whole.times(pair);
        }
        Figures {
            valid: whole.agent.count() as i64,
            speedup: whole.agent.mean(),
            advantage: [
                self.modules.take(),
                self.classes.take(),
                self.functions.take(),
                whole.lead(),
            ],
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

/// Pairs of the groups that have any, in the order in which these were met.
struct Table {
    /// Least number of a group.
    first: u32,
    /// Position of each group in `found`, or [`Table::ABSENT`].
    position: Vec<u32>,
    found: Vec<(u32, Pair)>,
}

impl Table {
    const ABSENT: u32 = u32::MAX;

    /// A table for these groups and all between them: numbers of one task mostly lie together.
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
            found: Vec::new(),
        }
    }

    fn range(&self) -> impl Iterator<Item = usize> {
        let first = self.first as usize;
        first..first + self.position.len()
    }

    fn multiply(&mut self, group: u32, pair: Pair) {
        let position = &mut self.position[(group - self.first) as usize];
        if *position == Self::ABSENT {
            *position = self.found.len() as u32;
            self.found.push((group, pair));
        } else {
            let (_, product) = &mut self.found[*position as usize];
            *product = product.times(pair);
        }
    }

    /// Mean lead over the groups, NaN without any; afterwards the table is empty.
    fn take(&mut self) -> f64 {
        let count = self.found.len() as f64;
        let mut mean = Sum::default();
        for (group, pair) in self.found.drain(..) {
            self.position[(group - self.first) as usize] = Self::ABSENT;
            mean.add(pair.lead() / count);
        }
        if count > 0.0 { mean.total() } else { f64::NAN }
    }
}

/// A sum that keeps what rounding loses (Neumaier), as the twin's exact one does.
#[derive(Default)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    fn total(&self) -> f64 {
        self.sum + self.lost
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
