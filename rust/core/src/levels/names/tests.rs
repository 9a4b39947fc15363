use super::{Alphabet, Groups, Name, Names, joined};

const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZÜ";
const BLANKS: &str = " \t\n\u{a0}\u{2003}";

fn parts(name: &str) -> (String, String, String) {
    let name = Name::split(name.as_bytes(), &Alphabet::new(CAPITALS, BLANKS));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        text(&joined(name.module)),
        text(name.class),
        text(name.function),
    )
}

#[test]
fn names_are_taken_apart() {
    for (name, module, class, function) in [
        ("f", "", "", "f"),
        ("m.f", "m", "", "f"),
        ("m.C.f", "m", "C", "f"),
        ("a.b.C.f(1, (2))", "a.b", "C", "f"),
        ("C.f", "C", "", "f"),
        ("m.Ü.f", "m", "Ü", "f"),
        ("m.ü.f", "m.ü", "", "f"),
        ("\u{a0} m..C.f (1)\u{2003}\t", "m", "C", "f"),
        (".m..n..C..f..", "m.n", "C", "f"),
        ("..C.f", "C", "", "f"),
        ("m.f)", "m", "", "f)"),
        ("m.f(", "m", "", "f("),
        ("(1, 2)", "", "", ""),
        (" ", "", "", ""),
        ("...", "", "", ""),
    ] {
        let expected = (module.into(), class.into(), function.into());
        assert_eq!(parts(name), expected, "{name:?}");
    }
}

#[test]
fn groups_nest() {
    let names = ["", "m.C.f(1)", "m.C.f(2)", "m.g", "m.C.g", "f", "m.C.f"];
    let mut offsets = vec![0];
    offsets.extend(names.iter().scan(0, |end, name| {
        *end += name.len() as i64;
        Some(*end)
    }));
    let text = names.concat();
    let names = Names {
        text: text.as_bytes(),
        offsets: &offsets,
    };
    let alphabet = Alphabet::new(CAPITALS, BLANKS);
    let mut groups = Groups::new(&names, &alphabet, 1..7);
    let functions: Vec<_> = (1..7).map(|name| groups.function(name)).collect();
    assert_eq!(functions, [0, 0, 1, 2, 3, 0]);
    assert_eq!(groups.class_of, [0, 1, 0, 2]);
    assert_eq!(groups.module_of, [0, 0, 1]);
    assert_eq!(groups.function(4), 2);
}
