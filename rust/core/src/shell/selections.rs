//! Which lines of what they read `sed`, `awk`, `head` and `tail` print.
//!
//! Lines are picked by number, in ranges that are sorted and do not overlap; the end of an open one
//! is none. Lines that are picked by what they hold, or counted from the end, are unknown.

use super::Uncertain;
use super::text::{is_blank, leading_number, whole_number};

/// Number of a line. Sums of those that commands name, of 18 digits each, never overflow it.
pub(super) type Line = i128;
pub(super) type Range = (Line, Option<Line>);
pub(super) type Ranges = Vec<Range>;

/// Scripts of more commands pick lines that are not known here.
const MOST_COMMANDS: usize = 200;

/// Picking from more ranges than these takes too long.
const MOST_PAIRS: usize = 1 << 16;

/// What a program prints of the lines that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picked {
    /// The lines; none where their numbers are not known.
    pub ranges: Option<Ranges>,
    /// Whether each is printed once, alone on its line and in order, so that they can be counted.
    pub is_exact: bool,
    /// Whether each is printed after its number.
    pub has_numbers: bool,
    /// Whether some at the end are left out, how many is not known.
    pub is_cut: bool,
}

impl Picked {
    pub(super) fn of(ranges: Ranges) -> Self {
        Self {
            ranges: Some(ranges),
            ..Self::unknown()
        }
    }

    pub(super) fn all() -> Self {
        Self::of(all())
    }

    pub(super) fn unknown() -> Self {
        Self {
            ranges: None,
            is_exact: true,
            has_numbers: false,
            is_cut: false,
        }
    }

    pub(super) fn is_all(&self) -> bool {
        self.is_exact && !self.has_numbers && !self.is_cut && is_all(self.ranges.as_deref())
    }
}

pub(super) fn all() -> Ranges {
    vec![(1, None)]
}

/// Whether all lines are picked.
pub(super) fn is_all(ranges: Option<&[Range]>) -> bool {
    ranges == Some(&[(1, None)])
}

/// Number of lines; none where it has no limit.
pub(super) fn size(ranges: &[Range]) -> Option<Line> {
    let sizes = ranges.iter().map(|&(first, last)| Some(last? - first + 1));
    sizes.sum()
}

/// The ranges sorted, without overlap and without empty ones.
fn merged(mut ranges: Ranges) -> Ranges {
    ranges.sort_by_key(|&(first, _)| first);
    let mut found: Ranges = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        if last.is_some_and(|last| last < first) {
            continue;
        }
        match found.last_mut() {
            Some((_, end)) if end.is_none_or(|end| first <= end + 1) => {
                *end = end.zip(last).map(|(end, last)| end.max(last));
            }
            _ => found.push((first, last)),
        }
    }
    found
}

/// Of lines of a file, those that are picked by their place among them.
pub(super) fn picked_from(lines: &[Range], picks: &[Range]) -> Result<Ranges, Uncertain> {
    if is_all(Some(lines)) {
        return Ok(picks.to_vec());
    }
    if lines.len().saturating_mul(picks.len()) > MOST_PAIRS {
        return Err(Uncertain);
    }
    let mut found = Vec::new();
    let mut place = 1;
    for &(first, last) in lines {
        let shift = first - place;
        for &(begin, end) in picks {
            let low = first.max(begin + shift);
            // A bound of 0 counts as none.
            let ends = [end.map(|end| end + shift), last];
            let high = ends.into_iter().flatten().filter(|&bound| bound != 0).min();
            if high.is_none_or(|high| low <= high) {
                found.push((low, high));
            }
        }
        let Some(last) = last else { break };
        place += last - first + 1;
    }
    Ok(merged(found))
}

/// What a command of a script for `sed` does, and to which lines.
struct Command {
    /// Its letter; none for a block.
    name: Option<u8>,
    prints: bool,
    numbers: bool,
    lines: Ranges,
}

