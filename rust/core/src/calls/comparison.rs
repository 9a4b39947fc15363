//! Comparison of the arguments of two calls, key by key and item by item.

use super::value::{Object, Value, get};

/// One step of a path into the arguments.
#[derive(Clone, Copy)]
pub enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// Why two values do not match.
#[derive(Clone, Copy)]
pub enum Reason {
    Unexpected,
    Absent,
    Length(usize, usize),
    Differs,
}

/// Receives every match and every mismatch of a comparison.
pub trait Compare<'a> {
    fn agree(&mut self);
    fn differ(
        &mut self,
        path: &[Step<'a>],
        expected: Option<&'a Value<'a>>,
        got: Option<&'a Value<'a>>,
        reason: Reason,
    );
}

/// Compares the arguments of a call with those of a reference call.
pub fn compare<'a>(expected: &'a Object<'a>, got: &'a Object<'a>, report: &mut impl Compare<'a>) {
    objects(expected, got, &mut Vec::new(), report);
}

fn objects<'a>(
    expected: &'a Object<'a>,
    got: &'a Object<'a>,
    path: &mut Vec<Step<'a>>,
    report: &mut impl Compare<'a>,
) {
    if expected.is_empty() && got.is_empty() {
        report.agree();
    }
    for (key, value) in expected {
        path.push(Step::Key(key));
        match get(got, key) {
            Some(other) => values(value, other, path, report),
            None => report.differ(path, Some(value), None, Reason::Absent),
        }
        path.pop();
    }
    for (key, value) in got {
        if get(expected, key).is_none() {
            path.push(Step::Key(key));
            report.differ(path, None, Some(value), Reason::Unexpected);
            path.pop();
        }
    }
}

fn values<'a>(
    expected: &'a Value<'a>,
    got: &'a Value<'a>,
    path: &mut Vec<Step<'a>>,
    report: &mut impl Compare<'a>,
) {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => objects(expected, got, path, report),
        (Value::List(ours), Value::List(theirs)) if ours.len() == theirs.len() => {
            if ours.is_empty() {
                report.agree();
            }
            for (index, (value, other)) in ours.iter().zip(theirs).enumerate() {
                path.push(Step::Index(index));
                values(value, other, path, report);
                path.pop();
            }
        }
        (Value::List(ours), Value::List(theirs)) => {
            let reason = Reason::Length(theirs.len(), ours.len());
            report.differ(path, Some(expected), Some(got), reason);
        }
        _ if expected == got => report.agree(),
        _ => report.differ(path, Some(expected), Some(got), Reason::Differs),
    }
}

/// Number of matching places, and of all places compared.
#[derive(Default)]
pub struct Likeness {
    agreed: usize,
    places: usize,
}

impl Likeness {
    /// Returns the share of compared places that match; 1 if nothing was compared.
    pub fn ratio(&self) -> f64 {
        if self.places == 0 {
            1.0
        } else {
            self.agreed as f64 / self.places as f64
        }
    }
}

impl<'a> Compare<'a> for Likeness {
    fn agree(&mut self) {
        self.agreed += 1;
        self.places += 1;
    }

    fn differ(
        &mut self,
        _: &[Step<'a>],
        _: Option<&'a Value<'a>>,
        _: Option<&'a Value<'a>>,
        _: Reason,
    ) {
        self.places += 1;
    }
}
