//! The lines of its input that a `sed` script prints.

use super::Uncertain;
use super::selections::{
    Line, MOST_COMMANDS, Picked, Ranges, all, merged, others, picked_from, size,
};
use super::text::{is_blank, leading_number};

/// A command of a `sed` script, and the lines that it applies to.
struct Command {
    /// Its letter; `None` for a block.
    name: Option<u8>,
    prints: bool,
    numbers: bool,
    lines: Ranges,
}

/// Returns the lines that a `sed` script prints.
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

/// Parses the commands of a script; `None` if their lines are unknown.
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
    /// Edits lines, and does not print them a second time.
    Edit,
    Lines(Command),
    /// Applies to unknown lines.
    Other,
}

enum Address {
    Number(Line),
    Last,
    Text,
}

/// Parses the command at the beginning of a script; also returns the rest.
fn sed_command(script: &str) -> Result<Option<(Sed, &str)>, Uncertain> {
    let Some((lines, rest)) = addresses(script) else {
        return Ok(None);
    };
    let rest = rest.trim_start_matches(is_blank);
    let (lines, rest) = match rest.strip_prefix('!') {
        Some(rest) => (lines.map(|lines| others(&lines)), rest),
        None => (lines, rest),
    };
    let Some((action, rest)) = action(rest.trim_start_matches(is_blank))? else {
        return Ok(None);
    };
    let Some(rest) = after_end(rest) else {
        return Ok(None);
    };
    let command = match (action, lines) {
        (Action::Edit { prints: false }, _) => Sed::Edit,
        (Action::Edit { prints: true }, _) | (Action::Select { .. }, None) => Sed::Other,
        (
            Action::Select {
                name,
                prints,
                numbers,
            },
            Some(lines),
        ) => Sed::Lines(Command {
            name,
            prints,
            numbers,
            lines,
        }),
    };
    Ok(Some((command, rest)))
}

/// Parses the addresses of a command, if there are any. Returns the lines that it applies to, if
/// they are known, and the rest.
fn addresses(script: &str) -> Option<(Option<Ranges>, &str)> {
    let Some((first, rest)) = address(script) else {
        return Some((Some(all()), script));
    };
    let Some(after) = rest.trim_start_matches(is_blank).strip_prefix(',') else {
        return Some((addressed(&first, None), rest));
    };
    let (last, rest) = last_address(after.trim_start_matches(is_blank))?;
    Some((addressed(&first, Some(&last)), rest))
}

/// What a command does with the lines that it applies to.
enum Action {
    /// Edits them; also prints them if `prints`.
    Edit { prints: bool },
    /// Prints, numbers or deletes them, or ends after them.
    Select {
        name: Option<u8>,
        prints: bool,
        numbers: bool,
    },
}

/// Parses what a command does; also returns the rest.
fn action(text: &str) -> Result<Option<(Action, &str)>, Uncertain> {
    let (Some(&name), Some(after)) = (text.as_bytes().first(), text.get(1..)) else {
        return Ok(None);
    };
    match name {
        b'{' => Ok(block(after)),
        b'p' | b'd' | b'q' | b'=' => {
            let action = Action::Select {
                name: Some(name),
                prints: name == b'p',
                numbers: name == b'=',
            };
            Ok(Some((action, after)))
        }
        b's' | b'y' => Ok(edit(after)?.map(|after| {
            let rest = after.trim_start_matches(|c: char| {
                matches!(c, 'g' | 'p' | 'i' | 'I') || c.is_ascii_digit()
            });
            let flags = &after[..after.len() - rest.len()];
            let prints = flags.contains('p');
            (Action::Edit { prints }, rest)
        })),
        _ => Ok(None),
    }
}

/// Parses the rest of a block of commands, which may only print and number.
fn block(text: &str) -> Option<(Action, &str)> {
    let (commands, rest) = text.split_once('}')?;
    let is_known = |c| matches!(c, ';' | '=' | 'p') || is_blank(c);
    let action = Action::Select {
        name: None,
        prints: commands.contains('p'),
        numbers: commands.contains('='),
    };
    commands.chars().all(is_known).then_some((action, rest))
}

/// Passes the end of a command: a semicolon, a new line, or the end of the script.
fn after_end(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_blank);
    let blanks = &text[..text.len() - rest.len()];
    let is_end = rest.is_empty() || blanks.contains('\n');
    rest.strip_prefix(';').or(is_end.then_some(rest))
}

/// Skips the two parts of `s` or `y`, from the first delimiter on.
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
