//! Tools by name: which ones run commands or code and which ones read files, and how commands end.

use super::super::raw::Uncertain;
use super::super::tree::{Node, Object, Quoted};
use crate::text::{is_blank, trim_end};

const SHELLS: [&str; 18] = [
    "bash",
    "cmd",
    "exec",
    "exec_command",
    "execute",
    "execute_bash",
    "execute_command",
    "local_shell",
    "run",
    "run_bash",
    "run_command",
    "run_in_terminal",
    "run_shell",
    "run_shell_command",
    "run_terminal_cmd",
    "shell",
    "shell_command",
    "terminal",
];
const INTERPRETERS: [&str; 9] = [
    "code_interpreter",
    "execute_ipython_cell",
    "execute_python",
    "ipython",
    "jupyter",
    "python",
    "python_interpreter",
    "run_ipython",
    "run_python",
];
const SEARCHES: [&str; 11] = [
    "find_in_files",
    "grep",
    "grep_search",
    "rg",
    "ripgrep",
    "search",
    "search_dir",
    "search_file",
    "search_file_content",
    "search_files",
    "search_for_pattern",
];
const READERS: [&str; 13] = [
    "cat_file",
    "file_read",
    "fs_read",
    "get_file_contents",
    "open_file",
    "read",
    "read_file",
    "read_files",
    "read_lines",
    "read_text_file",
    "show_file",
    "view",
    "view_file",
];
const EDITORS: [&str; 5] = [
    "edit_tool",
    "file_editor",
    "str_replace_based_edit_tool",
    "str_replace_editor",
    "text_editor",
];

/// Opens a file, and shows a window of it or all of it.
const OPENER: &str = "open";
/// Tools that read, provided that their result is a window of a file.
const WINDOWED: [&str; 3] = ["goto", "scroll_down", "scroll_up"];

const COMMANDS: [&str; 4] = ["command", "cmd", "script", "commands"];
const CODE: [&str; 3] = ["code", "script", "source"];
const RUN_TEXT: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// The kind of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Tool {
    Shell,
    Interpreter,
    Search,
    Reader,
    /// Reads only if its command is to view.
    Editor,
    Opener,
    Window,
    Other,
}

/// Returns the kind of a tool by its name, with or without a namespace; `None` if only Python can
/// lowercase the name.
pub(super) fn tool(name: &str) -> Option<Tool> {
    if !name.is_ascii() {
        return None;
    }
    let mut plain = name;
    for separator in ["__", ".", "/"] {
        plain = match plain.rsplit_once(separator) {
            Some((_, last)) if !last.is_empty() => last,
            _ => plain,
        };
    }
    let is_one = |names: &[&str]| names.iter().any(|each| each.eq_ignore_ascii_case(plain));
    Some(if is_one(&SHELLS) {
        Tool::Shell
    } else if is_one(&INTERPRETERS) {
        Tool::Interpreter
    } else if is_one(&SEARCHES) {
        Tool::Search
    } else if is_one(&READERS) {
        Tool::Reader
    } else if is_one(&EDITORS) {
        Tool::Editor
    } else if is_one(&[OPENER]) {
        Tool::Opener
    } else if is_one(&WINDOWED) {
        Tool::Window
    } else {
        Tool::Other
    })
}

/// Returns the value of the first of several keys that is present.
pub(super) fn value<'n>(arguments: &'n Object<'n>, names: &[&str]) -> Option<&'n Node<'n>> {
    let mut values = names.iter().map(|name| arguments.get(name));
    values.find(|value| !value.is_null())
}

/// Returns the command in the arguments of a shell: a text, or a list of words.
pub(super) fn command(arguments: &Object<'_>) -> Result<Option<String>, Uncertain> {
    match value(arguments, &COMMANDS) {
        Some(Node::Text(text)) => Ok(Some(text.certain()?.into_owned())),
        // Only the record reader joins several commands.
        Some(list) if list.list().is_some() && std::ptr::eq(list, arguments.get("commands")) => {
            Err(Uncertain)
        }
        Some(Node::List(list)) => {
            let words: Option<Vec<_>> = list.items.iter().map(Node::quoted).collect();
            let Some(words) = words.filter(|words| !words.is_empty()) else {
                return Ok(None);
            };
            let words: Result<Vec<_>, _> = words.into_iter().map(Quoted::certain).collect();
            let words = words?;
            let program = words[0].rsplit('/').next().unwrap_or_default();
            if RUN_TEXT.contains(&program) && words.len() > 2 && words[1].starts_with('-') {
                return Ok(Some(words[2].to_string()));
            }
            let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
            Ok(Some(words.join(" ")))
        }
        _ => Ok(None),
    }
}

