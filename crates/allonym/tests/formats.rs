//! The same records in every format: the text is replaced, and every other cell is what it was.

mod common;

use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray};
use common::{Place, run, run_with_input};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;

/// A word that no public vocabulary has: it must not come out of a text.
const CANARY: &str = "zyxwvcanary";

const CSV: &str = "\
id,author,note,text,score\r
1,qqann,\"looks like text, with a comma\",\"It was zyxwvcanary, \"\"really\"\".\",0.10\r
2,bob,\"two\r
lines\",zyxwvcanary,1e5\r
3,qqann,,\"\",\r
";

#[test]
fn csv_keeps_every_other_cell_to_the_byte() {
    let place = Place::new();
    let input = place.file("in.csv", CSV);
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.csv"), "--seed", "7", "--max-tokens", "3"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let out = place.read("out.csv");
    assert!(!out.contains(CANARY));
    let mut lines = out.split("\r\n");
    assert_eq!(lines.next(), Some("id,note,text,score"));
    let first = lines.next().unwrap();
    assert!(first.starts_with("1,\"looks like text, with a comma\",") && first.ends_with(",0.10"), "{first}");
    assert_eq!(lines.next(), Some("2,\"two"));
    let second = lines.next().unwrap();
    assert!(second.starts_with("lines\",") && second.ends_with(",1e5"), "{second}");
    let third = lines.next().unwrap();
    assert!(third.starts_with("3,,") && third.ends_with(','), "{third}");
    assert_eq!(lines.next(), Some(""));
}

#[test]
fn the_author_passes_only_when_kept() {
    let place = Place::new();
    let input = place.file("in.csv", CSV);
    let outcome = run(&["anonymize", &input, "--keep", "author"]);
    assert!(outcome.stdout.starts_with("id,author,note,text,score\r\n1,qqann,"));
    assert!(outcome.stderr.contains("warning: `author` passes: it names the author of every record"));
}

#[test]
fn tsv_is_cut_at_tabs() {
    let outcome =
        run_with_input(&["anonymize", "--format", "tsv", "--max-tokens", "2"], b"id\ttext\tnote\n1\ta, b\tx, \"y\"\n");
    let row = outcome.stdout.lines().nth(1).unwrap();
    assert!(row.starts_with("1\t") && row.ends_with("\tx, \"y\""), "{row}");
}

#[test]
fn a_file_without_header_names_its_columns_by_number() {
    let outcome = run_with_input(
        &["anonymize", "--format", "csv", "--no-header", "--text-column", "2", "--drop", "3", "--keep", "author"],
        b"a,zyxwvcanary,x\nb,zyxwvcanary,y\n",
    );
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let cells: Vec<&str> = outcome.stdout.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(cells, ["a", "b"]);
    assert!(!outcome.stdout.contains(CANARY));
}

#[test]
fn json_lines_keep_every_other_value_to_the_byte() {
    let place = Place::new();
    let lines = concat!(
        "{\"id\": 1, \"author\": \"qqann\", \"big\": 12345678901234567890.10, \"text\": \"a \\u007ayxwvcanary\", \"n\": {\"text\": \"inner\"}}\n",
        "\n",
        "{\"text\":null,\"caf\\u00e9\":[1, 2]}\n",
    );
    let input = place.file("in.jsonl", lines);
    let outcome = run(&["anonymize", &input, "--max-tokens", "2"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(!outcome.stdout.contains(CANARY) && !outcome.stdout.contains("qqann"));
    let mut lines = outcome.stdout.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("{\"id\":1,\"big\":12345678901234567890.10,\"text\":\""), "{first}");
    assert!(first.ends_with(",\"n\":{\"text\": \"inner\"}}"), "{first}");
    let second = lines.next().unwrap();
    assert!(second.starts_with("{\"text\":\"") && second.ends_with(",\"café\":[1, 2]}"), "{second}");
}

/// A batch with a column of every kind that users have.
fn parquet_batch() -> RecordBatch {
    let mut tags = ListBuilder::new(arrow_array::builder::StringBuilder::new());
    for row in [vec!["a", "b"], vec![], vec!["c"]] {
        row.into_iter().for_each(|tag| tags.values().append_value(tag));
        tags.append(true);
    }
    let mut kinds = StringDictionaryBuilder::<Int32Type>::new();
    ["x", "y", "x"].into_iter().for_each(|kind| drop(kinds.append(kind)));
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef),
        ("author", Arc::new(StringArray::from(vec!["qqann", "bob", "qqann"])) as ArrayRef),
        (
            "text",
            Arc::new(LargeStringArray::from(vec![Some("zyxwvcanary one"), None, Some("zyxwvcanary")])) as ArrayRef,
        ),
        ("note", Arc::new(StringArray::from(vec![Some("like, text"), Some(""), None])) as ArrayRef),
        ("score", Arc::new(Float64Array::from(vec![0.1, f64::INFINITY, -0.0])) as ArrayRef),
        ("tags", Arc::new(tags.finish()) as ArrayRef),
        ("kind", Arc::new(kinds.finish()) as ArrayRef),
    ])
    .unwrap()
}

