//! Mismatches as JSON: the call, the path into its arguments, the expected and the actual value.

use std::collections::HashSet;
use std::io::Write;

use super::comparison::{Compare, Reason, Step, compare};
use super::pairing::{Call, Pairing};
use super::value::Value;
use crate::text::Texts;

/// Writes a list of all mismatches: first those of the reference calls, in order, then the
/// unexpected calls of the attempt.
pub fn write(
    out: &mut Vec<u8>,
    reference: &[Call],
    actual: &[Call],
    pairing: &Pairing,
    names: Texts,
) {
    let mut list = List {
        out,
        names,
        is_first: true,
    };
    list.out.push(b'[');
    if !pairing.is_exact {
        list.of_reference(reference, actual, pairing);
        list.of_actual(actual, pairing);
    }
    list.out.push(b']');
}

struct List<'o, 'n> {
    out: &'o mut Vec<u8>,
    names: Texts<'n>,
    is_first: bool,
}

impl List<'_, '_> {
    fn of_reference(&mut self, reference: &[Call], actual: &[Call], pairing: &Pairing) {
        for (at, call) in reference.iter().enumerate() {
            let is_aligned = pairing.aligned[at] >= 0;
            match (pairing.pairs[at], pairing.near[at]) {
                (Some(_), _) if is_aligned => {}
                (Some(partner), _) => {
                    self.plain(
                        "order",
                        call,
                        Some(at),
                        Some(partner),
                        "it was called out of order",
                    );
                }
                (None, Some(near)) => {
                    let arguments = (&call.arguments, &actual[near].arguments);
                    let mut differences = Differences {
                        list: self,
                        call,
                        at,
                        near,
                    };
                    compare(arguments.0, arguments.1, &mut differences);
                }
                (None, None) => self.plain("missing", call, Some(at), None, "it was not called"),
            }
        }
    }

    fn of_actual(&mut self, actual: &[Call], pairing: &Pairing) {
        let partners = pairing.pairs.iter().chain(&pairing.near);
        let explained: HashSet<usize> = partners.flatten().copied().collect();
        for (at, call) in actual.iter().enumerate() {
            if !explained.contains(&at) {
                let reason = "the reference has no such call left";
                self.plain("unexpected", call, None, Some(at), reason);
            }
        }
    }

    fn plain(
        &mut self,
        kind: &str,
        call: &Call,
        reference: Option<usize>,
        actual: Option<usize>,
        reason: &str,
    ) {
        self.begin(kind, call, reference, actual);
        self.text(r#","path":[],"expected":null,"got":null,"reason":""#);
        self.text(reason);
        self.text("\"}");
    }

    /// Writes the fields that every mismatch begins with.
    fn begin(&mut self, kind: &str, call: &Call, reference: Option<usize>, actual: Option<usize>) {
        if !self.is_first {
            self.out.push(b',');
        }
        self.is_first = false;
        let name = self.names.get(call.name as usize).unwrap_or_default();
        self.text(r#"{"kind":""#);
        self.text(kind);
        self.text(r#"","tool":"#);
        self.json(name);
        self.text(r#","reference":"#);
        self.place(reference);
        self.text(r#","actual":"#);
        self.place(actual);
    }

    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn place(&mut self, place: Option<usize>) {
        // Writing to memory cannot fail.
        let _ = match place {
            Some(place) => write!(self.out, "{place}"),
            None => write!(self.out, "null"),
        };
    }

    fn json<T: serde::Serialize + ?Sized>(&mut self, value: &T) {
        // Writing a value whose keys are strings cannot fail either.
        let _ = serde_json::to_writer(&mut *self.out, value);
    }
}

struct Differences<'l, 'o, 'n, 'c> {
    list: &'l mut List<'o, 'n>,
    call: &'l Call<'c>,
    at: usize,
    near: usize,
}

impl<'a> Compare<'a> for Differences<'_, '_, '_, '_> {
    fn agree(&mut self) {}

    fn differ(
        &mut self,
        path: &[Step<'a>],
        expected: Option<&'a Value<'a>>,
        got: Option<&'a Value<'a>>,
        reason: Reason,
    ) {
        let list = &mut *self.list;
        list.begin("arguments", self.call, Some(self.at), Some(self.near));
        list.text(r#","path":["#);
        for (at, step) in path.iter().enumerate() {
            if at > 0 {
                list.out.push(b',');
            }
            match step {
                Step::Key(key) => list.json(*key),
                Step::Index(index) => list.place(Some(*index)),
            }
        }
        list.text(r#"],"expected":"#);
        list.json(expected.unwrap_or(&Value::Null));
        list.text(r#","got":"#);
        list.json(got.unwrap_or(&Value::Null));
        list.text(r#","reason":""#);
        let _ = match reason {
            Reason::Unexpected => write!(list.out, "the reference does not have it"),
            Reason::Absent => write!(list.out, "it is absent"),
            Reason::Differs => write!(list.out, "it differs"),
            Reason::Length(got, expected) => {
                write!(list.out, "it has {got} elements, expected {expected}")
            }
        };
        list.text("\"}");
    }
}
