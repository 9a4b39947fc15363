//! Parses JSON lines of attempts into plain structs and discards them.
//!
//! `python -m benches.scale` compares reading and scoring with this: the same bytes parsed into the
//! same fields. No field is skipped, because a reader must find the errors in all of them.

use std::env;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Write};

use serde::Deserialize;

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are parsed, and that is all")]
struct Trajectory {
    task_id: String,
    agent: Option<String>,
    model: Option<String>,
    attempt: Option<String>,
    instance: Option<String>,
    passed: Option<bool>,
    turn_count: Option<i64>,
    failure: Option<Failure>,
    usage: Option<Usage>,
    #[serde(default)]
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are parsed, and that is all")]
struct Turn {
    number: Option<i64>,
    program: Option<String>,
    success: Option<bool>,
    error: Option<Failure>,
    usage: Option<Usage>,
    #[serde(default)]
    tool_calls: Vec<Call>,
    #[serde(default)]
    views: Vec<View>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are parsed, and that is all")]
struct View {
    path: String,
    extent: String,
    start: Option<i64>,
    end: Option<i64>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are parsed, and that is all")]
struct Failure {
    reason: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are parsed, and that is all")]
struct Usage {
    input_tokens: Option<i64>,
    output_tokens: Option<i64>,
    cached_input_tokens: Option<i64>,
    reasoning_tokens: Option<i64>,
    total_tokens: Option<i64>,
    cost_usd: Option<f64>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the fields are parsed, and that is all")]
struct Call {
    name: Option<String>,
    success: Option<bool>,
    error: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("expected a file of JSON lines")?;
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut line = Vec::new();
    let mut attempts = 0_u64;
    let mut turns = 0;
    while file.read_until(b'\n', &mut line)? > 0 {
        let attempt: Trajectory = serde_json::from_str(std::str::from_utf8(&line)?)?;
        turns += black_box(attempt).turns.len();
        attempts += 1;
        line.clear();
    }
    writeln!(io::stdout(), "{attempts} {turns}")?;
    Ok(())
}