fn write_parquet(path: &std::path::Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn read_parquet(path: &std::path::Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap().build().unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    assert_eq!(batches.len(), 1);
    batches.into_iter().next().unwrap()
}

#[test]
fn parquet_keeps_every_other_column_and_its_type() {
    let place = Place::new();
    let before = parquet_batch();
    write_parquet(&place.path("in.parquet"), &before);
    let outcome = run(&["anonymize", &place.name("in.parquet"), "-o", &place.name("out.parquet")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let after = read_parquet(&place.path("out.parquet"));
    let names: Vec<String> = after.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "text", "note", "score", "tags", "kind"]);
    for name in ["id", "note", "score", "tags", "kind"] {
        assert_eq!(after.column_by_name(name), before.column_by_name(name), "{name}");
    }
    let texts = after.column_by_name("text").unwrap().as_string::<i32>();
    assert_eq!(texts.null_count(), 0, "whether there was a text is private");
    assert!(texts.iter().flatten().all(|text| !text.is_empty() && !text.contains(CANARY)));
    let bytes = std::fs::read(place.path("out.parquet")).unwrap();
    let holds = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    assert!(!holds(CANARY.as_bytes()) && !holds(b"qqann"), "no statistics or dictionary page keeps them");
}

#[test]
fn a_text_column_of_any_string_type_is_read() {
    let place = Place::new();
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    dictionary.append_value(CANARY);
    let columns: [ArrayRef; 3] = [
        Arc::new(dictionary.finish()),
        Arc::new(arrow_array::StringViewArray::from(vec![CANARY])),
        Arc::new(StringArray::from(vec![CANARY])),
    ];
    for column in columns {
        write_parquet(&place.path("in.parquet"), &RecordBatch::try_from_iter([("text", column)]).unwrap());
        let outcome = run(&["anonymize", &place.name("in.parquet"), "-o", &place.name("out.parquet")]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(read_parquet(&place.path("out.parquet")).num_rows(), 1);
    }
}

#[test]
fn a_shuffled_parquet_file_has_the_same_rows() {
    let place = Place::new();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..5000));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..5000).map(|_| "a text")));
    write_parquet(&place.path("in.parquet"), &RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap());
    let (input, output) = (place.name("in.parquet"), place.name("out.parquet"));
    let outcome = run(&["anonymize", &input, "-o", &output, "--shuffle", "--max-tokens", "1"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&output).unwrap()).unwrap().build().unwrap();
    let mut ids: Vec<i64> = Vec::new();
    for batch in reader {
        ids.extend(batch.unwrap().column(0).as_primitive::<arrow_array::types::Int64Type>().values());
    }
    assert!(!ids.is_sorted());
    ids.sort_unstable();
    assert_eq!(ids, (0..5000).collect::<Vec<_>>());
}

