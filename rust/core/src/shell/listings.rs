//! Programs that print lines of files or of their input, such as `cat`, `head` and `sed`.
//!
//! Each is reduced to its files and the lines that it prints of them; without files it is a filter.

use super::Uncertain;
use super::awk::awk_script;
use super::options::Options;
use super::sed::sed_script;
use super::selections::{Line, Picked, Ranges, all, is_all, size};
use super::syntax::Word;

/// The lines that a program prints of each of its files.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    pub files: Vec<Word<'a>>,
    pub picked: Picked,
    /// Whether a line with the file's name precedes its lines.
    pub is_headed: bool,
}

impl<'a> Listing<'a> {
    pub(super) fn of(files: Vec<Word<'a>>, picked: Picked) -> Self {
        Self {
            files,
            picked,
            is_headed: false,
        }
    }
}

/// Returns what a program prints, if it is one of those; inner `None` if it prints no lines of its
/// input.
#[expect(
    clippy::option_option,
    reason = "another program is not one that prints no lines"
)]
pub(super) fn listing<'a>(
    name: &str,
    words: &[Word<'a>],
) -> Result<Option<Option<Listing<'a>>>, Uncertain> {
    Ok(Some(match name {
        "cat" => Some(cat(words)),
        "head" => Some(head(words)),
        "tail" => Some(tail(words)),
        "nl" => Some(nl(words)),
        "sed" => sed(words)?,
        "awk" | "gawk" | "mawk" => awk(words)?,
        "less" | "more" => Some(pager(words)),
        "bat" | "batcat" => Some(bat(words)?),
        "expand" => {
            let files = words.iter().filter(|word| !word.text.starts_with('-'));
            Some(Listing::of(files.cloned().collect(), Picked::all()))
        }
        "tac" | "sort" => unordered(words),
        "cut" => cut(words),
        "tr" | "tee" => Some(Listing::of(Vec::new(), Picked::all())),
        _ => return Ok(None),
    }))
}

fn cat<'a>(words: &[Word<'a>]) -> Listing<'a> {
    let options = Options::of(words, "", &[]);
    let has_numbers = options.has_flag('n') || options.has(&["--number"]);
    let picked = Picked {
        is_exact: !options.has_flag('s') && !options.has(&["--squeeze-blank"]),
        has_numbers: has_numbers && !options.has_flag('b'),
        ..Picked::all()
    };
    Listing::of(options.rest, picked)
}

/// Parses a number, ignoring its sign.
fn number(text: &str) -> Option<Line> {
    super::text::whole_number(text.trim_start_matches(['+', '-']))
}

fn head<'a>(words: &[Word<'a>]) -> Listing<'a> {
    let (count, words) = short_count(words);
    let options = Options::of(&words, "nc", &["--lines", "--bytes"]);
    let mut picked = Picked::of(vec![(1, Some(count))]);
    let cut = || Picked {
        is_cut: true,
        ..Picked::all()
    };
    for (name, value) in &options.values {
        match (&**name, number(&value.text)) {
            ("n" | "--lines", None) => picked = Picked::unknown(),
            ("n" | "--lines", _) if value.text.starts_with('-') => picked = cut(),
            ("n" | "--lines", Some(0)) => picked = Picked::of(Vec::new()),
            ("n" | "--lines", Some(number)) => picked = Picked::of(vec![(1, Some(number))]),
            ("c" | "--bytes", _) => picked = cut(),
            _ => {}
        }
    }
    headed(options, picked)
}

fn headed(options: Options<'_>, picked: Picked) -> Listing<'_> {
    Listing {
        is_headed: options.rest.len() > 1 || options.has_flag('v'),
        files: options.rest,
        picked,
    }
}

fn tail<'a>(words: &[Word<'a>]) -> Listing<'a> {
    let mut words = words.to_vec();
    let is_start = |word: &Word<'_>| word.text.starts_with('+') && number(&word.text).is_some();
    if words.first().is_some_and(is_start) {
        words.insert(0, Word::of("-n"));
    }
    let (_, words) = short_count(&words);
    let options = Options::of(&words, "ncs", &["--lines", "--bytes"]);
    let mut picked = Picked::unknown();
    for (name, value) in &options.values {
        if matches!(&**name, "n" | "--lines") {
            picked = match number(&value.text) {
                Some(first) if value.text.starts_with('+') => {
                    Picked::of(vec![(first.max(1), None)])
                }
                _ => Picked::unknown(),
            };
        }
    }
    headed(options, picked)
}

/// Parses a number of lines in the form `-20`; also returns the other words.
fn short_count<'a>(words: &[Word<'a>]) -> (Line, Vec<Word<'a>>) {
    const VALUED: [&str; 4] = ["-n", "-c", "--lines", "--bytes"];
    for (place, word) in words.iter().enumerate() {
        let count = word
            .text
            .strip_prefix('-')
            .and_then(super::text::whole_number);
        let count = count.filter(|_| word.text.len() <= super::text::DIGITS);
        let before = place.checked_sub(1).map_or("", |place| &*words[place].text);
        if let (Some(count), false) = (count, VALUED.contains(&before)) {
            let mut others = words.to_vec();
            others.remove(place);
            return (count, others);
        }
    }
    (10, words.to_vec())
}

