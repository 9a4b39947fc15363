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
