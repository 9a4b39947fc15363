//! Texts of version 1: bash blocks, results of commands, and claims about what is seen.
//!
//! What the rules of the record reader say of other than ASCII text is left to it.

use memchr::memmem;

/// Longest number that the rules take.
const DIGITS: usize = 18;

/// The text is not certain to mean the same to the record reader.
pub(super) struct Uncertain;

/// Where a mark stands in a text; `str::find` takes many times as long.
pub(super) fn find(text: &str, mark: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), mark.as_bytes())
}

/// The texts between two marks.
pub(super) fn between<'a>(
    text: &'a str,
    open: &'static str,
    close: &'static str,
) -> impl Iterator<Item = &'a str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = find(rest, open)? + open.len();
        let length = find(&rest[begin..], close)?;
        let found = &rest[begin..begin + length];
        rest = &rest[begin + length + close.len()..];
        Some(found)
    })
}

/// The only bash block of a text.
pub(super) fn program(text: &str) -> Result<Option<&str>, Uncertain> {
    const OPEN: &str = "```bash";
    const CLOSE: &str = "```";
    let mut found = None;
    let mut rest = text;
    while let Some(at) = find(rest, OPEN) {
        rest = &rest[at + OPEN.len()..];
        let blank = rest.len() - rest.trim_start_matches(is_space).len();
        if rest[blank..].starts_with(|next: char| !next.is_ascii()) {
            return Err(Uncertain);
        }
        let Some(newline) = rest[..blank].rfind('\n') else {
            continue;
        };
        let Some(length) = find(&rest[newline + 1..], CLOSE) else {
            break;
        };
        let body = &rest[newline + 1..newline + 1 + length];
        if found
            .replace(body.strip_suffix('\n').unwrap_or(body))
            .is_some()
        {
            return Ok(None);
        }
        rest = &rest[newline + 1 + length + CLOSE.len()..];
    }
    Ok(found)
}

/// The return code that a text tells, as it is written.
pub(super) fn code(text: &str) -> Result<Option<&str>, Uncertain> {
    const OPEN: &str = "<returncode>";
    let mut rest = text;
    while let Some(at) = find(rest, OPEN) {
        rest = &rest[at + OPEN.len()..];
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let digits = unsigned.len()
            - unsigned
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let after = &unsigned[digits..];
        if after.starts_with(|next: char| !next.is_ascii()) {
            return Err(Uncertain);
        }
        if (1..=DIGITS).contains(&digits) && after.starts_with("</returncode>") {
            return Ok(Some(&rest[..rest.len() - after.len()]));
        }
    }
    Ok(None)
}

/// How many blocks of a text claim lines of a file.
pub(super) fn steps(text: &str, repository: Option<&str>) -> Result<usize, Uncertain> {
    let mut steps = 0;
    for block in between(text, "<explore_context>", "</explore_context>") {
        steps += usize::from(has_range(block, repository)?);
    }
    Ok(steps)
}

fn has_range(block: &str, repository: Option<&str>) -> Result<bool, Uncertain> {
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if !block.bytes().all(is_plain) {
        return Err(Uncertain);
    }
    let mut is_inside = false;
    for line in block.split('\n') {
        let line = line.trim();
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        if key == "File" {
            is_inside = lies_inside(value, repository);
        } else if key == "Lines" && is_inside && is_range(value) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether text begins with two numbers that a dash joins.
fn is_range(text: &str) -> bool {
    number(text)
        .and_then(|rest| number(rest.trim_start().strip_prefix('-')?))
        .is_some()
}

/// What follows a number; none if there is none.
fn number(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    // Of a longer number the rules take a part, which is not followed by a dash.
    (digits > 0).then(|| &text[digits.min(DIGITS)..])
}

/// Whether a path lies within the repository, once the folders of a container are taken away.
fn lies_inside(written: &str, repository: Option<&str>) -> bool {
    let path = written.trim().trim_matches(['"', '\'']).trim();
    let inner = match (path.strip_prefix("/testbed/"), path.strip_prefix("/home/")) {
        (Some(rest), _) => rest,
        (None, None) => path,
        (None, Some(below)) => match below.split_once('/') {
            None => return false,
            Some((first, rest)) if Some(first) == repository => rest,
            Some(_) => below,
        },
    };
    let inner = inner.trim_start_matches('/');
    !inner.strip_prefix("./").unwrap_or(inner).is_empty()
}

/// What Python takes for a blank, of ASCII.
fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\x1c'..=' ')
}

#[cfg(test)]
mod tests {
    use super::{between, code, program, steps};

    fn certain<T>(result: Result<T, super::Uncertain>) -> Option<T> {
        result.ok()
    }

    #[test]
    fn only_bash_block() {
        let program = |text| certain(program(text));
        assert_eq!(program("a ```bash\nls\n``` b"), Some(Some("ls")));
        assert_eq!(program("```bash \n\n\n  x```"), Some(Some("  x")));
        assert_eq!(program("```bash\n```"), Some(Some("")));
        assert_eq!(program("```bash\na\n``````bash\nb\n```"), Some(None));
        for none in [
            "",
            "```bash",
            "```bash ls```",
            "```bash\nls",
            "```sh\nls\n```",
        ] {
            assert_eq!(program(none), Some(None), "{none}");
        }
        assert_eq!(program("```bash\u{a0}\nls\n```"), None);
    }

    #[test]
    fn return_codes() {
        let code = |text| certain(code(text));
        assert_eq!(code("<returncode>-12</returncode>"), Some(Some("-12")));
        assert_eq!(
            code("<returncode>x<returncode>0</returncode>"),
            Some(Some("0"))
        );
        assert_eq!(code("<returncode></returncode>"), Some(None));
        assert_eq!(code("<returncode>\u{663}</returncode>"), None);
    }

    #[test]
    fn claims_with_a_range_are_steps() {
        let text = |lines: &str| format!("<explore_context>{lines}</explore_context>");
        let count = |lines: &str| certain(steps(&text(lines), Some("r")));
        assert_eq!(count("File: a.py\nLines: 5-2"), Some(1));
        assert_eq!(count("File: /home/r/a\n Lines:1 - 2, 3"), Some(1));
        for none in [
            "Lines: 1-2\nFile: a",
            "File: a\nLines: x",
            "File: /testbed/\nLines: 1-2",
            "File: /home/r\nLines: 1-2",
            "file: a\nLines: 1-2",
        ] {
            assert_eq!(count(none), Some(0), "{none}");
        }
        assert_eq!(count("File: \u{e9}\nLines: 1-2"), None);
    }

    #[test]
    fn texts_between_marks_do_not_overlap() {
        let found: Vec<_> = between("<a>1</a><a>2<a></a></a><a>", "<a>", "</a>").collect();
        assert_eq!(found, ["1", "2<a>"]);
    }
}
