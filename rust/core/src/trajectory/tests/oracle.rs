//! The definition, byte by byte: so simple that it is unlikely to be wrong.

use std::collections::HashSet;

/// Key, start and end of a span.
pub type Span = (i64, i64, i64);

/// A trajectory as lists: the spans of each step, and the gold.
#[derive(Debug, Clone, Default)]
pub struct Case {
    pub steps: Vec<Vec<Span>>,
    pub gold: Vec<Span>,
}

/// Size, added and gold added of each step, and the size of the gold.
pub type Answer = (Vec<(i64, i64, i64)>, i64);

pub fn answer(case: &Case) -> Answer {
    let gold: HashSet<(i64, i64)> = bytes(&case.gold).collect();
    let mut seen = HashSet::new();
    let mut steps = Vec::new();
    for spans in &case.steps {
        let own: HashSet<(i64, i64)> = bytes(spans).collect();
        let added: Vec<_> = own.difference(&seen).copied().collect();
        let gold_added = added.iter().filter(|byte| gold.contains(byte)).count();
        steps.push((own.len() as i64, added.len() as i64, gold_added as i64));
        seen.extend(added);
    }
    (steps, gold.len() as i64)
}

fn bytes(spans: &[Span]) -> impl Iterator<Item = (i64, i64)> {
    spans
        .iter()
        .flat_map(|&(key, start, end)| (start..end).map(move |byte| (key, byte)))
}
