//! Sweeps over the spans of a short trajectory in order of position.
//!
//! In a complete trajectory, most spans overlap no other. Sorted by position, they form groups that
//! do not overlap each other, and a group of a single span, possibly repeated, is measured without
//! a search. Only the other groups need pieces.

use super::Span;

/// Bits of a key, of a start and of a span's number, packed into one number.
const KEY: u32 = 21;
const START: u32 = 32;
const NUMBER: u32 = 11;
const NUMBERS: u64 = (1 << NUMBER) - 1;

/// Working memory for the spans of a trajectory at one granularity.
#[derive(Debug, Clone, Default)]
pub(super) struct Sweep {
    /// Key, start and number of each span, sorted.
    order: Vec<u64>,
    /// Step of each span.
    steps: Vec<u32>,
    group: Vec<u64>,
    step: Vec<Span>,
    /// Gold found by each step but by no earlier step.
    pub found: Vec<i64>,
}

/// Spans that overlap one another and no others.
pub(super) enum Group<'a> {
    /// A single span, with its first step and the number of steps it occurs in.
    Alike(Span, usize, i64),
    /// The spans of one step of a group; steps arrive in order.
    Step(&'a mut [Span], usize),
    /// The end of such a group.
    End,
}

impl Sweep {
    /// Sorts the spans of steps that end at `ends`; returns `false` if their numbers are too large.
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

    /// Calls `found` with the groups of the sorted spans.
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
                // They are in order of their numbers, and so of their steps.
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