/// What a script for `sed` prints.
pub(super) fn sed_script(script: &str, is_quiet: bool) -> Result<Picked, Uncertain> {
    let Some(commands) = sed_commands(script)? else {
        return Ok(Picked::unknown());
    };
    let lines_of = |is_one: &dyn Fn(&Command) -> bool| {
        let some = commands.iter().filter(|command| is_one(command));
        some.flat_map(|command| &command.lines)
            .copied()
            .collect::<Ranges>()
    };
    let printed = lines_of(&|command| command.prints);
    let deleted = lines_of(&|command| command.name == Some(b'd'));
    let quits = commands.iter().filter(|command| command.name == Some(b'q'));
    let end = quits.filter_map(|command| command.lines.first()).min();
    if is_quiet && !deleted.is_empty() {
        return Ok(Picked::unknown());
    }
    let (mut lines, is_once) = if is_quiet {
        let lines = merged(printed.clone());
        let is_once = size(&printed) == size(&lines);
        (lines, is_once)
    } else {
        (others(&merged(deleted)), printed.is_empty())
    };
    if let Some(&(end, _)) = end {
        lines = picked_from(&[(1, Some(end))], &lines)?;
    }
    Ok(Picked {
        is_exact: is_once && !commands.iter().any(|command| command.numbers),
        ..Picked::of(lines)
    })
}

/// The commands of a script; none if the lines that they are for are not known.
fn sed_commands(script: &str) -> Result<Option<Vec<Command>>, Uncertain> {
    let mut found = Vec::new();
    let mut rest = script.trim_start_matches(is_blank);
    while !rest.is_empty() {
        if found.len() > MOST_COMMANDS {
            return Ok(None);
        }
        let Some((command, after)) = sed_command(rest)? else {
            return Ok(None);
        };
        rest = after.trim_start_matches(is_blank);
        match command {
            Sed::Other => return Ok(None),
            Sed::Edit => {}
            Sed::Lines(command) => found.push(command),
        }
    }
    Ok(Some(found))
}

enum Sed {
    /// Whether it also prints is known: it does not.
    Edit,
    Lines(Command),
    /// Its lines are not known.
    Other,
}

enum Address {
    Number(Line),
    Last,
    Text,
}

/// The command at the beginning of a script, and what follows it.
fn sed_command(script: &str) -> Result<Option<(Sed, &str)>, Uncertain> {
    let blank = |text: &str| text.len() - text.trim_start_matches(is_blank).len();
    let mut rest = script;
    let mut lines = Some(all());
    if let Some((first, after)) = address(rest) {
        rest = after;
        let after_blank = &rest[blank(rest)..];
        let mut last = None;
        if let Some(after) = after_blank.strip_prefix(',') {
            let after = &after[blank(after)..];
            let Some((found, after)) = last_address(after) else {
                return Ok(None);
            };
            last = Some(found);
            rest = after;
        }
        lines = addressed(&first, last.as_ref());
    }
    rest = &rest[blank(rest)..];
    let after = rest.strip_prefix('!');
    let is_not = after.is_some();
    rest = after.unwrap_or(rest);
    rest = &rest[blank(rest)..];
    let mut command = Command {
        name: None,
        prints: false,
        numbers: false,
        lines: Vec::new(),
    };
    let mut is_edit = false;
    let mut edit_prints = false;
    match rest.as_bytes().first() {
        Some(b'{') => {
            let Some(end) = rest.find('}') else {
                return Ok(None);
            };
            let block = &rest[1..end];
            if !block
                .chars()
                .all(|c| matches!(c, ';' | '=' | 'p') || is_blank(c))
            {
                return Ok(None);
            }
            command.prints = block.contains('p');
            command.numbers = block.contains('=');
            rest = &rest[end + 1..];
        }
        Some(&name @ (b'p' | b'd' | b'q' | b'=')) => {
            command.name = Some(name);
            command.prints = name == b'p';
            command.numbers = name == b'=';
            rest = &rest[1..];
        }
        Some(b's' | b'y') => {
            let Some(after) = edit(&rest[1..])? else {
                return Ok(None);
            };
            let flags = after.trim_start_matches(|c: char| {
                matches!(c, 'g' | 'p' | 'i' | 'I') || c.is_ascii_digit()
            });
            is_edit = true;
            edit_prints = after[..after.len() - flags.len()].contains('p');
            rest = flags;
        }
        _ => return Ok(None),
    }
    let blanks = blank(rest);
    let after = &rest[blanks..];
    if let Some(after) = after.strip_prefix(';') {
        rest = after;
    } else if after.is_empty() || rest[..blanks].contains('\n') {
        rest = after;
    } else {
        return Ok(None);
    }
    let found = match lines {
        _ if is_edit && edit_prints => Sed::Other,
        _ if is_edit => Sed::Edit,
        None => Sed::Other,
        Some(lines) => {
            command.lines = if is_not { others(&lines) } else { lines };
            Sed::Lines(command)
        }
    };
    Ok(Some((found, rest)))
}

