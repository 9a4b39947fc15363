use super::super::{Bits, Texts};
use super::*;

fn lines(columns: &[(&str, Column)], rows: usize) -> Result<String, Refused> {
    let members = columns.iter().cloned();
    let members: Vec<_> = members.map(|(name, column)| member(name, column)).collect();
    written(&members, rows)
}

fn written(members: &[Member], rows: usize) -> Result<String, Refused> {
    let bytes = json_lines(members, rows)?.concat();
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

fn member<'a>(name: &str, column: Column<'a>) -> Member<'a> {
    Member {
        name: name.to_owned(),
        column,
        default: None,
    }
}

fn column(values: Values<'_>) -> Column<'_> {
    Column {
        valid: None,
        values,
    }
}

fn texts<'a>(offsets: &'a [i32], text: &'a str) -> Texts<'a> {
    Texts { offsets, text }
}

#[test]
fn every_kind_has_its_form() {
    let valid = Some(Bits {
        bytes: &[0b100],
        first: 1,
    });
    let ratios = Column {
        valid,
        values: Values::Number(&[0.5, 1e16]),
    };
    let numbers = column(Values::Number(&[0.1, f64::NAN, f64::NEG_INFINITY]));
    let keys = texts(&[0, 1, 2], "ab");
    let columns = [
        ("a\"", column(Values::Integer(&[1, -2]))),
        ("ratio", ratios),
        (
            "text",
            column(Values::Text(texts(&[0, 2, 5], "é\u{1}\n\""))),
        ),
        (
            "list",
            column(Values::List(&[0, 0, 3], Box::new(numbers.clone()))),
        ),
        (
            "map",
            column(Values::Mapping(&[0, 0, 2], keys, Box::new(numbers))),
        ),
        (
            "json",
            column(Values::Json(texts(&[0, 4, 9], "null[1,\n]"))),
        ),
    ];
    assert_eq!(lines(&columns, 2), Err(Refused));
    let expected = concat!(
        r#"{"a\"":1,"ratio":null,"text":"é","list":[],"map":{}}"#,
        "\n",
        r#"{"a\"":-2,"ratio":1e+16,"text":"\u0001\n\"","list":[0.1,"NaN","-Infinity"],"#,
        r#""map":{"a":0.1,"b":"NaN"}}"#,
        "\n",
    );
    assert_eq!(lines(&columns[..5], 2).as_deref(), Ok(expected));
}

#[test]
fn records_stand_under_the_names_of_their_members() {
    let valid = Some(Bits {
        bytes: &[0b01],
        first: 0,
    });
    let shares = Column {
        valid,
        values: Values::Number(&[0.5, 0.0]),
    };
    let members = vec![
        member("a/b", shares),
        member("n", column(Values::Integer(&[1, 2]))),
    ];
    let records = Box::new(column(Values::Record(members)));
    let keys = texts(&[0, 1, 2], "xy");
    let mapping = column(Values::Mapping(&[0, 2], keys, records));
    let expected = concat!(
        r#"{"m":{"x":{"a/b":0.5,"n":1},"y":{"a/b":null,"n":2}}}"#,
        "\n"
    );
    assert_eq!(lines(&[("m", mapping)], 1).as_deref(), Ok(expected));
}

#[test]
fn members_with_their_default_or_none_are_left_out() {
    let valid = Some(Bits {
        bytes: &[0b01],
        first: 0,
    });
    let counts = Column {
        valid,
        values: Values::Integer(&[0, 7]),
    };
    let some = |name, column, default: &str| Member {
        default: Some(default.to_owned()),
        ..member(name, column)
    };
    let flags = column(Values::Boolean(Bits {
        bytes: &[0b10],
        first: 0,
    }));
    let inner = vec![
        some("count", counts.clone(), "null"),
        some("flag", flags.clone(), "true"),
    ];
    let numbers = column(Values::Number(&[f64::NAN, f64::NEG_INFINITY]));
    let members = [
        some("count", counts, "0"),
        some("flag", flags, "true"),
        some("inner", column(Values::Record(inner)), "null"),
        some(
            "json",
            column(Values::Json(texts(&[0, 2, 4], "{}[]"))),
            "{}",
        ),
        some("number", numbers, "null"),
    ];
    let expected = concat!(
        r#"{"flag":false,"inner":{"count":0,"flag":false},"number":NaN}"#,
        "\n",
        r#"{"inner":{},"json":[],"number":-Infinity}"#,
        "\n",
    );
    assert_eq!(written(&members, 2).as_deref(), Ok(expected));
}

#[test]
fn json_stands_as_it_is_on_one_line() {
    let json = column(Values::Json(texts(&[0, 12], "{\"a\":\r\n1.50}")));
    let expected = "{\"json\":{\"a\":  1.50}}\n";
    assert_eq!(lines(&[("json", json)], 1).as_deref(), Ok(expected));
}

#[test]
fn what_lies_outside_is_refused() {
    for values in [
        Values::Integer(&[]),
        Values::Text(texts(&[0, 3], "a")),
        Values::Text(texts(&[1, 0], "a")),
        Values::Text(texts(&[0, 1], "é")),
        Values::List(&[0, 2], Box::new(column(Values::Integer(&[1])))),
        Values::Boolean(Bits {
            bytes: &[],
            first: 0,
        }),
    ] {
        assert_eq!(lines(&[("a", column(values))], 1), Err(Refused));
    }
    assert_eq!(Texts::new(&[0, 1], "é".as_bytes()).err(), Some(Refused));
    assert_eq!(Texts::new(&[-1, 1], b"a").err(), Some(Refused));
}

#[test]
fn nesting_is_counted_outside_of_texts() {
    assert!(!is_deep(&"[]".repeat(500)));
    assert!(!is_deep(&format!("[\"\\\"{}\"]", "[".repeat(500))));
    assert!(!is_deep(&"[".repeat(100)));
    assert!(is_deep(&"[".repeat(101)));
}
