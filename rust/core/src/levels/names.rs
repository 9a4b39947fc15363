//! Names of benchmarks: parsing `module.Class.function(parameters)`, and grouping by its parts.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem, memrchr};
use rustc_hash::FxHashMap;

use super::Names;

/// Number of a group that was not seen yet, or that has no parent.
const NONE: u32 = u32::MAX;

/// The characters that determine how a name is parsed.
///
/// They come from Python, so that both backends agree on what a capital is, whatever Unicode
/// version each was built with.
pub struct Alphabet<'a> {
    capitals: Set<'a>,
    blanks: Set<'a>,
}

impl<'a> Alphabet<'a> {
    /// Creates an alphabet in which classes begin with `capitals`, and `blanks` are stripped from
    /// names.
    #[must_use]
    pub fn new(capitals: &'a str, blanks: &'a str) -> Self {
        Self {
            capitals: Set::new(capitals),
            blanks: Set::new(blanks),
        }
    }
}

/// A set of characters to match at either end of a text that may not be valid UTF-8.
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

    /// Returns the length of the character in the set that `text` begins with, or 0.
    fn at_begin(&self, text: &[u8]) -> usize {
        match text.first() {
            None => 0,
            Some(&byte) if byte.is_ascii() => usize::from(self.ascii[usize::from(byte)]),
            // No character is a prefix or a suffix of another.
            Some(_) => self.find(|character| text.starts_with(character)),
        }
    }

    /// Returns the length of the character in the set that `text` ends with, or 0.
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

/// The parts of a name; an absent part is empty.
struct Name<'t> {
    /// As written: may have leading, trailing or repeated dots.
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

    fn is_same_class(&self, other: &Self) -> bool {
        self.class == other.class && self.module == other.module
    }
}

/// Splits a name into the text before its last part, and that part. Parts are separated by dots and
/// never empty.
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

/// Joins the parts of a name with single dots.
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

/// Groups of benchmarks: the function of each name, and the parent of each group.
///
/// Names are parsed when they are first needed. Functions, classes and modules are numbered from 0
/// in the order of first appearance.
pub struct Groups<'t> {
    names: &'t Names<'t>,
    alphabet: &'t Alphabet<'t>,
    /// The first name of the range.
    first: usize,
    /// Function of each name from there on, or [`NONE`].
    function: Vec<u32>,
    /// Class of each function.
    class_of: Vec<u32>,
    /// Module of each class.
    module_of: Vec<u32>,
    functions: Numbers<'t>,
    classes: Numbers<'t>,
    modules: Numbers<'t>,
    /// The previous name, with its function. Names of one class are usually adjacent.
    last: Option<(Name<'t>, u32)>,
}

impl<'t> Groups<'t> {
    /// Groups of the names in `range`.
    pub fn new(names: &'t Names, alphabet: &'t Alphabet, range: Range<usize>) -> Self {
        Self {
            names,
            alphabet,
            first: range.start,
            function: vec![NONE; range.len()],
            class_of: Vec::new(),
            module_of: Vec::new(),
            functions: Numbers::default(),
            classes: Numbers::default(),
            modules: Numbers::default(),
            last: None,
        }
    }

    /// Function of a name.
    pub fn function(&mut self, name: usize) -> u32 {
        let known = self.function[name - self.first];
        if known == NONE {
            self.meet(name)
        } else {
            known
        }
    }

    /// Class of a function.
    pub fn class_of(&self, function: u32) -> u32 {
        self.class_of[function as usize]
    }

    /// Module of a class.
    pub fn module_of(&self, class: u32) -> u32 {
        self.module_of[class as usize]
    }

    fn meet(&mut self, index: usize) -> u32 {
        let name = Name::split(self.names.text(index), self.alphabet);
        let function = match &self.last {
            Some((last, function)) if last.is_same_class(&name) => {
                if last.function == name.function {
                    *function
                } else {
                    let class = self.class_of[*function as usize];
                    self.number_function(class, &name)
                }
            }
            _ => {
                let class = self.number_class(&name);
                self.number_function(class, &name)
            }
        };
        self.function[index - self.first] = function;
        self.last = Some((name, function));
        function
    }

    fn number_class(&mut self, name: &Name<'t>) -> u32 {
        let module = self.modules.number(NONE, joined(name.module));
        let class = self.classes.number(module, Cow::Borrowed(name.class));
        if class as usize == self.module_of.len() {
            self.module_of.push(module);
        }
        class
    }

    fn number_function(&mut self, class: u32, name: &Name<'t>) -> u32 {
        let function = self.functions.number(class, Cow::Borrowed(name.function));
        if function as usize == self.class_of.len() {
            self.class_of.push(class);
        }
        function
    }
}

/// Numbers strings within each parent, from 0, in the order of first appearance.
#[derive(Default)]
struct Numbers<'t>(FxHashMap<(u32, Cow<'t, [u8]>), u32>);

impl<'t> Numbers<'t> {
    fn number(&mut self, parent: u32, text: Cow<'t, [u8]>) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry((parent, text)).or_insert(next)
    }
}

#[cfg(test)]
mod tests;