#[test]
fn packed_files_are_read_by_their_bytes_and_written_by_their_name() {
    let place = Place::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(CSV.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(CSV.as_bytes(), 1).unwrap();
    let plain = {
        let input = place.file("plain.csv", CSV);
        run(&["anonymize", &input, "--seed", "7"]).stdout
    };
    // Two members in one gzip file are one text; a wrong ending does not matter for reading.
    for (name, bytes) in [("a.csv.gz", &gzip), ("b.csv.zst", &zstd), ("c.csv", &gzip)] {
        let input = place.file(name, bytes);
        assert_eq!(run(&["anonymize", &input, "--seed", "7"]).stdout, plain, "{name}");
    }
    let input = place.file("plain.csv", CSV);
    run(&["anonymize", &input, "--seed", "7", "-o", &place.name("out.csv.gz")]);
    run(&["anonymize", &input, "--seed", "7", "-o", &place.name("out.csv.zst")]);
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(File::open(place.path("out.csv.gz")).unwrap()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    let unpacked = zstd::decode_all(File::open(place.path("out.csv.zst")).unwrap()).unwrap();
    assert_eq!(String::from_utf8(unpacked).unwrap(), plain);
}

#[test]
fn a_shuffled_csv_has_the_same_rows_in_another_order() {
    let place = Place::new();
    let rows: String = (0..500).map(|i| format!("{i},text\n")).collect();
    let input = place.file("in.csv", format!("id,text\n{rows}"));
    let outcome = run(&["anonymize", &input, "--shuffle", "--max-tokens", "1"]);
    let mut ids: Vec<u32> =
        outcome.stdout.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(!ids.is_sorted());
    ids.sort_unstable();
    assert_eq!(ids, (0..500).collect::<Vec<_>>());
    assert!(!outcome.stderr.contains("the order of the records"));
}

#[test]
fn a_directory_of_files_becomes_a_directory_of_files() {
    let place = Place::new();
    std::fs::create_dir(place.path("letters")).unwrap();
    place.file("letters/ann.txt", "zyxwvcanary\nand more");
    place.file("letters/bob.txt", "");
    place.file("letters/skip.pdf", "zyxwvcanary");
    let outcome = run(&["anonymize", &place.name("letters"), "--format", "files", "-o", &place.name("out")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("1 entries"));
    let mut names: Vec<_> = std::fs::read_dir(place.path("out")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["ann.txt", "bob.txt"]);
    assert!(!place.read("out/ann.txt").contains(CANARY));

    let again = run(&["anonymize", &place.name("letters"), "--format", "files", "-o", &place.name("out")]);
    assert_eq!(again.code, Some(1), "a directory that holds a release is not written into");

    let (letters, mixed) = (place.name("letters"), place.name("mixed"));
    let shuffled = run(&["anonymize", &letters, "--format", "files", "-o", &mixed, "--shuffle"]);
    assert_eq!(shuffled.code, Some(0), "{}", shuffled.stderr);
    let mut names: Vec<_> = std::fs::read_dir(place.path("mixed")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000001.txt", "000002.txt"], "names give an author away");
    let time = |name: &str| std::fs::metadata(place.path("mixed").join(name)).unwrap().modified().unwrap();
    assert_eq!(time("000001.txt"), time("000002.txt"), "so do times");
    assert!(!shuffled.stderr.contains("names of the files"));
}

#[test]
fn lines_in_lines_out() {
    let outcome = run_with_input(&["anonymize", "--length", "public"], b"one two three\n\nfour");
    let words: Vec<usize> = outcome.stdout.split('\n').map(|line| line.split_whitespace().count()).collect();
    assert_eq!(outcome.stdout.matches('\n').count(), 3);
    assert_eq!((words[1], words[3]), (0, 0));
}

#[test]
fn a_header_without_names_for_the_author_is_asked_about() {
    let outcome =
        run_with_input(&["anonymize", "--format", "csv", "--no-header", "--text-column", "2"], b"qqann,hello\n");
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let arguments = ["anonymize", "--format", "csv", "--no-header", "--text-column", "2", "--author-column", "1"];
    let outcome = run_with_input(&arguments, b"qqann,hello\n");
    assert!(outcome.code == Some(0) && !outcome.stdout.contains("qqann"), "{}", outcome.stderr);
}

#[test]
fn a_slow_pipe_does_not_hide_the_beginning() {
    use std::process::Stdio;
    let mut child = common::allonym()
        .args(["anonymize", "--format", "csv", "--method", "random"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for part in [&b"\xEF"[..], b"\xBB", b"\xBFauthor,text\nqqann,hi\n"] {
        stdin.write_all(part).unwrap();
        stdin.flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    drop(stdin);
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.starts_with("\u{FEFF}text\n") && !out.contains("qqann"), "{out}");
}

#[test]
fn a_misspelt_column_is_found_before_anything_leaves() {
    let outcome =
        run_with_input(&["anonymize", "--format", "jsonl", "--drop", "wrad"], b"{\"text\":\"hi\",\"ward\":7}\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_byte_order_mark_is_kept_and_is_not_part_of_a_name() {
    let outcome = run_with_input(&["anonymize", "--format", "csv"], b"\xEF\xBB\xBFtext,id\nhello,1\n");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.starts_with("\u{FEFF}text,id\n"));
}

#[test]
fn a_csv_file_may_have_another_delimiter() {
    let place = Place::new();
    let input = place.file("in.csv", "id;text;note\n1;\"a; b, c\";x,y\n");
    let output = place.name("out.csv");
    let outcome = run(&["anonymize", &input, "-o", &output, "--delimiter", ";", "--max-tokens", "3"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let released = place.read("out.csv");
    let cells: Vec<&str> = released.lines().nth(1).unwrap().split(';').collect();
    assert!(released.starts_with("id;text;note\n1;") && cells.last() == Some(&"x,y"), "{released}");
    let guessed = run(&["anonymize", &input, "-o", &output]);
    assert_eq!(guessed.code, Some(2));
    assert!(guessed.stderr.contains("try `--delimiter ';'`"), "{}", guessed.stderr);
    for (format, delimiter) in [("csv", "\""), ("csv", "\n"), ("csv", "é"), ("tsv", ";")] {
        let outcome = run(&["anonymize", &input, "-o", &output, "--format", format, "--delimiter", delimiter]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    }
}
