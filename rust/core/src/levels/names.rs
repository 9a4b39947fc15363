//! Names of benchmarks: `module.Class.function(parameters)`, taken apart and grouped.

use std::borrow::Cow;

use memchr::{memchr, memmem, memrchr};
use rustc_hash::FxHashMap;

/// Number of a group that does not exist yet, or of no parent.
const NONE: u32 = u32::MAX;

/// The characters that decide how a name is taken apart.
///
/// They come from Python, so that both backends agree on what a capital is, whatever version of
/// Unicode each was built with.
pub struct Alphabet<'a> {
    capitals: Set<'a>,
    blanks: Set<'a>,
}

impl<'a> Alphabet<'a> {
    /// An alphabet in which classes begin with `capitals`, and `blanks` are cut off names.
    #[must_use]
    pub fn new(capitals: &'a str, blanks: &'a str) -> Self {
        Self {
            capitals: Set::new(capitals),
            blanks: Set::new(blanks),
        }
    }
}

/// A set of characters, to be found at either end of a text that may not be valid UTF-8.
struct Set<'a> {
    ascii: [bool; 128],
    others: Vec<&'a [u8]>,
}

impl<'a> Set<'a> {
    fn new(characters: &'a str) -> Self {
        let mut set = Self {
            ascii: [false; 128],
            others: Vec::new(),
        };
        for (begin, character) in characters.char_indices() {
            if character.is_ascii() {
                set.ascii[character as usize] = true;
            } else {
                let end = begin + character.len_utf8();
                set.others.push(&characters.as_bytes()[begin..end]);
            }
        }
        set
    }

    /// Length of the character that `text` begins with, 0 if it is none of the set.
    fn at_begin(&self, text: &[u8]) -> usize {
        match text.first() {
            None => 0,
            Some(&byte) if byte.is_ascii() => usize::from(self.ascii[usize::from(byte)]),
            // No character is the beginning, or the end, of another.
            Some(_) => self.find(|character| text.starts_with(character)),
        }
    }

    /// Length of the character that `text` ends with, 0 if it is none of the set.
    fn at_end(&self, text: &[u8]) -> usize {
        match text.last() {
            None => 0,
            Some(&byte) if byte.is_ascii() => usize::from(self.ascii[usize::from(byte)]),
            Some(_) => self.find(|character| text.ends_with(character)),
        }
    }

    fn find(&self, is_it: impl Fn(&[u8]) -> bool) -> usize {
        let found = self.others.iter().find(|character| is_it(character));
        found.map_or(0, |character| character.len())
    }

    fn strip<'t>(&self, mut text: &'t [u8]) -> &'t [u8] {
        loop {
            match self.at_begin(text) {
                0 => break,
                length => text = &text[length..],
            }
        }
        loop {
            match self.at_end(text) {
                0 => return text,
                length => text = &text[..text.len() - length],
            }
        }
    }
}

/// A name in its parts; an absent part is empty.
struct Name<'t> {
    /// As written: dots may lead, follow or repeat.
    module: &'t [u8],
    class: &'t [u8],
    function: &'t [u8],
}

impl<'t> Name<'t> {
    fn split(text: &'t [u8], alphabet: &Alphabet) -> Self {
        let mut name = alphabet.blanks.strip(text);
        if let [.., b')'] = name {
            name = alphabet
                .blanks
                .strip(&name[..memchr(b'(', name).unwrap_or(name.len())]);
        }
        let (rest, function) = split_last(name);
        let (head, last) = split_last(rest);
        let has_class = alphabet.capitals.at_begin(last) > 0 && !is_blank(head);
        let (module, class) = if has_class {
            (head, last)
        } else {
            (rest, &[][..])
        };
        Self {
            module,
            class,
            function,
        }
    }
}

/// What stands before the last part, and the last part: parts are separated by dots, never empty.
fn split_last(name: &[u8]) -> (&[u8], &[u8]) {
    let end = name.iter().rposition(|&byte| byte != b'.');
    let name = &name[..end.map_or(0, |last| last + 1)];
    match memrchr(b'.', name) {
        Some(dot) => (&name[..dot], &name[dot + 1..]),
        None => (&[], name),
    }
}

fn is_blank(name: &[u8]) -> bool {
    name.iter().all(|&byte| byte == b'.')
}

/// The parts of a name with one dot between any two.
fn joined(name: &[u8]) -> Cow<'_, [u8]> {
    let is_joined =
        !name.starts_with(b".") && !name.ends_with(b".") && memmem::find(name, b"..").is_none();
    if is_joined {
        return Cow::Borrowed(name);
    }
    let parts = name.split(|&byte| byte == b'.');
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    Cow::Owned(parts.join(&b'.'))
}

