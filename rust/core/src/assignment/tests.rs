use super::assign;

/// Returns the greatest total over all assignments, tried one by one.
fn naive(weights: &[f64], columns: usize, full: bool) -> f64 {
    fn best(rows: &[&[f64]], taken: &mut Vec<bool>, skips: usize, full: bool) -> f64 {
        let Some((row, rest)) = rows.split_first() else {
            return 0.0;
        };
        let mut total = if full && skips == 0 {
            f64::NEG_INFINITY
        } else {
            best(rest, taken, skips.saturating_sub(1), full)
        };
        for column in 0..row.len() {
            if !taken[column] {
                taken[column] = true;
                total = total.max(row[column] + best(rest, taken, skips, full));
                taken[column] = false;
            }
        }
        total
    }
    let rows: Vec<&[f64]> = weights.chunks(columns).collect();
    let skips = rows.len().saturating_sub(columns);
    best(&rows, &mut vec![false; columns], skips, full)
}

#[test]
fn agrees_with_trying_everything() {
    let mut state = 7_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from((state >> 40) as u32 % 13) - 4.0
    };
    for (rows, columns) in [
        (1, 1),
        (1, 4),
        (4, 1),
        (3, 3),
        (2, 5),
        (5, 2),
        (5, 5),
        (4, 6),
    ] {
        for _ in 0..50 {
            let weights: Vec<f64> = (0..rows * columns).map(|_| next()).collect();
            for full in [false, true] {
                let pairs = assign(&weights, rows, columns, full).unwrap_or_default();
                assert_eq!(pairs.len(), rows);
                let made = pairs.iter().enumerate().filter(|pair| *pair.1 >= 0);
                let total: f64 = made
                    .map(|(row, &column)| weights[row * columns + column as usize])
                    .sum();
                assert!((total - naive(&weights, columns, full)).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn nothing_to_pair() {
    assert_eq!(assign(&[], 0, 3, true), Ok(vec![]));
    assert_eq!(assign(&[], 2, 0, true), Ok(vec![-1, -1]));
}