fn nl<'a>(words: &[Word<'a>]) -> Listing<'a> {
    const LONG: [&str; 3] = [
        "--body-numbering",
        "--starting-line-number",
        "--number-width",
    ];
    let options = Options::of(words, "bdfhilnsvw", &LONG);
    let body = options
        .value("b")
        .or_else(|| options.value("--body-numbering"));
    let is_shifted = options.has(&["v", "i", "--starting-line-number"]);
    let picked = Picked {
        has_numbers: body.is_some_and(|body| body.is("a")) && !is_shifted,
        ..Picked::all()
    };
    Listing::of(options.rest, picked)
}

fn sed<'a>(words: &[Word<'a>]) -> Result<Option<Listing<'a>>, Uncertain> {
    let mut options = Options::of(words, "efl", &["--expression", "--file", "--line-length"]);
    if options.has_flag('i') || options.has(&["--in-place"]) {
        return Ok(None);
    }
    let has_file = options.has(&["f", "--file"]);
    let values = options.values.iter();
    let mut scripts: Vec<Word<'a>> = values
        .filter(|(name, _)| matches!(&**name, "e" | "--expression"))
        .map(|(_, value)| value.clone())
        .collect();
    if scripts.is_empty() && !has_file && !options.rest.is_empty() {
        scripts.push(options.rest.remove(0));
    }
    if scripts.is_empty() || has_file || scripts.iter().any(|script| !script.is_known) {
        return Ok(Some(Listing::of(options.rest, Picked::unknown())));
    }
    let is_quiet = options.has_flag('n') || options.has(&["--quiet", "--silent"]);
    let texts: Vec<&str> = scripts.iter().map(|script| &*script.text).collect();
    let mut picked = sed_script(&texts.join("\n"), is_quiet)?;
    let is_joined =
        options.rest.len() > 1 && !is_all(picked.ranges.as_deref()) && !options.has_flag('s');
    if is_joined {
        picked = Picked::unknown();
    }
    Ok(Some(Listing::of(options.rest, picked)))
}

fn awk<'a>(words: &[Word<'a>]) -> Result<Option<Listing<'a>>, Uncertain> {
    let mut options = Options::of(words, "Fvf", &["--field-separator", "--assign", "--file"]);
    if options.rest.is_empty() || options.has(&["f", "--file"]) {
        return Ok(None);
    }
    let script = options.rest.remove(0);
    let picked = if script.is_known {
        awk_script(&script.text)?
    } else {
        Some(Picked::unknown())
    };
    Ok(picked.map(|picked| {
        let is_some = picked.ranges.is_some() && !is_all(picked.ranges.as_deref());
        let picked = if is_some && options.rest.len() > 1 {
            Picked::unknown()
        } else {
            picked
        };
        Listing::of(options.rest, picked)
    }))
}

fn pager<'a>(words: &[Word<'a>]) -> Listing<'a> {
    let options = Options::of(words, "pPbhjxyz", &[]);
    let has_numbers = options.has_flag('N') || options.has(&["--LINE-NUMBERS"]);
    let files = options.rest.into_iter();
    let files = files.filter(|file| !file.text.starts_with('+')).collect();
    Listing::of(
        files,
        Picked {
            has_numbers,
            ..Picked::all()
        },
    )
}

fn bat<'a>(words: &[Word<'a>]) -> Result<Listing<'a>, Uncertain> {
    const LONG: [&str; 6] = [
        "--line-range",
        "--language",
        "--style",
        "--theme",
        "--color",
        "--paging",
    ];
    let options = Options::of(words, "rlmH", &LONG);
    let span = options.value("r").or_else(|| options.value("--line-range"));
    let style = options.value("--style").map_or("", |style| &*style.text);
    let has_numbers =
        options.has_flag('n') || options.has(&["--number"]) || style.contains("numbers");
    let is_plain = options.has_flag('p')
        || options.has(&["--plain"])
        || matches!(style, "plain" | "")
        || has_numbers;
    let ranges = span.map_or_else(all, |span| bat_lines(&span.text));
    if size(&ranges).is_some_and(|size| size < 0) {
        return Err(Uncertain);
    }
    let picked = Picked {
        is_exact: is_plain,
        has_numbers,
        ..Picked::of(ranges)
    };
    Ok(Listing::of(options.rest, picked))
}

fn bat_lines(span: &str) -> Ranges {
    let (first, last) = span
        .split_once(':')
        .map_or((span, None), |(first, last)| (first, Some(last)));
    let begin = number(first).filter(|&begin| begin != 0).unwrap_or(1);
    let end = match last {
        None if !first.is_empty() => return vec![(begin, Some(begin))],
        None => None,
        Some(last) => number(last).map(|end| {
            if last.starts_with('+') {
                begin + end
            } else {
                end
            }
        }),
    };
    vec![(begin, end)]
}

fn cut<'a>(words: &[Word<'a>]) -> Option<Listing<'a>> {
    let long = ["--characters", "--fields", "--delimiter"];
    let options = Options::of(words, "bcfd", &long);
    let keeps_line_start =
        options.has(&["c", "b", "--characters", "--bytes"]) || options.has_flag('c');
    keeps_line_start.then(|| Listing::of(options.rest, Picked::all()))
}

fn unordered<'a>(words: &[Word<'a>]) -> Option<Listing<'a>> {
    let options = Options::of(words, "kotTS", &["--key", "--output"]);
    let picked = Picked {
        is_exact: false,
        ..Picked::all()
    };
    let keeps_all = !options.has_flag('u') && options.values.is_empty();
    keeps_all.then(|| Listing::of(options.rest, picked))
}
