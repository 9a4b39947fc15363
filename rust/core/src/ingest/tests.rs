//! Columns of lines, worked out by hand. The Python tests compare many more with the record reader.

use std::convert::identity;

use super::merge::merged;
use super::{Column, Format, Piece, Reader, Shape, Values, Wanted, pieces};

const SHAPE: &str = include_str!("../../../../fuzz/trajectory_shape.json");

fn reader() -> Reader {
    let shape = Shape::record(SHAPE).unwrap();
    let names = shape.members.iter().map(|member| member.name.clone());
    let wanted = Wanted::new(names.collect());
    Reader::trajectories(shape, wanted).unwrap()
}

fn column<'a>(reader: &Reader, piece: &'a Piece, name: &str) -> &'a Column {
    let index = reader.shape().position(name).unwrap();
    piece.columns[index].as_ref().unwrap()
}

fn texts(column: &Column) -> Vec<Option<String>> {
    let Values::Text(texts) = &column.values else {
        panic!("not a column of texts");
    };
    let text = |row: usize| {
        let (begin, end) = (texts.offsets[row] as usize, texts.offsets[row + 1] as usize);
        String::from_utf8(texts.bytes[begin..end].to_vec()).unwrap()
    };
    (0..column.len())
        .map(|row| column.valid[row].then(|| text(row)))
        .collect()
}