/// Returns the code in the arguments of an interpreter.
pub(super) fn code(arguments: &Object<'_>) -> Result<Option<String>, Uncertain> {
    match value(arguments, &CODE) {
        Some(Node::Text(text)) => Ok(Some(text.certain()?.into_owned())),
        _ => Ok(None),
    }
}

/// Quotes a word for a shell, as `shlex.quote` does.
fn shell_word(word: &str) -> String {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

/// Length of the end of a result that is searched for an exit code, in characters.
const ENDING: usize = 80;

/// Most digits of an exit code.
const DIGITS: usize = 9;

/// Returns the exit code that the last line of a result states.
pub(super) fn exit_code(result: &str) -> Result<Option<i64>, Uncertain> {
    ended(result).map(|(_, code)| code)
}

/// Splits off the last line of a result if it states an exit code; returns the rest and the code.
pub(super) fn ended(result: &str) -> Result<(&str, Option<i64>), Uncertain> {
    let begin = result
        .char_indices()
        .rev()
        .nth(ENDING - 1)
        .map_or(0, |(at, _)| at);
    let tail = result[begin..].to_ascii_lowercase();
    let Some(at) = tail.rfind("exit") else {
        return Ok((result, None));
    };
    if !tail.is_ascii() {
        return Err(Uncertain);
    }
    let Some(code) = code_after_exit(&tail[at + "exit".len()..]) else {
        return Ok((result, None));
    };
    // The text before it, which is matched backwards.
    let mut before = &tail[..at];
    for words in [
        &["a ", "an "][..],
        &["with "],
        &["finished ", "completed ", "exited ", "ended "],
        &["command ", "process "],
        &["the "],
        &["[", "(", "<"],
    ] {
        let found = words.iter().find_map(|word| before.strip_suffix(word));
        before = found.unwrap_or(before);
    }
    let blank = |c: char| c != '\n' && is_blank(c);
    before = before.trim_end_matches(blank);
    if !before.is_empty() && !before.ends_with('\n') {
        return Ok((result, None));
    }
    let output = before.strip_suffix('\n').unwrap_or(before);
    Ok((&result[..begin + output.len()], Some(code)))
}

/// Parses the number after the word `exit`, if nothing else follows.
fn code_after_exit(rest: &str) -> Option<i64> {
    let rest = rest.strip_prefix([' ', '_']).unwrap_or(rest);
    let rest = rest
        .strip_prefix("code")
        .or_else(|| rest.strip_prefix("status"))?;
    let rest = rest.strip_prefix([':', '=']).unwrap_or(rest);
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let unsigned = rest.strip_prefix('-').unwrap_or(rest);
    let after = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = unsigned.len() - after.len();
    if !(1..=DIGITS).contains(&digits) {
        return None;
    }
    let after = after.trim_start_matches([']', ')', '>', '.']);
    if !trim_end(after).is_empty() {
        return None;
    }
    let sign = rest.len() - unsigned.len();
    rest[..sign + digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Tool, Uncertain, exit_code, shell_word, tool};

    #[test]
    fn exit_codes() {
        for (result, code) in [
            ("1 failed\n[exit code 1]", Some(1)),
            ("Exit code: -12.\n", Some(-12)),
            (
                "x\n  (the command exited with an exit status=0)> \n\n",
                Some(0),
            ),
            ("x\n  (the command exited with an exit status=0)\n", Some(0)),
            ("exit code 1 is what I expect", None),
            ("said exit code 1", None),
            ("exit code 1234567890", None),
            ("exit1", None),
            ("", None),
            ("\n\nprocess finished with exit code 3", Some(3)),
        ] {
            assert_eq!(exit_code(result), Ok(code), "{result:?}");
        }
        assert_eq!(exit_code("\u{e9} exit code 1"), Err(Uncertain));
        let long = format!("\u{e9}{}exit code 7", "x".repeat(90));
        assert_eq!(exit_code(&long), Ok(None));
    }

    #[test]
    fn names_behind_namespaces() {
        assert_eq!(tool("mcp__files__Read_File"), Some(Tool::Reader));
        assert_eq!(tool("Goto"), Some(Tool::Window));
        assert_eq!(tool("functions.bash"), Some(Tool::Shell));
        assert_eq!(tool("a.b/"), Some(Tool::Other));
        assert_eq!(tool("PYTHON"), Some(Tool::Interpreter));
        assert_eq!(tool("b\u{e4}sh"), None);
    }

    #[test]
    fn words_of_a_shell() {
        assert_eq!(shell_word("a-b"), "a-b");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("it's"), "'it'\"'\"'s'");
    }
}
