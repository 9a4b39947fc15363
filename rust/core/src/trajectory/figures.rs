//! Coverage, AUC-coverage and redundancy, as quotients of the sizes of steps.

/// Figures of many trajectories.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Per step: share of the gold seen so far; NaN without gold.
    pub coverage: Vec<f64>,
    /// Per trajectory: mean of its steps' coverage; NaN without gold or without steps.
    pub auc_coverage: Vec<f64>,
    /// Per trajectory: share of the viewed bytes that an earlier step had seen; 0 if nothing was
    /// viewed, NaN without steps.
    pub redundancy: Vec<f64>,
}

/// Computes the figures from the sizes of steps. Trajectory i has the steps from
/// `trajectory_offsets[i]` to `trajectory_offsets[i + 1]`, relative to the first offset.
#[must_use]
pub fn trajectory_figures(
    size: &[i64],
    added: &[i64],
    gold_added: &[i64],
    gold_size: &[i64],
    trajectory_offsets: &[i64],
) -> Figures {
    let mut figures = Figures {
        coverage: Vec::with_capacity(size.len()),
        auc_coverage: Vec::with_capacity(gold_size.len()),
        redundancy: Vec::with_capacity(gold_size.len()),
    };
    let base = trajectory_offsets[0];
    for (bounds, &gold) in trajectory_offsets.windows(2).zip(gold_size) {
        let steps = (bounds[0] - base) as usize..(bounds[1] - base) as usize;
        let count = steps.len() as i128;
        let (mut found, mut found_so_far) = (0, 0);
        for &part in &gold_added[steps.clone()] {
            found += i128::from(part);
            found_so_far += found;
            figures.coverage.push(share(found, gold.into()));
        }
        let auc_coverage = share(found_so_far, count * i128::from(gold));
        figures.auc_coverage.push(auc_coverage);
        let looked = sum(&size[steps.clone()]);
        figures.redundancy.push(if count > 0 && looked == 0 {
            0.0
        } else {
            share(looked - sum(&added[steps]), looked)
        });
    }
    figures
}

fn sum(values: &[i64]) -> i128 {
    values.iter().map(|&value| i128::from(value)).sum()
}

fn share(part: i128, whole: i128) -> f64 {
    if whole == 0 {
        f64::NAN
    } else {
        part as f64 / whole as f64
    }
}
