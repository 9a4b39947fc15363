use super::super::tree::Node;
use super::{LONG, Parser};

fn whole(json: &str) -> Option<Node<'_>> {
    let mut parser = Parser::new(json);
    let value = parser.value()?;
    parser.is_at_end().then_some(value)
}

fn skips(json: &str) -> bool {
    let mut parser = Parser::new(json);
    parser.skip() == Some(json.trim()) && parser.is_at_end()
}

#[test]
fn values_know_how_they_are_written() {
    for json in [
        "null",
        "true",
        "-0.5e+10",
        r#""\u00e9 \ud83d\ude00 \/ é""#,
        "[]",
        r#"[1, [ ], {"a" : "\n"}]"#,
        r#"{"a": 1, "a": {"b": []}}"#,
    ] {
        assert_eq!(whole(json).unwrap().json().unwrap(), json);
        assert!(skips(json), "{json}");
        assert!(serde_json::from_str::<serde_json::Value>(json).is_ok());
    }
    assert!(skips(" [1 ] "));
}

#[test]
fn what_is_not_json_is_refused() {
    for json in [
        "",
        "[",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\": 1,}",
        "{a: 1}",
        "nul",
        "01",
        "1.",
        "-",
        "+1",
        ".5",
        "1e",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"",
        "NaN",
        "1e400",
        "é",
    ] {
        assert_eq!(whole(json), None, "{json}");
        assert!(!skips(json), "{json}");
    }
    assert_eq!(whole(&"[".repeat(200)), None);
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    assert!(whole(&deep).is_some());
    for (json, is_beyond) in [("[1e400", true), ("[1e40,", false), ("{", false)] {
        let mut parser = Parser::new(json);
        assert_eq!((parser.skip(), parser.is_beyond()), (None, is_beyond));
    }
}

#[test]
fn the_last_value_of_a_key_counts() {
    let object = whole(r#"{"a": 1, "\u0061": "x\n", "b": null}"#).unwrap();
    let object = object.object().unwrap();
    assert_eq!(object.get("a").quoted().unwrap().text().unwrap(), "x\n");
    assert!(object.has("b") && object.get("b").is_null() && !object.has("c"));
    let long = "x\\n".repeat(LONG);
    let twice = format!(r#"["{long}", "{long}", "{long}y", "{}"]"#, &long[1..]);
    let known: Vec<String> = serde_json::from_str(&twice).unwrap();
    let texts = whole(&twice).unwrap();
    let texts = texts
        .list()
        .unwrap()
        .iter()
        .map(|each| each.quoted().unwrap().text());
    assert!(texts.eq(known.iter().map(|text| Some(text.into()))));
    let half = whole(r#""\ud83d""#).unwrap();
    assert_eq!((half.quoted().unwrap().text(), half.json()), (None, None));
}
