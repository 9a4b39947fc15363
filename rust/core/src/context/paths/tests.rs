use super::{Finder, Search, is_leak, normalised};

const FILES: [&str; 5] = ["setup.py", "a.py", "src/a.py", "doc.md", "lib/x/b.py"];

fn find(search: Search, raw: &str) -> Option<String> {
    let finder = Finder::new(search, Some("acme__widget"), FILES.into_iter());
    finder.find(raw).map(std::borrow::Cow::into_owned)
}

#[test]
fn guesses_are_made_by_the_rules() {
    for (raw, file) in [
        (" './src\\a.py' ", Some("src/a.py")),
        ("/testbed/a.py", Some("a.py")),
        ("/widget/a.py", Some("a.py")),
        ("/gadget/a.py", None),
        ("../src/a.py", Some("src/a.py")),
        ("/srv/setup.py", Some("setup.py")),
        ("/tmp/setup.py", None),
        ("/x/site-packages/src/a.py", None),
        ("", None),
    ] {
        assert_eq!(find(Search::Careful, raw).as_deref(), file, "{raw}");
    }
}

#[test]
fn any_file_left_is_found() {
    assert_eq!(find(Search::AnyLeft, "/tmp/a.py").as_deref(), Some("a.py"));
    assert_eq!(find(Search::AnyLeft, "x/../a.py").as_deref(), Some("a.py"));
    assert_eq!(find(Search::AnyLeft, "src"), None);
}

#[test]
fn without_a_listing_what_follows_the_root_is_left() {
    assert_eq!(
        find(Search::Unlisted, "/home/me/src/z.py").as_deref(),
        Some("src/z.py")
    );
    assert_eq!(find(Search::Unlisted, "/tmp/z.py"), None);
}

#[test]
fn paths_are_normalised_as_python_does() {
    for (path, expected) in [
        ("", "."),
        ("//a", "//a"),
        ("///a", "/a"),
        ("../a/..", ".."),
        ("/../a", "/a"),
        ("a/./b/../..", "."),
    ] {
        assert_eq!(normalised(path), expected);
    }
}

#[test]
fn leaks_are_told_by_the_last_name() {
    assert!(is_leak("'/home/fix.patch'"));
    assert!(!is_leak("fix.patch/x"));
}