/// What follows the two parts of `s` or `y`, which begin with their mark.
fn edit(text: &str) -> Result<Option<&str>, Uncertain> {
    let Some(mark) = text.chars().next() else {
        return Ok(None);
    };
    if !mark.is_ascii() {
        return Err(Uncertain);
    }
    if is_blank(mark) || mark.is_ascii_alphanumeric() || matches!(mark, '_' | '\\') {
        return Ok(None);
    }
    let bytes = text.as_bytes();
    let mut at = 1;
    for _ in 0..2 {
        loop {
            match bytes.get(at) {
                Some(b'\\') if at + 1 < bytes.len() => at += 2,
                None | Some(b'\\') => return Ok(None),
                Some(&byte) if byte == mark as u8 => break,
                Some(_) => at += 1,
            }
        }
        at += 1;
    }
    Ok(text.get(at..))
}

fn address(text: &str) -> Option<(Address, &str)> {
    if let Some((number, digits)) = leading_number(text) {
        return Some((Address::Number(number), &text[digits..]));
    }
    if let Some(rest) = text.strip_prefix('$') {
        return Some((Address::Last, rest));
    }
    let bytes = text.strip_prefix('/')?.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'/' => break,
            b'\n' => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    let rest = text.get(at + 2..)?;
    Some((Address::Text, rest.strip_prefix('I').unwrap_or(rest)))
}

enum LastAddress {
    More(Line),
    Other(Address),
}

fn last_address(text: &str) -> Option<(LastAddress, &str)> {
    if let Some((found, rest)) = address(text) {
        return Some((LastAddress::Other(found), rest));
    }
    let more = text.strip_prefix('+')?;
    let (number, digits) = leading_number(more)?;
    Some((LastAddress::More(number), &more[digits..]))
}

fn addressed(first: &Address, last: Option<&LastAddress>) -> Option<Ranges> {
    let Address::Number(begin) = *first else {
        return None;
    };
    let end = match last {
        None => Some(begin),
        Some(LastAddress::Other(Address::Last)) => None,
        Some(LastAddress::More(more)) => Some(begin + *more),
        Some(LastAddress::Other(Address::Number(end))) => Some(begin.max(*end)),
        Some(LastAddress::Other(Address::Text)) => return None,
    };
    Some(if begin == 0 {
        Vec::new()
    } else {
        vec![(begin, end)]
    })
}

/// All lines but these.
fn others(lines: &[Range]) -> Ranges {
    let mut found = Vec::new();
    let mut after = 1;
    for &(first, last) in lines {
        if first > after {
            found.push((after, Some(first - 1)));
        }
        let Some(last) = last else { return found };
        after = last + 1;
    }
    found.push((after, None));
    found
}

