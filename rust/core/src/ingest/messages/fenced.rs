//! Runs of instances whose turns are texts with their actions in fenced blocks, as in data sets of
//! `SWE-agent`.
//!
//! `readers/data_sets` is the specification.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::super::Row;
use super::super::raw::Uncertain;
use super::super::tree::{Node, Object};
use super::columns::write_text;
use super::outcomes::{Outcome, TRAJECTORY, text};
use super::recognition::CONTENTS;
use super::record::{MESSAGES, may_be_foreign, parsed};
use crate::text::trim;

const MODEL: &str = "model_name";
const TARGET: &str = "target";
const PATCH: &str = "generated_patch";
const ROLE: &str = "role";
const TEXT: &str = "text";
const AGENT: &str = "SWE-agent";

const FENCE: &str = "```";
static FENCES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(FENCE));

/// Reads a run into the columns. Returns `None` if it is refused, in which case the row may be
/// partly written.
pub(in super::super) fn read_fenced(row: &mut Row<'_>, line: &str) -> Option<()> {
    let Node::Object(record) = parsed(line)? else {
        return None;
    };
    let items = record.get(TRAJECTORY).list()?;
    if !is_fenced(&record, items) || may_be_foreign(row, &record, &[TRAJECTORY]) {
        return None;
    }
    write_turns(row, items)?;
    let outcome = Outcome {
        agent: Some(AGENT),
        model: text(&record, MODEL)?,
        attempt: None,
        patch: text(&record, PATCH)?,
        passed: record.get(TARGET),
        used: vec![TRAJECTORY, MODEL, PATCH, TARGET],
    };
    outcome.write(row, &record)?;
    row.source::<serde_json::Error>().ok()
}

/// Returns whether a record is certainly such a run, and not one with messages.
fn is_fenced(record: &Object<'_>, items: &[Node<'_>]) -> bool {
    let Some(Node::Object(first)) = items.first() else {
        return false;
    };
    let is_text = first.get(ROLE).quoted().is_some() && first.has(TEXT);
    let is_message = CONTENTS.iter().any(|key| first.has(key));
    let is_run = record.has(PATCH) || record.has(TARGET);
    is_text && !is_message && is_run && !record.has(MESSAGES)
}

/// Writes a turn for each text of the model.
fn write_turns(row: &mut Row<'_>, items: &[Node<'_>]) -> Option<()> {
    let places = &row.places.messages.turn;
    let column = &mut row.columns[row.places.turns];
    if !column.is_wanted() {
        return Some(());
    }
    let turns = column.items(row.index)?;
    for item in items.iter().filter_map(Node::object) {
        let Some(answer) = item.get(TEXT).quoted().filter(|_| item.get(ROLE).is("ai")) else {
            continue;
        };
        let turn = turns.len();
        let fields = turns.columns(turn)?;
        if fields[places.text].is_wanted() || fields[places.program].is_wanted() {
            let answer = answer.text()?;
            write_text(&mut fields[places.text], turn, &answer)?;
            if let Some(block) = last_block(&answer).ok()? {
                write_text(&mut fields[places.program], turn, trim(block))?;
            }
        }
        turns.close();
    }
    column.close();
    Some(())
}

/// Returns the content of the last fenced block, without a language on the line of its first fence.
///
/// # Errors
///
/// [`Uncertain`] if only Python knows whether that line holds a single word.
fn last_block(text: &str) -> Result<Option<&str>, Uncertain> {
    let mut fences = FENCES.find_iter(text.as_bytes());
    let mut last = None;
    while let (Some(begin), Some(end)) = (fences.next(), fences.next()) {
        last = text.get(begin + FENCE.len()..end);
    }
    let Some(inside) = last else {
        return Ok(None);
    };
    let rest = inside.trim_start_matches(|c: char| {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        is_word || !c.is_ascii()
    });
    match rest.strip_prefix('\n') {
        None => Ok(Some(inside)),
        Some(block) if inside[..inside.len() - rest.len()].is_ascii() => Ok(Some(block)),
        Some(_) => Err(Uncertain),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::raw::Uncertain;
    use super::last_block;

    #[test]
    fn the_last_block_counts() {
        for (text, block) in [
            ("", None),
            ("no fence", None),
            ("``", None),
            ("```ls", None),
            ("```ls``", None),
            ("```ls```", Some("ls")),
            ("```ls\n```", Some("")),
            ("```\nls\n```", Some("ls\n")),
            ("```bash\nls -l\n```", Some("ls -l\n")),
            ("```py_3\n\nx\n```", Some("\nx\n")),
            ("```c++\nx```", Some("c++\nx")),
            ("```bash \nls```", Some("bash \nls")),
            ("``` bash\nls```", Some(" bash\nls")),
            ("```bash\r\nls```", Some("bash\r\nls")),
            ("```a``` ```b```", Some("b")),
            ("```a``` ```b", Some("a")),
            ("```a```\n```\n", Some("a")),
            ("``````", Some("")),
            ("`````` ```", Some("")),
            ("````a```", Some("`a")),
            ("```a````b```", Some("a")),
            ("```a``````b```", Some("b")),
            ("```\n``` `` ```x\ny```", Some("y")),
        ] {
            assert_eq!(last_block(text), Ok(block), "{text}");
        }
    }

    #[test]
    fn only_python_knows_words_of_other_scripts() {
        for text in ["```é\nx```", "```a→\nx```", "```a```\n```日本\n```"] {
            assert_eq!(last_block(text), Err(Uncertain), "{text}");
        }
        for (text, block) in [
            ("```é x\ny```", "é x\ny"),
            ("```é```", "é"),
            ("```é\nx``` ```y```", "y"),
            ("é```bash\né```é", "é"),
        ] {
            assert_eq!(last_block(text), Ok(Some(block)), "{text}");
        }
    }
}
