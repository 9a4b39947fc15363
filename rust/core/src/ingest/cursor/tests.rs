use super::{Cursor, Scalar};

#[test]
fn texts() {
    for (json, text) in [
        (r#" "" "#, ""),
        (r#""é/src/a_long_name.py""#, "é/src/a_long_name.py"),
        (r#""a\n\"b\\" "#, "a\n\"b\\"),
        (r#""\\""#, "\\"),
        (r#""1234567\"89""#, "1234567\"89"),
    ] {
        let mut cursor = Cursor::new(json);
        assert_eq!(cursor.text().as_deref(), Some(text), "{json}");
        assert!(cursor.is_at_end());
    }
    for json in [
        "",
        "\"",
        "\"a",
        r#""\""#,
        "\"\t\"",
        r#""\x""#,
        r#""\ud800""#,
        "1",
        "\"\\\n\"",
    ] {
        assert_eq!(Cursor::new(json).text(), None, "{json}");
    }
}

#[test]
fn passed_keys() {
    let keys = ["\"start\":", "\"end\":", "\"st\":"];
    for (json, place) in [
        ("\"start\": 1", Some(0)),
        (" \n\"end\":1", Some(1)),
        ("\"st\":1", Some(2)),
        ("\"st\" :1", None),
        ("\"s\\u0074\":1", None),
        ("\"st", None),
        ("", None),
    ] {
        let mut cursor = Cursor::new(json);
        assert_eq!(cursor.pass_key(keys), place, "{json}");
        if place.is_some() {
            assert_eq!(cursor.integer(), Some(1), "{json}");
        }
    }
}

#[test]
fn integers() {
    for (json, value) in [
        ("0", 0),
        (" -12,", -12),
        ("999999999999999999", 10_i64.pow(18) - 1),
    ] {
        assert_eq!(Cursor::new(json).integer(), Some(value), "{json}");
    }
    for json in [
        "",
        "-",
        "-0",
        "01",
        "1.0",
        "1e5",
        "1E5",
        "1000000000000000000",
        "9999999999999999999",
        "x",
        "- 1",
    ] {
        assert_eq!(Cursor::new(json).integer(), None, "{json}");
    }
}

#[test]
fn counts() {
    let read = |json: &str| {
        let mut found = vec![7];
        let mut cursor = Cursor::new(json);
        cursor.counts(&mut found)?;
        cursor.is_at_end().then_some(found)
    };
    assert_eq!(read("[]"), Some(vec![7]));
    assert_eq!(
        read(" [0, 12,3\n, 999999999999999999 ] "),
        Some(vec![7, 0, 12, 3, 10_i64.pow(18) - 1])
    );
    let of_all_lengths: Vec<i64> = (0..18)
        .map(|digits| 1_234_567_890_123_456_789 / 10_i64.pow(digits + 1))
        .collect();
    for separator in [", ", ",", " ,", ",  ", "\t,\n"] {
        let written: Vec<String> = of_all_lengths.iter().map(i64::to_string).collect();
        let json = format!("[{}]", written.join(separator));
        let found = read(&json);
        assert_eq!(
            found.as_deref().map(|found| &found[1..]),
            Some(&of_all_lengths[..])
        );
    }
    for json in [
        "",
        "[",
        "[1",
        "[1,]",
        "[1, ]",
        "[, 1, 2, 3, 4]",
        "[00, 1, 2, 3]",
        "[01, 1, 2, 3]",
        "[-1, 1, 2, 3]",
        "[1.5, 2, 3, 4]",
        "[1 2]",
        "[-1]",
        "[01]",
        "[1.0]",
        "[1e5]",
        "[1000000000000000000]",
        "[99999999999999999999999]",
        "[null]",
    ] {
        assert_eq!(read(json), None, "{json}");
    }
}

#[test]
fn scalars() {
    for (json, value) in [
        ("null", Scalar::Null),
        (" true,", Scalar::Flag(true)),
        ("false", Scalar::Flag(false)),
        ("0", Scalar::Number(0.0)),
        ("-12}", Scalar::Number(-12.0)),
        ("0.1 ", Scalar::Number(0.1)),
        ("1.25e-3", Scalar::Number(0.00125)),
        ("5E+2", Scalar::Number(500.0)),
        ("9007199254740993", Scalar::Number(9_007_199_254_740_992.0)),
        (
            "123456789012345678901234567890",
            Scalar::Number(1.234_567_890_123_456_8e29),
        ),
        ("5e-324", Scalar::Number(5e-324)),
    ] {
        let mut cursor = Cursor::new(json);
        assert_eq!(cursor.scalar(), Some(value), "{json}");
        let number: Option<f64> = serde_json::from_str(json.trim_end_matches([',', '}'])).ok();
        assert!(
            number.is_none_or(|number| value == Scalar::Number(number)),
            "{json}"
        );
    }
    for json in [
        "",
        "-",
        "nul",
        "truth",
        "01",
        "-01",
        "+1",
        "1.",
        ".5",
        "1.e5",
        "1e",
        "1e+",
        "--1",
        "1-2",
        "1.2.3",
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        "-Infinity",
        "\"1\"",
        "[1]",
        "{}",
    ] {
        assert_eq!(Cursor::new(json).scalar(), None, "{json}");
    }
}

#[test]
fn lists_and_objects() {
    let sum = |json| {
        let mut sum = 0;
        let mut cursor = Cursor::new(json);
        cursor.object(|cursor, _| cursor.list(|cursor| cursor.integer().map(|n| sum += n)))?;
        cursor.is_at_end().then_some(sum)
    };
    assert_eq!(sum(r#"{"a": [1, 2], "b" : [ ] , "c": [4]} "#), Some(7));
    assert_eq!(sum("{}"), Some(0));
    for json in [
        r#"{"a": [1,]}"#,
        r#"{"a": [1]"#,
        r#"{"a": [1],}"#,
        r#"{"a" [1]}"#,
        r"{a: [1]}",
        r#"{"a": [1 2]}"#,
        "{} x",
        "[]",
        "",
    ] {
        assert_eq!(sum(json), None, "{json}");
    }
}