/// What a program for `awk` prints; none if it prints no lines of what it reads.
pub(super) fn awk_script(script: &str) -> Result<Option<Picked>, Uncertain> {
    let mut found = Vec::new();
    let mut end: Option<Line> = None;
    let (mut has_numbers, mut is_known, mut shows) = (false, true, false);
    for (condition, action) in awk_rules(script.trim_matches(is_blank)) {
        if condition.trim_matches(is_blank).is_empty() && action.trim_matches(is_blank).is_empty() {
            continue;
        }
        let condition = condition.replace(' ', "");
        let lines = tested(&condition);
        if action.trim_matches(is_blank) == "exit" {
            if let Some(&(first, _)) = lines.as_ref().and_then(|lines| lines.first()) {
                let is_at = condition.starts_with("NR==") || condition.starts_with("FNR==");
                let stop = first - Line::from(!is_at);
                end = Some(end.map_or(stop, |end| end.min(stop)));
            }
            continue;
        }
        if !prints_line(action) {
            continue;
        }
        shows = true;
        has_numbers |= action.contains("NR");
        is_known &= lines.is_some();
        found.extend(lines.into_iter().flatten());
    }
    if !shows {
        return Ok(None);
    }
    if !is_known {
        return Ok(Some(Picked {
            has_numbers,
            ..Picked::unknown()
        }));
    }
    let count = size(&found);
    let lines = merged(found);
    let is_exact = count == size(&lines);
    let lines = match end {
        None => lines,
        Some(end) => picked_from(&[(1, Some(end))], &lines)?,
    };
    Ok(Some(Picked {
        is_exact,
        has_numbers,
        ..Picked::of(lines)
    }))
}

/// Conditions and actions of a script, one after the other; a brace that opens or closes nothing
/// counts as a rule without either.
fn awk_rules(script: &str) -> Vec<(&str, &str)> {
    let is_brace = |c: char| matches!(c, '{' | '}');
    let mut rules = Vec::new();
    let mut rest = script;
    while !rest.is_empty() && rules.len() < MOST_COMMANDS {
        let (condition, mut after) = rest.split_at(rest.find(is_brace).unwrap_or(rest.len()));
        let mut action = "";
        if let Some(block) = after.strip_prefix('{') {
            let end = block.find(is_brace).unwrap_or(block.len());
            if let Some(behind) = block[end..].strip_prefix('}') {
                (action, after) = (&block[..end], behind);
            }
        }
        after = after.strip_prefix(';').unwrap_or(after);
        rules.push((condition, action));
        if after.len() == rest.len() {
            after = &after[1..];
        }
        rest = after;
    }
    rules
}

fn prints_line(action: &str) -> bool {
    let text = action.trim_matches(is_blank).trim_end_matches(';');
    matches!(text, "" | "print") || (text.starts_with("print") && text.contains("$0"))
}

/// The lines for which a condition on the number of the line holds.
fn tested(condition: &str) -> Option<Ranges> {
    if matches!(condition, "" | "1") {
        return Some(all());
    }
    if let Some((first, last)) = condition.split_once(',') {
        if last.contains(',') {
            return None;
        }
        let only = |lines: Ranges| match lines.first() {
            Some(&(first, Some(last))) if first == last => Some(first),
            _ => None,
        };
        let (begin, end) = (only(tested(first)?)?, only(tested(last)?)?);
        return Some(vec![(begin, Some(begin.max(end)))]);
    }
    let is_bracket = |c: char| matches!(c, '(' | ')');
    let parts = condition.trim_matches(is_bracket).replace(")||(", "||");
    let mut union = Vec::new();
    for part in parts.split("||") {
        let (mut low, mut high) = (1, None::<Line>);
        for test in part.split("&&") {
            let test = test.trim_matches(is_bracket);
            let test = test.strip_prefix('F').unwrap_or(test).strip_prefix("NR")?;
            let signs = ["==", ">=", "<=", ">", "<"];
            let (sign, number) = signs
                .iter()
                .find_map(|sign| Some((*sign, test.strip_prefix(sign)?)))?;
            let number = whole_number(number)?;
            if matches!(sign, "==" | ">=" | ">") {
                low = low.max(number + Line::from(sign == ">"));
            }
            if matches!(sign, "==" | "<=" | "<") {
                let bound = number - Line::from(sign == "<");
                high = Some(high.map_or(bound, |high| high.min(bound)));
            }
        }
        union.push((low, high));
    }
    Some(merged(union))
}
