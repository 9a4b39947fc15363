//! The lines of its input that an `awk` script prints.

use super::Uncertain;
use super::selections::{Line, MOST_COMMANDS, Picked, Ranges, all, merged, picked_from, size};
use super::text::{is_blank, whole_number};

/// Returns the lines that an `awk` script prints; `None` if it prints none of its input.
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

/// Splits a script into pairs of condition and action; an unbalanced brace counts as a rule without
/// either.
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

/// Returns the lines for which a condition on the line number holds.
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
        // A range that would end before it begins extends to the last line.
        return Some(vec![(begin, (end >= begin).then_some(end))]);
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
