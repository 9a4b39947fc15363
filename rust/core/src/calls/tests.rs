use super::{Calls, Matched, match_calls};
use crate::text::Texts;

/// Calls `act` with these calls, name and arguments each, as those of one attempt.
fn with<R>(calls: &[(i64, &str)], act: impl FnOnce(Calls) -> R) -> R {
    let names: Vec<i64> = calls.iter().map(|(name, _)| *name).collect();
    let bytes: String = calls.iter().map(|(_, json)| *json).collect();
    let mut offsets = vec![0];
    for (_, json) in calls {
        offsets.push(offsets[offsets.len() - 1] + json.len() as i64);
    }
    let arguments = Texts {
        bytes: bytes.as_bytes(),
        offsets: &offsets,
    };
    act(Calls {
        names: &names,
        arguments,
        offsets: &[0, calls.len() as i64],
    })
}

fn matched(actual: &[(i64, &str)], reference: &[(i64, &str)]) -> (Vec<i64>, String) {
    let names = Texts {
        bytes: b"ab",
        offsets: &[0, 1, 2],
    };
    let found = with(actual, |actual| {
        with(reference, |reference| {
            match_calls(actual, reference, &[0], names)
        })
    });
    let Matched {
        figures,
        mismatches,
        ..
    } = found.unwrap_or_default();
    (figures, String::from_utf8(mismatches).unwrap_or_default())
}

#[test]
fn numbers_are_equal_by_value_and_keys_have_no_order() {
    let actual = [(0, r#"{"b": [true, null], "a": 1}"#), (1, "")];
    let reference = [(0, r#"{"a":1.0,"b":[true,null]}"#), (1, "{}")];
    assert_eq!(
        matched(&actual, &reference),
        (vec![2, 2, 1, 0], "[]".to_owned())
    );
}

#[test]
fn a_call_is_explained_by_the_one_most_like_it() {
    let actual = [(0, r#"{"q": "x", "n": 1}"#), (0, r#"{"q": "y", "n": [1]}"#)];
    let reference = [(0, r#"{"q": "y", "n": [1, 2]}"#)];
    let (figures, mismatches) = matched(&actual, &reference);
    assert_eq!(figures, [0, 0, 0, 2]);
    assert_eq!(
        mismatches,
        concat!(
            r#"[{"kind":"arguments","tool":"a","reference":0,"actual":1,"path":["n"],"#,
            r#""expected":[1,2],"got":[1],"reason":"it has 1 elements, expected 2"},"#,
            r#"{"kind":"unexpected","tool":"a","reference":null,"actual":0,"path":[],"#,
            r#""expected":null,"got":null,"reason":"the reference has no such call left"}]"#,
        )
    );
}

#[test]
fn arguments_may_be_json_text() {
    let actual = [(0, r#""{\"q\": \"\\u00e9\"}""#)];
    assert_eq!(matched(&actual, &[(0, r#"{"q":"é"}"#)]).0, [1, 1, 1, 0]);
}

#[test]
fn what_the_twin_may_read_otherwise_is_left_to_it() {
    for arguments in [
        "[1]",
        r#""""#,
        r#"{"q": NaN}"#,
        r#"{"q": -0}"#,
        r#"{"q": 1, "q": 1}"#,
        r#"{"q": 12345678901234567890123}"#,
        r#"{"q": 9223372036854775808}"#,
        r#"{"q": "\ud800"}"#,
    ] {
        assert_eq!(
            matched(&[(0, arguments)], &[(0, "{}")]).0,
            [-1; 4],
            "{arguments}"
        );
        assert_eq!(
            matched(&[(0, "{}")], &[(0, arguments)]).0,
            [-1; 4],
            "{arguments}"
        );
    }
}
