use rustc_hash::{FxHashMap, FxHashSet};

use super::{NO_OBJECT, UNCERTAIN, object_codes, objects};

fn both(texts: &[&str], runs: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let mut offsets = vec![0];
    for text in texts {
        offsets.push(offsets[offsets.len() - 1] + text.len() as i64);
    }
    let bytes = texts.concat().into_bytes();
    (
        object_codes(&bytes, &offsets, runs).unwrap(),
        objects(&bytes, &offsets).unwrap(),
    )
}

#[test]
fn equal_objects_share_a_code() {
    let texts = [
        r#"{"a": 1, "b": [true, null, {"c": "d"}]}"#,
        r#" {"b":[true,null,{"c":"\u0064"}],"a":1.0} "#,
        r#"{"a": 1, "b": [1, null, {"c": "d"}]}"#,
        "{}",
        r#"{"a": -0.0}"#,
        r#"{"a": 0}"#,
        r#"{"a": 0.5}"#,
        r#"{"a": 50e-2}"#,
    ];
    let (codes, kinds) = both(&texts, &[0, 8]);
    assert_eq!(codes, [0, 0, 2, 3, 4, 4, 6, 6]);
    assert_eq!(kinds, [0; 8]);
}

#[test]
fn the_borders_between_values_are_kept() {
    let texts = [
        r#"{"a": ["b", "c"]}"#,
        r#"{"a": ["bc"]}"#,
        r#"{"a": [["b"], "c"]}"#,
        r#"{"a": [["b", "c"]]}"#,
        r#"{"a": {"b": "c"}}"#,
        r#"{"ab": "c"}"#,
    ];
    assert_eq!(both(&texts, &[0, 6]).0, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn offsets_that_lead_nowhere_are_refused() {
    for runs in [&[][..], &[0], &[0, 0]] {
        assert_eq!(object_codes(b"", &[], runs), Ok(Vec::new()));
    }
    assert!(object_codes(b"{}", &[5, 0], &[0, 1]).is_err());
    assert!(object_codes(b"{}", &[0, 2], &[0, 2]).is_err());
    assert!(objects(b"{}", &[0, 3]).is_err());
}

#[test]
fn codes_of_a_run_do_not_depend_on_pieces() {
    let texts: Vec<_> = (0..40_000)
        .map(|row| match row % 5 {
            0 => "[]".to_owned(),
            1 => "{".to_owned(),
            _ => format!(r#"{{"a": {}, "b": {}}}"#, row % 7, row / 30_000),
        })
        .collect();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let runs: Vec<i64> = vec![0, 10, 10, 20_000, 39_999, 40_000];
    let (codes, kinds) = both(&texts, &runs);
    for run in runs.windows(2) {
        let mut met = FxHashMap::default();
        for row in run[0] as usize..run[1] as usize {
            let (text, code) = (texts[row], codes[row]);
            match row % 5 {
                0 => assert_eq!(code, NO_OBJECT),
                1 => assert_eq!(code, UNCERTAIN),
                _ => assert_eq!(*met.entry(text).or_insert(code), code, "{text}"),
            }
            assert_eq!(kinds[row], code.min(0), "{text}");
        }
        let different: FxHashSet<_> = met.values().collect();
        assert_eq!(different.len(), met.len());
    }
}

#[test]
fn others_are_told_apart() {
    let texts = [
        "[1]", "true", "-1.5", "null", r#""{}""#, "", "[1", "NaN", "tru", "{",
    ];
    let (codes, kinds) = both(&texts, &[0, 10]);
    assert_eq!(codes, kinds);
    assert_eq!(codes[..3], [NO_OBJECT; 3]);
    assert_eq!(codes[3..], [UNCERTAIN; 7]);
}

#[test]
fn what_python_may_read_otherwise_is_left_to_it() {
    let texts = [
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": 18446744073709551616}"#,
        r#"{"a": 9007199254740992.0}"#,
        r#"{"a": "\ud800"}"#,
        r#"{"a": 1e400}"#,
        r#"{"a": 1} x"#,
    ];
    let (codes, kinds) = both(&texts, &[0, 6]);
    assert_eq!(codes, [UNCERTAIN; 6]);
    assert_eq!(kinds, [0, 0, 0, UNCERTAIN, UNCERTAIN, UNCERTAIN]);
}
