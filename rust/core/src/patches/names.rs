//! The path of a file, from its two names in a diff.

use std::borrow::Cow;

use crate::text::trim_end;

const NOWHERE: &str = "/dev/null";

/// Pairs of prefixes that git puts before the two names, by default and under
/// `diff.mnemonicPrefix`.
const PREFIXES: [(&str, &str); 6] = [
    ("a/", "b/"),
    ("b/", "a/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("i/", "w/"),
    ("o/", "w/"),
];

/// Returns the path in the base tree, or in the target tree for a new file. A tab starts a
/// timestamp.
pub(super) fn path_of<'p>(source: &'p str, target: &'p str) -> Cow<'p, str> {
    let (old, new) = (name_of(source), name_of(target));
    if old == NOWHERE {
        return without(new, "b/");
    }
    if new == NOWHERE {
        return without(old, "a/");
    }
    let prefixed = PREFIXES
        .iter()
        .any(|(before, after)| old.starts_with(before) && new.starts_with(after));
    if prefixed {
        let prefix = PREFIXES[0].0.len();
        match old {
            Cow::Borrowed(name) => Cow::Borrowed(&name[prefix..]),
            Cow::Owned(name) => Cow::Owned(name[prefix..].to_owned()),
        }
    } else {
        old
    }
}

fn without<'p>(name: Cow<'p, str>, prefix: &str) -> Cow<'p, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name.strip_prefix(prefix).unwrap_or(name)),
        Cow::Owned(name) => Cow::Owned(name.strip_prefix(prefix).unwrap_or(&name).to_owned()),
    }
}

/// Parses a name as git writes it: double-quoted with escapes if it contains unusual bytes.
fn name_of(field: &str) -> Cow<'_, str> {
    let name = trim_end(field.split('\t').next().unwrap_or_default());
    let quoted = name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let Some(quoted) = quoted else {
        return Cow::Borrowed(name);
    };
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let (b'\\', Some((&escaped, after))) = (first, after.split_first()) else {
            bytes.push(first);
            continue;
        };
        if let [
            a @ b'0'..=b'7',
            b @ b'0'..=b'7',
            c @ b'0'..=b'7',
            after @ ..,
        ] = rest
        {
            let octal = u32::from(a - b'0') * 64 + u32::from(b - b'0') * 8 + u32::from(c - b'0');
            bytes.push((octal & 0xFF) as u8);
            rest = after;
            continue;
        }
        bytes.push(match escaped {
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0B,
            other => other,
        });
        rest = after;
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}
