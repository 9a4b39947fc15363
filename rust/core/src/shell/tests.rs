//! Examples of each rule. The Python tests compare every rule with the twin.

use super::{Executed, Extent, LeakKind, Uncertain, View, shell_views};

fn written(view: &View) -> String {
    let extent = match view.extent {
        Extent::Unknown => ":?".to_owned(),
        Extent::Whole => String::new(),
        Extent::Lines(first, last) => format!(":{first}-{last}"),
    };
    let mark = if view.is_search { "*" } else { "" };
    format!("{}{extent}{mark}", view.path)
}

fn views(executed: &Executed<'_>) -> Vec<String> {
    let shown = shell_views(executed).map(|shown| shown.views);
    shown.map_or_else(
        |Uncertain| vec!["uncertain".to_owned()],
        |views| views.iter().map(written).collect(),
    )
}

fn asked(command: &str) -> Vec<String> {
    views(&Executed {
        command,
        ..Executed::default()
    })
}

fn seen(command: &str, output: &str) -> Vec<String> {
    views(&Executed {
        command,
        output: Some(output),
        code: Some(0),
        ..Executed::default()
    })
}

#[test]
fn what_commands_ask_for() {
    for (command, expected) in [
        ("cat src/a.py", &["src/a.py"][..]),
        ("head -20 a.py", &["a.py:1-20"]),
        ("sed -n '1,5p;10,20p' a.py", &["a.py:1-5", "a.py:10-20"]),
        ("sed '10,20!d' a.py", &["a.py:10-20"]),
        ("awk 'NR>=10{print} NR>20{exit}' a.py", &["a.py:10-20"]),
        ("nl -ba a.py | sed -n 2,3p", &["a.py:2-3"]),
        ("bat -r 5:9 a.py", &["a.py:5-9"]),
        ("git blame -L5,+3 a.py", &["a.py:5-7"]),
        (
            "cd src && (cd x; cat a.py); cat ../b.py",
            &["src/x/a.py", "b.py"],
        ),
        ("pushd s; pushd ../t; popd; cat a.py", &["s/a.py"]),
        ("bash -lc 'cat a.py'", &["a.py"]),
        ("timeout -k 5 10 cat a.py", &["a.py"]),
        ("cat <<'E' > b.py\ncat a.py\nE\ncat c.py", &["c.py"]),
        ("cat 'a b'\"c\"\\ d", &["a bc d"]),
        ("grep foo a.py", &["a.py:?*"]),
        ("false || cat a.py; true || cat b.py", &["a.py"]),
        ("cat $FILE *.py {a,b}.py `ls` <(ls)", &[]),
        ("cat a.py > b.py", &[]),
        ("cat /tmp/a.py", &[]),
    ] {
        assert_eq!(asked(command), expected, "{command}");
    }
}

#[test]
fn what_outputs_tell() {
    for (command, output, expected) in [
        ("head -50 a.py", "x\ny\n", &["a.py:1-2"][..]),
        (
            "cat -n a.py",
            "  3\tx\n  4\ty\n  9\tz\n",
            &["a.py:3-4", "a.py:9-9"],
        ),
        (
            "cat a.py; echo --; cat b.py",
            "x\n--\ny\nz\n",
            &["a.py:1-1", "b.py:1-2"],
        ),
        (
            "head -2 a.py b.py",
            "==> a.py <==\nx\n\n==> b.py <==\ny\n",
            &["a.py:1-1", "b.py:1-1"],
        ),
        (
            "grep -rn x .",
            "./a.py:3:x\n./a.py:9:x\n",
            &["a.py:3-3*", "a.py:9-9*"],
        ),
        ("grep -rnC1 x s", "s/a-2-\ns/a:3:x\ns/a-4-\n", &["s/a:2-4*"]),
        (
            "git diff",
            "+++ b/a.py\n@@ -1,2 +4,3 @@\n+x\n",
            &["a.py:4-6"],
        ),
        (
            "cat a.py b.py",
            "cat: a.py: No such file or directory\nx\n",
            &["b.py:1-1"],
        ),
        (
            "cat a.py b.py",
            "x: 1\n ls: not found\n: not found\ncat: a.py: Permission denied\ny\n",
            &["b.py:1-4"],
        ),
        (
            "cat a.py",
            "a line that is longer than a block is\n\nand one more that is longer than a block",
            &["a.py:1-3"],
        ),
        (
            "cat a.py",
            "x\n... 9 lines truncated ...\ny\n",
            &["a.py:1-1"],
        ),
        (
            "cat a.py",
            "x\ny\n[... omitted 2 of 9 lines ...]\nz\n",
            &["a.py:1-2"],
        ),
    ] {
        assert_eq!(seen(command, output), expected, "{command}");
    }
    let hidden = Executed {
        command: "cat a.py",
        output: Some("1\n2\n3\n4\n"),
        hidden: Some((2, 4)),
        ..Executed::default()
    };
    assert_eq!(views(&hidden), ["a.py:1-1", "a.py:3-4"]);
    let failed = Executed {
        command: "cat a.py",
        output: Some(""),
        code: Some(1),
        ..Executed::default()
    };
    assert_eq!(views(&failed), [""; 0]);
}

#[test]
fn leaks() {
    let kinds = |command: &str| {
        let executed = Executed {
            command,
            ..Executed::default()
        };
        let leaks = shell_views(&executed).map(|shown| shown.leaks);
        let leaks = leaks.unwrap_or_default();
        leaks.iter().map(|leak| leak.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("cat /home/fix.patch"), [LeakKind::GoldPatch]);
    assert_eq!(kinds("patch < /tests.diff"), [LeakKind::TestPatch]);
    assert_eq!(kinds("ls /fix.patch; git log -3"), []);
    for future in [
        "git log --all",
        "git show HEAD..origin/main:a.py",
        "git diff main@{u}",
        "git fetch",
        "curl https://api.github.com/repos/a/b",
    ] {
        assert_eq!(kinds(future), [LeakKind::Future], "{future}");
    }
}

#[test]
fn what_is_left_to_the_twin() {
    for command in [
        "cat \u{b2}",
        "cat a\0",
        "echo $é",
        "é=1",
        "bat -r 9:3 a",
        "grep -² x",
    ] {
        assert_eq!(asked(command), ["uncertain"], "{command}");
    }
    assert_eq!(seen("grep -n x .", "\u{663}:x\n"), ["uncertain"]);
    assert_eq!(seen("cat a", "é: not found\n"), ["uncertain"]);
    assert_eq!(seen("cat a", "–: not found\né: x\n"), ["a:1-2"]);
    assert_eq!(asked("cat é.py"), ["é.py"]);
}
