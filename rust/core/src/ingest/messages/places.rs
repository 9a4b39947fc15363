//! Positions of the columns that messages fill.

use super::super::shape::Shape;
use super::super::{item, place};

/// Positions of the columns that messages fill.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Places {
    pub agent: usize,
    pub attempt: usize,
    pub transcript: usize,
    pub final_output: usize,
    pub passed: usize,
    pub metadata: usize,
    pub leaks: usize,
    pub leak: LeakPlaces,
    pub usage: usize,
    pub usage_fields: UsagePlaces,
    pub duration: usize,
    pub failure: usize,
    pub failure_reason: usize,
    pub failure_message: usize,
    pub turn: TurnPlaces,
}

#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct LeakPlaces {
    pub kind: usize,
    pub evidence: usize,
    pub turn: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct TurnPlaces {
    pub program: usize,
    pub text: usize,
    pub success: usize,
    pub error: usize,
    pub error_reason: usize,
    pub error_message: usize,
    pub agent: usize,
    pub calls: usize,
    pub call: CallPlaces,
    pub usage: usize,
    pub usage_fields: UsagePlaces,
    pub duration: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct CallPlaces {
    pub name: usize,
    pub arguments: usize,
    pub id: usize,
    pub result: usize,
    pub duration: usize,
    pub success: usize,
    pub error: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct UsagePlaces {
    pub counts: [usize; 6],
    pub cost: usize,
}

const COUNTS: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "total_tokens",
];

impl Places {
    pub(in super::super) fn of(shape: &Shape) -> Result<Self, String> {
        let usage = place(shape, "usage")?;
        let failure = place(shape, "failure")?;
        let leaks = place(shape, "leaks")?;
        let about = &shape.members[failure].shape;
        Ok(Self {
            agent: place(shape, "agent")?,
            attempt: place(shape, "attempt")?,
            transcript: place(shape, "transcript")?,
            final_output: place(shape, "final_output")?,
            passed: place(shape, "passed")?,
            metadata: place(shape, "metadata")?,
            leaks,
            leak: LeakPlaces::of(item(shape, leaks)?)?,
            usage,
            usage_fields: UsagePlaces::of(&shape.members[usage].shape)?,
            duration: place(shape, "duration_seconds")?,
            failure,
            failure_reason: place(about, "reason")?,
            failure_message: place(about, "message")?,
            turn: TurnPlaces::of(item(shape, place(shape, "turns")?)?)?,
        })
    }
}

impl LeakPlaces {
    fn of(shape: &Shape) -> Result<Self, String> {
        Ok(Self {
            kind: place(shape, "kind")?,
            evidence: place(shape, "evidence")?,
            turn: place(shape, "turn")?,
        })
    }
}

impl TurnPlaces {
    fn of(shape: &Shape) -> Result<Self, String> {
        let (calls, usage, error) = (
            place(shape, "tool_calls")?,
            place(shape, "usage")?,
            place(shape, "error")?,
        );
        let about = &shape.members[error].shape;
        Ok(Self {
            program: place(shape, "program")?,
            text: place(shape, "text")?,
            success: place(shape, "success")?,
            error,
            error_reason: place(about, "reason")?,
            error_message: place(about, "message")?,
            agent: place(shape, "agent")?,
            calls,
            call: CallPlaces::of(item(shape, calls)?)?,
            usage,
            usage_fields: UsagePlaces::of(&shape.members[usage].shape)?,
            duration: place(shape, "duration_seconds")?,
        })
    }
}

impl CallPlaces {
    fn of(shape: &Shape) -> Result<Self, String> {
        Ok(Self {
            name: place(shape, "name")?,
            arguments: place(shape, "arguments")?,
            id: place(shape, "id")?,
            result: place(shape, "result")?,
            duration: place(shape, "duration_seconds")?,
            success: place(shape, "success")?,
            error: place(shape, "error")?,
        })
    }
}

impl UsagePlaces {
    fn of(shape: &Shape) -> Result<Self, String> {
        let mut counts = [0; 6];
        for (count, name) in counts.iter_mut().zip(COUNTS) {
            *count = place(shape, name)?;
        }
        Ok(Self {
            counts,
            cost: place(shape, "cost_usd")?,
        })
    }
}
