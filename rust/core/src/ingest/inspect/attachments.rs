//! The attachments of a sample, and their substitution for the references to them.

use std::borrow::Cow;
use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::super::certainty::Certain;
use super::super::escapes::Escapes;
use super::super::tree::{Node, Object, Quoted};

const PREFIX: &str = "attachment://";

/// Most bytes of attachments that are substituted in a sample. A few references may expand to much
/// more; the record reader decides whether that is too much.
const MOST: usize = 1 << 28;

/// Python writes numbers such as `1e15` at most this many times as long.
const LONGER: usize = 8;

/// The attachments of a sample.
#[derive(Debug, Default)]
pub(super) struct Attachments<'a> {
    by_name: FxHashMap<Cow<'a, str>, Node<'a>>,
    /// Bytes substituted so far.
    bytes: Cell<usize>,
}

impl<'a> Attachments<'a> {
    /// Reads the attachments of a sample; `None` if the name of one is uncertain.
    pub(super) fn of(found: Option<Node<'a>>) -> Option<Self> {
        let Some(Node::Object(Object { members, .. })) = found else {
            return Some(Self::default());
        };
        let named = |(key, value): (Quoted<'a>, Node<'a>)| Some((key.text()?, value));
        members
            .into_iter()
            .map(named)
            .collect::<Option<_>>()
            .map(|by_name| Self {
                by_name,
                bytes: Cell::default(),
            })
    }

    /// Returns a value in which every reference is replaced with its attachment.
    pub(super) fn whole(&self, mut value: Node<'a>) -> Option<Node<'a>> {
        self.fill(&mut value)?;
        Some(value)
    }

    /// Replaces the references in a value; returns whether there were any.
    fn fill(&self, value: &mut Node<'a>) -> Option<bool> {
        let mut is_changed = false;
        match value {
            Node::Text(text) => {
                if let Some(own) = self.named(*text)? {
                    let size = match own {
                        Node::Text(text) => text.json.len(),
                        other => LONGER * other.json()?.len(),
                    };
                    self.bytes.set(self.bytes.get() + size);
                    if self.bytes.get() > MOST {
                        return None;
                    }
                    *value = own.clone();
                    is_changed = true;
                }
            }
            Node::List(list) => {
                for item in &mut list.items {
                    is_changed |= self.fill(item)?;
                }
                list.json = list.json.filter(|_| !is_changed);
            }
            Node::Object(object) => {
                for (_, value) in &mut object.members {
                    is_changed |= self.fill(value)?;
                }
                object.json = object.json.filter(|_| !is_changed);
            }
            _ => {}
        }
        Some(is_changed)
    }

    /// Returns the attachment that a text refers to, if any.
    fn named(&self, text: Quoted<'a>) -> Certain<Option<&Node<'a>>> {
        let inside = text.inside();
        if let Some(name) = inside.strip_prefix(PREFIX) {
            if text.escapes == Escapes::Absent {
                return Some(self.by_name.get(name));
            }
        } else {
            let (before, _) = inside.split_once('\\').unwrap_or((inside, ""));
            // A letter of the prefix may be written as an escape.
            if text.escapes == Escapes::Absent || !PREFIX.starts_with(before) {
                return Some(None);
            }
        }
        let text = text.text()?;
        Some(
            text.strip_prefix(PREFIX)
                .and_then(|name| self.by_name.get(name)),
        )
    }
}