/// Groups of benchmarks: which function each name is of, and what lies in what.
#[derive(Default)]
pub struct Groups {
    /// Function of each name.
    pub function: Vec<u32>,
    /// Class of each function.
    pub class_of: Vec<u32>,
    /// Module of each class.
    pub module_of: Vec<u32>,
    /// How many modules there are.
    pub modules: usize,
}

impl Groups {
    /// Groups the names `text[offsets[i]..offsets[i + 1]]`, comparing each string once.
    #[must_use]
    pub fn of(text: &[u8], offsets: &[i64], alphabet: &Alphabet) -> Self {
        let mut groups = Self::default();
        let mut modules = Numbers::default();
        let mut classes = Numbers::default();
        let mut functions = Numbers::default();
        // Names of one function mostly stand together, and so do those of one class.
        let mut last = None;
        groups.function.reserve(offsets.len() - 1);
        for pair in offsets.windows(2) {
            let name = Name::split(&text[pair[0] as usize..pair[1] as usize], alphabet);
            let mut function = NONE;
            let mut class = NONE;
            if let Some((before, number, its_class)) = &last {
                let before: &Name = before;
                if before.class == name.class && before.module == name.module {
                    class = *its_class;
                    if before.function == name.function {
                        function = *number;
                    }
                }
            }
            if class == NONE {
                let module = modules.number(NONE, joined(name.module));
                class = classes.number(module, Cow::Borrowed(name.class));
                if class as usize == groups.module_of.len() {
                    groups.module_of.push(module);
                }
            }
            if function == NONE {
                function = functions.number(class, Cow::Borrowed(name.function));
                if function as usize == groups.class_of.len() {
                    groups.class_of.push(class);
                }
            }
            groups.function.push(function);
            last = Some((name, function, class));
        }
        groups.modules = modules.0.len();
        groups
    }
}

/// Numbers for strings, each within its parent, from 0 in the order they come.
#[derive(Default)]
struct Numbers<'t>(FxHashMap<(u32, Cow<'t, [u8]>), u32>);

impl<'t> Numbers<'t> {
    fn number(&mut self, parent: u32, text: Cow<'t, [u8]>) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry((parent, text)).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, Groups, Name, joined};

    const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZÜ";
    const BLANKS: &str = " \t\n\u{a0}\u{2003}";

    fn parts(name: &str) -> (String, String, String) {
        let name = Name::split(name.as_bytes(), &Alphabet::new(CAPITALS, BLANKS));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            text(&joined(name.module)),
            text(name.class),
            text(name.function),
        )
    }

    #[test]
    fn names_are_taken_apart() {
        for (name, module, class, function) in [
            ("f", "", "", "f"),
            ("m.f", "m", "", "f"),
            ("m.C.f", "m", "C", "f"),
            ("a.b.C.f(1, (2))", "a.b", "C", "f"),
            ("C.f", "C", "", "f"),
            ("m.Ü.f", "m", "Ü", "f"),
            ("m.ü.f", "m.ü", "", "f"),
            ("\u{a0} m..C.f (1)\u{2003}\t", "m", "C", "f"),
            (".m..n..C..f..", "m.n", "C", "f"),
            ("..C.f", "C", "", "f"),
            ("m.f)", "m", "", "f)"),
            ("m.f(", "m", "", "f("),
            ("(1, 2)", "", "", ""),
            (" ", "", "", ""),
            ("...", "", "", ""),
        ] {
            let expected = (module.into(), class.into(), function.into());
            assert_eq!(parts(name), expected, "{name:?}");
        }
    }

    #[test]
    fn groups_nest() {
        let names = ["m.C.f(1)", "m.C.f(2)", "m.g", "m.C.g", "f", "m.C.f"];
        let mut offsets = vec![0];
        offsets.extend(names.iter().scan(0, |end, name| {
            *end += name.len() as i64;
            Some(*end)
        }));
        let text = names.concat();
        let groups = Groups::of(text.as_bytes(), &offsets, &Alphabet::new(CAPITALS, BLANKS));
        assert_eq!(groups.function, [0, 0, 1, 2, 3, 0]);
        assert_eq!(groups.class_of, [0, 1, 0, 2]);
        assert_eq!(groups.module_of, [0, 0, 1]);
        assert_eq!(groups.modules, 2);
    }
}
