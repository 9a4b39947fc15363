//! The spans of a short trajectory in the order of their places, each with its step.
//!
//! Of a trajectory that is known as a whole, most spans meet no other. Sorted by place they fall into
//! groups that share no place, and a group of one span, or of one span several times, is measured
//! without a search. Only the rest goes through pieces, a group at a time.

use super::Span;

/// Bits of a key, of a start and of the number of a span in one number.
const KEY: u32 = 21;
const START: u32 = 32;
const NUMBER: u32 = 11;
const NUMBERS: u64 = (1 << NUMBER) - 1;

/// Memory for the spans of a trajectory at one granularity.
#[derive(Debug, Clone, Default)]
pub(super) struct Sweep {
    /// Key, start and number of each span: in order once they are sorted.
    order: Vec<u64>,
    /// Step of each span.
    steps: Vec<u32>,
    group: Vec<u64>,
    step: Vec<Span>,
    /// What each step found of gold that no step before it had.
    pub found: Vec<i64>,
}

/// Spans that share places with one another, and with no others.
pub(super) enum Group<'a> {
    /// A span, in its first step and in so many steps.
    Alike(Span, usize, i64),
    /// The spans of a step among others, steps in order.
    Step(&'a mut [Span], usize),
    /// There are no more of a step.
    End,
}

impl Sweep {
    /// Takes the spans of steps that end at `ends`; `false` if their numbers are too large for this.
    pub fn sort(&mut self, spans: &[Span], ends: &[i64]) -> bool {
        if spans.len() > NUMBERS as usize {
            return false;
        }
        self.order.clear();
        self.steps.clear();
        self.found.clear();
        self.found.resize(ends.len(), 0);
        let mut large = 0;
        let mut begin = 0;
        for (step, &end) in ends.iter().enumerate() {
            for (number, span) in (begin..).zip(&spans[begin..end as usize]) {
                let (key, start) = (span.key as u64, span.start as u64);
                large |= key >> KEY | start >> START;
                self.order
                    .push(key << (START + NUMBER) | start << NUMBER | number as u64);
                self.steps.push(step as u32);
            }
            begin = end as usize;
        }
        if large == 0 {
            self.order.sort_unstable();
        }
        large == 0
    }

    /// Calls `found` with the groups of the spans that were sorted.
    pub fn groups(&mut self, spans: &[Span], mut found: impl FnMut(Group<'_>, &mut [i64])) {
        let Self {
            order,
            steps,
            group,
            step,
            found: of_gold,
        } = self;
        let number = |place: &u64| (place & NUMBERS) as usize;
        let mut rest = &order[..];
        while let Some(first) = rest.first() {
            let span = spans[number(first)];
            let mut reach = span.end;
            let mut alike = true;
            let met = rest[1..].iter().take_while(|place| {
                let next = spans[number(place)];
                let meets = next.key == span.key && next.start < reach;
                if meets {
                    alike &= next == span;
                    reach = reach.max(next.end);
                }
                meets
            });
            let count = 1 + met.count();
            let members;
            (members, rest) = rest.split_at(count);
            let first_step = steps[number(first)] as usize;
            if alike {
                // They are in the order of their numbers, and so of their steps.
                let of = |place: &u64| steps[number(place)];
                let changes = members.windows(2).filter(|two| of(&two[0]) != of(&two[1]));
                let several = 1 + changes.count() as i64;
                found(Group::Alike(span, first_step, several), of_gold);
                continue;
            }
            group.clear();
            group.extend(members.iter().map(|place| place & NUMBERS));
            group.sort_unstable();
            for numbers in group.chunk_by(|&one, &next| steps[one as usize] == steps[next as usize])
            {
                step.clear();
                step.extend(numbers.iter().map(|&number| spans[number as usize]));
                let at = steps[numbers[0] as usize] as usize;
                found(Group::Step(step, at), of_gold);
            }
            found(Group::End, of_gold);
        }
    }
}
