use std::borrow::Cow;

use super::{Escapes, is_special, json_text, plain_end, text_end, unescaped};

#[test]
fn ends_of_texts_wherever_they_lie() {
    for (inside, escapes) in [
        ("", Some(Escapes::Absent)),
        ("##", Some(Escapes::Absent)),
        (r"\n", Some(Escapes::Named)),
        (r#"\n\"\\\t\r\b\f"#, Some(Escapes::Named)),
        ("\\\"#\\\\#]", Some(Escapes::Named)),
        (r"a\/", Some(Escapes::Other)),
        (r"\u00e9\n", Some(Escapes::Other)),
        (r"\", None),
        (r"\u12", None),
        (r"\u+123", None),
        (r"\x", None),
        ("\t", None),
        ("\\\n", None),
    ] {
        for (before, after) in (0..48).flat_map(|n| (0..24).map(move |m| (n, m))) {
            let text = format!("{}{inside}{}", "x".repeat(before), "é".repeat(after));
            let json = format!("{text}\"#\\");
            let expected = escapes.map(|escapes| (text.len(), escapes));
            assert_eq!(text_end(json.as_bytes(), 0), expected, "{json}");
            assert_eq!(text_end(text.as_bytes(), 0), None, "{text}");
            let valid = serde_json::from_str::<&serde_json::value::RawValue>;
            let quoted = format!("\"{text}\"");
            assert_eq!(valid(&quoted).is_ok(), escapes.is_some(), "{quoted}");
        }
    }
}

#[test]
fn texts() {
    assert!(matches!(
        unescaped("plain é"),
        Some(Cow::Borrowed("plain é"))
    ));
    for (inside, text) in [
        ("", ""),
        (r#"\n\t\r\b\f\"\\\/"#, "\n\t\r\x08\x0c\"\\/"),
        (r"a\nb\u00e9c", "a\nbéc"),
        (r"\ud83d\ude00!", "😀!"),
        (r"\\u00e9", "\\u00e9"),
    ] {
        assert_eq!(unescaped(inside).as_deref(), Some(text));
        let json = format!("\"{inside}\"");
        let known: Option<String> = serde_json::from_str(&json).ok();
        assert_eq!(known.as_deref(), Some(text));
    }
}

#[test]
fn halves_of_pairs_are_no_text() {
    for inside in [
        r"\ud83d",
        r"\ud83d\n",
        r"\ude00\ud83d",
        r"\ud83d\ud83d",
        r"\u+123",
        r"\x",
        r"\",
    ] {
        assert_eq!(unescaped(inside), None, "{inside}");
    }
}

#[test]
fn every_character_as_json() {
    let all: String = ('\0'..='\u{200}').chain(['😀', '\u{2028}']).collect();
    for begin in 0..40 {
        let text = format!("{}{all}", "x".repeat(begin));
        assert_eq!(json_text(&text), serde_json::to_string(&text).unwrap());
        let json = json_text(&text);
        assert_eq!(unescaped(&json[1..json.len() - 1]).as_deref(), Some(&*text));
    }
}

#[test]
fn the_end_of_what_is_plain() {
    for length in 0..100 {
        let mut bytes = vec![b'x'; length];
        assert_eq!(plain_end(&bytes, 0), None);
        for at in 0..length {
            for byte in 0..=u8::MAX {
                bytes[at] = byte;
                let expected = is_special(byte).then_some(at);
                assert_eq!(plain_end(&bytes, 0), expected, "{byte} at {at} of {length}");
            }
            bytes[at] = b'"';
            assert_eq!(plain_end(&bytes, at + 1), None);
            bytes[at] = b'x';
        }
    }
}