#[test]
fn refused_line_leaves_nothing_behind() {
    let reader = reader();
    let block = concat!(
        r#"{"task_id": "a", "note": [1]}"#,
        "\n\n",
        r#"{"turns": [{"views": [{"path": "p"}], "program": "x"}, {"number": 1.5}], "task_id": "b"}"#,
        "\r\n",
        r#"{"instance_id": "c", "model_patch": "\n", "traj_data": {"note": 1}}"#,
    );
    let read = reader.read(block.as_bytes(), "file", 7, identity);
    let [piece] = &read[..] else {
        panic!("one piece");
    };
    assert_eq!((piece.rows, piece.next_line), (2, 11));
    let [refused] = &piece.refused[..] else {
        panic!("one line is refused");
    };
    assert_eq!((refused.row, refused.number), (1, 9));
    assert!(block[refused.bytes.clone()].ends_with("\"b\"}\r\n"));
    let texts = |name| texts(column(&reader, piece, name));
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts("task_id"), [some("a"), some("c")]);
    assert_eq!(texts("final_patch"), [None, some("\n")]);
    let extra = [
        some(r#"{"note": [1]}"#),
        some(r#"{"traj_data": {"note": 1}}"#),
    ];
    assert_eq!(texts("extra"), extra);
    let Values::List(offsets, turns) = &column(&reader, piece, "turns").values else {
        panic!("turns are a list");
    };
    assert_eq!((&offsets[..], turns.len()), (&[0, 0, 0][..], 0));
    for column in piece.columns.iter().flatten() {
        assert_eq!(column.len(), 2);
    }
}

#[test]
fn unwanted_columns_are_checked_all_the_same() {
    let shape = Shape::record(SHAPE).unwrap();
    let wanted = Wanted::new(vec!["task_id".to_owned()]);
    let reader = Reader::trajectories(shape, wanted).unwrap();
    let block = b"{\"task_id\": \"a\", \"trial\": \"x\"}\n{\"task_id\": \"b\", \"trial\": 1}\n";
    let read = reader.read(block, "file", 1, identity);
    assert_eq!((read[0].rows, read[0].refused.len()), (1, 1));
    assert_eq!(read[0].columns.iter().flatten().count(), 1);
}

#[test]
fn members_are_wanted_one_by_one() {
    let wanted = Wanted::new(vec!["turns.views".to_owned(), "usage".to_owned()]);
    for path in [
        "turns",
        "turns.views",
        "turns.views.path",
        "usage",
        "usage.cost_usd",
    ] {
        assert!(wanted.has(path), "{path}");
    }
    for path in [
        "turn",
        "turns.view",
        "turns.number",
        "us",
        "final_views",
        "",
    ] {
        assert!(!wanted.has(path), "{path}");
    }
    let reader = Reader::trajectories(Shape::record(SHAPE).unwrap(), wanted).unwrap();
    let block = br#"{"task_id": "a", "turns": [{"number": 1, "views": [{"path": "p"}]}]}"#;
    let pieces = reader.read(block, "file", 1, identity);
    let Values::List(_, turns) = &column(&reader, &pieces[0], "turns").values else {
        panic!("turns are a list");
    };
    let Values::Record(members) = &turns.values else {
        panic!("a turn is a record");
    };
    let lengths: Vec<_> = members.iter().map(Column::len).collect();
    assert_eq!((lengths.iter().sum::<usize>(), turns.len()), (1, 1));
}

#[test]
fn lines_of_other_formats_are_refused() {
    let block = concat!(
        r#"{"task_id": "a", "note": {"song": 1}}"#,
        "\n",
        r#"{"task_id": "b", "song": 1}"#,
        "\n",
        r#"{"instance_id": "c", "model_patch": "", "song": 1}"#,
        "\n",
        r#"{"instance_id": "d", "model_patch": ""}"#,
    );
    let read = |formats: &[Format]| {
        let reader = reader().only(formats.to_vec(), ["song".to_owned()]);
        let pieces = reader.read(block.as_bytes(), "file", 1, identity);
        texts(column(&reader, &pieces[0], "task_id"))
    };
    let [own, prediction] = ["a", "d"].map(|id| Some(id.to_owned()));
    assert_eq!(
        read(&[Format::Own, Format::Prediction]),
        [own.clone(), prediction.clone()]
    );
    assert_eq!(read(&[Format::Own]), [own]);
    assert_eq!(read(&[Format::Prediction]), [prediction]);
    assert_eq!(read(&[]), []);
}

#[test]
fn pieces_end_behind_newlines() {
    let line = [vec![b' '; 300_000], vec![b'\n']].concat();
    let block = [line.repeat(10), vec![b' '; 2_000_000], line, vec![b' ']].concat();
    let pieces = pieces(&block, 1 << 21);
    assert!(pieces.len() > 3);
    assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
    let (last, others) = pieces.split_last().unwrap();
    assert!(others.iter().all(|range| block[range.end - 1] == b'\n'));
    assert_eq!((pieces[0].start, last.end), (0, block.len()));
}

#[test]
fn threads_that_share_a_block_number_its_lines_alike() {
    let reader = reader();
    let filler = "x".repeat(900);
    let lines = (0..5000).map(|number| match number % 50 {
        7 => "\n".to_owned(),
        // A broken line, which is refused.
        9 => format!("{{\"task_id\": \"{number}\",\n"),
        _ => format!("{{\"task_id\": \"{number}\", \"note\": \"{filler}\"}}\n"),
    });
    let lines: Vec<String> = lines.collect();
    let block = lines.concat();
    let (mut tasks, mut refused, mut next_line) = (Vec::new(), Vec::new(), 0);
    for piece in reader.read(block.as_bytes(), "file", 3, identity) {
        let before = tasks.len();
        let places = piece.refused.iter().map(|line| {
            let text = &block[line.bytes.clone()];
            (before + line.row, line.number, text.to_owned())
        });
        refused.extend(places);
        tasks.extend(texts(column(&reader, &piece, "task_id")));
        next_line = piece.next_line;
    }
    let (mut expected, mut expected_refused) = (Vec::new(), Vec::new());
    for (number, line) in lines.into_iter().enumerate() {
        match number % 50 {
            7 => {}
            9 => expected_refused.push((expected.len(), number as i64 + 3, line)),
            _ => expected.push(Some(number.to_string())),
        }
    }
    assert_eq!(tasks, expected);
    assert_eq!(refused, expected_refused);
    assert_eq!(next_line, 5003);
}

#[test]
fn pieces_put_together_are_those_of_one_reading() {
    let reader = reader();
    let lines = [
        r#"{"task_id": "a", "turns": [{"views": [{"path": "é"}], "success": true}, {}], "note": 1}"#,
        "odd",
        r#"{"instance_id": "c", "model_patch": "x"}"#,
        r#"{"task_id": "d", "usage": {"input_tokens": 1, "cost_usd": 0.5}, "turns": []}"#,
        r#"{"task_id": "e", "passed": false, "metadata": {"a": 1}, "unusable": {"k": "v"}}"#,
        "also odd",
    ];
    let block = lines.join("\n");
    let [whole] = &reader.read(block.as_bytes(), "file", 1, identity)[..] else {
        panic!("one piece");
    };
    let pieces = (1..).zip(lines);
    let pieces =
        pieces.flat_map(|(number, line)| reader.read(line.as_bytes(), "file", number, identity));
    let parts = pieces.map(|piece| vec![piece]);
    let [together] = &merged(parts.collect(), identity)[..] else {
        panic!("one piece");
    };
    assert_eq!((together.rows, together.next_line), (4, whole.next_line));
    assert_eq!(
        format!("{:?}", together.columns),
        format!("{:?}", whole.columns)
    );
    let places = |piece: &Piece| -> Vec<_> {
        let refused = piece.refused.iter();
        refused.map(|each| (each.row, each.number)).collect()
    };
    assert_eq!(places(together), [(1, 2), (4, 6)]);
    assert_eq!(places(together), places(whole));
    assert!(merged(Vec::new(), identity).is_empty());
}

#[test]
fn large_pieces_become_a_few_in_their_order() {
    const LARGE: usize = 1 << 20;
    let reader = reader();
    let said: Vec<String> = (0..40).map(|row| row.to_string().repeat(LARGE)).collect();
    let lines = said.iter().enumerate();
    let lines =
        lines.map(|(row, text)| format!(r#"{{"task_id": "{row}", "final_output": "{text}"}}"#));
    let pieces = lines.flat_map(|line| reader.read(line.as_bytes(), "file", 1, identity));
    let parts = pieces.map(|piece| vec![piece]);
    let merged = merged(parts.collect(), identity);
    assert_eq!(merged.len(), 5); // of 70 MiB
    let found = |name| -> Vec<Option<String>> {
        let columns = merged.iter().map(|piece| column(&reader, piece, name));
        columns.flat_map(texts).collect()
    };
    let tasks = (0..40).map(|row| Some(row.to_string()));
    assert_eq!(found("task_id"), tasks.collect::<Vec<_>>());
    assert!(found("final_output").into_iter().flatten().eq(said));
}

#[test]
fn shape_has_to_fit() {
    for json in ["", "1", r#"{"kind": "text"}"#, r#"{"kind": "record"}"#] {
        let reader = Shape::record(json)
            .and_then(|shape| Reader::trajectories(shape, Wanted::new(Vec::new())));
        assert!(reader.is_err(), "{json}");
    }
}

#[test]
fn refused_log_leaves_nothing_behind() {
    let reader = reader();
    let log = br#"{"trajectory_format": "mini-swe-agent-1", "instance_id": "a", "messages":
        [{"role": "assistant", "content": "```bash\nls\n```", "timestamp": 1},
         {"content": [{"text": "<returncode>2</returncode>"}, {}], "timestamp": 3.5}]}"#;
    let odd = br#"{"trajectory_format": "mini-swe-agent-1", "messages": [{"content": 1}]}"#;
    let cut: &[u8] = br#"{"trajectory_format": "mini-swe-agent-1", ]]]"#;
    assert_eq!(
        reader.read_log_contents(&[cut], "a", false).refused.len(),
        1
    );
    let piece = reader.read_log_contents(&[log, odd, log], "b/c.traj.json", false);
    assert_eq!((piece.rows, piece.refused.len()), (2, 1));
    assert_eq!((piece.refused[0].row, piece.refused[0].number), (1, 1));
    let task = Some("a".to_owned());
    let tasks = texts(column(&reader, &piece, "task_id"));
    assert_eq!(tasks, [task.clone(), task]);
    let Values::List(offsets, turns) = &column(&reader, &piece, "turns").values else {
        panic!("turns are a list");
    };
    let Values::Record(members) = &turns.values else {
        panic!("a turn is a record");
    };
    assert_eq!((&offsets[..], members[1].len()), (&[0, 1, 2][..], 2));
    assert_eq!(
        texts(&members[1]),
        [Some("ls".to_owned()), Some("ls".to_owned())]
    );
}

/// A key without a column leaves a line to the reader of lines that are not plain.
#[test]
fn plain_records_are_read_as_all_others_are() {
    let reader = reader();
    let lines = [
        r#"{"task_id": "a"}"#,
        r#" { "agent" : null , "task_id" : "\u00e9\n", "passed":false,"turn_count":-3 } "#,
        r#"{"task_id": "a", "turns": [], "usage": {}, "tool_calls": []}"#,
        r#"{"task_id": "a", "turns": [{"number": 2, "program": "x"}, {"success": true}, {}]}"#,
        r#"{"task_id": "a", "usage": {"cost_usd": 1}, "turns": [{"usage": {"cost_usd": 0.1}}]}"#,
        r#"{"task_id": "a", "turns": [{"tool_calls": [{"name": "f", "arguments": {"b": [1]}}]}]}"#,
        r#"{"task_id": "a", "tool_calls": [{"name": "f", "arguments": { }, "result": [1, "\""]}]}"#,
        r#"{"task_id": "a", "unusable": {"usage": "why", "turns": ""}, "source": {"file": "f"}}"#,
        r#"{"task_id": "a", "turns": [{"tool_calls": [{"name": "f", "arguments": [1]}]}]}"#,
        // Both readers refuse the following lines.
        r#"{"task_id": "a", "task_id": "a"}"#,
        r#"{"task_id": null}"#,
        r#"{"agent": "a"}"#,
        r#"{"task_id": "a", "turn_count": 1.0}"#,
        r#"{"task_id": "a", "passed": 1}"#,
        r#"{"task_id": "a", "usage": {"cost_usd": -0}}"#,
        r#"{"task_id": "a", "usage": {"cost_usd": true}}"#,
        r#"{"task_id": "a", "turns": [null]}"#,
        r#"{"task_id": "a", "turns": {}}"#,
        r#"{"task_id": "a", "turns": [{"views": [{"path": "p", "extent": "no"}]}]}"#,
        r#"{"task_id": "a", "unusable": {"usage": "why", "usage": "why"}}"#,
        r#"{"task_id": "a", "agent": "\ud800"}"#,
        r#"{"task_id": "a",}"#,
    ];
    for (index, line) in lines.iter().enumerate() {
        let other = line.trim_end().strip_suffix('}').unwrap();
        let other = format!("{other}, \"note\": 1}}");
        let found = [line.to_string(), other].map(|line| {
            let mut pieces = reader.read(line.as_bytes(), "file", 1, identity);
            let piece = pieces.remove(0);
            let extra = reader.shape().position("extra").unwrap();
            let columns = piece.columns.into_iter().enumerate();
            let columns = columns.filter(|(at, _)| *at != extra);
            (piece.rows, format!("{:?}", columns.collect::<Vec<_>>()))
        });
        assert_eq!(found[0], found[1], "{line}");
        assert_eq!(found[0].0, usize::from(index < 9), "{line}");
        let mut is_plain = false;
        reader.gather("file", |row, _| {
            is_plain = row.read_plain(line, Format::Own);
            row.end(is_plain);
        });
        assert_eq!(is_plain, index < 9, "{line}");
    }
}
