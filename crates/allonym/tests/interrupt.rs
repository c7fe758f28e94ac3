//! A command that is interrupted ends within two seconds with exit code 130. It leaves no half-written file under a final name and the input as
//! it was, and `--resume` continues where there is something to continue.
#![cfg(unix)]

mod common;

use common::{Place, allonym, run};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a command may take to end. Builds with debug assertions are several times slower, and tests share the cores.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 4 } else { 2 });

/// Starts a run that waits for more input, after it has begun to write.
fn begin(place: &Place, output: &str) -> Child {
    let mut child = allonym()
        .args(["anonymize", "--format", "csv", "--method", "random", "-o", &place.name(output)])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let rows = format!("text\n{}", "hello\n".repeat(100_000));
    child.stdin.as_mut().unwrap().write_all(rows.as_bytes()).unwrap();
    let start = Instant::now();
    while !place.entries().iter().any(|name| name.ends_with(".tmp")) {
        assert!(start.elapsed() < Duration::from_secs(60), "the run never began to write");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Interrupts a command that is at work; returns what it had yet to say.
fn interrupt(child: &mut Child, name: &str) -> String {
    assert!(child.try_wait().unwrap().is_none(), "it was over before it could be interrupted");
    let start = Instant::now();
    signal(child, name);
    let code = child.wait().unwrap().code();
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    assert_eq!(code, Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    said
}

/// Starts a command, interrupts it once it reports a stage, and returns what it said.
fn interrupted_at(stage: &str, arguments: &[&str]) -> String {
    let mut child = allonym().args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(stage) {
        assert_ne!(lines.read_line(&mut said).unwrap(), 0, "`{stage}` was never reported: {said}");
    }
    // Into the middle of it.
    std::thread::sleep(Duration::from_millis(300));
    child.stderr = Some(lines.into_inner());
    said.push_str(&interrupt(&mut child, "-TERM"));
    said
}

#[test]
fn ctrl_c_takes_the_half_written_file_away() {
    for name in ["-INT", "-TERM"] {
        let place = Place::new();
        place.file("out.csv", "an older release\n");
        let mut child = begin(&place, "out.csv");
        let stdin = child.stdin.take();
        let said = interrupt(&mut child, name);
        assert!(said.contains("error: interrupted\n\nhint: no half-written file was left behind"), "{said}");
        drop(stdin);
        assert_eq!(place.entries(), ["out.csv"]);
        assert_eq!(place.read("out.csv"), "an older release\n");
    }
}

#[test]
fn a_kill_without_warning_leaves_nothing_under_the_final_name() {
    let place = Place::new();
    let mut child = begin(&place, "out.csv");
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert!(!place.path("out.csv").exists());
}

#[test]
fn synthesis_ends_in_every_stage_and_is_resumed() {
    let place = Place::new();
    let row = |i: usize| format!("{i},the movie was {} and we liked it\n", ["great", "lovely", "dull"][i % 3]);
    let data = place.file("in.csv", "id,text\n".to_owned() + &(0..150).map(row).collect::<String>());
    let out = place.name("out.csv");
    let command =
        ["synthesize", "--data", &data, "--out", &out, "--epsilon", "5", "--delta", "1e-4", "--max-tokens", "16"];
    let command = [&command[..], &["--threads", "1", "--steps", "400", "--batch", "100"]].concat();
    let with = |more: &[&'static str]| [&command[..], more].concat();
    let said = interrupted_at("fitting the words of the model, round 1", &with(&[]));
    assert!(said.contains("hint: go on with the same command and `--resume`"), "{said}");
    let counted = place.read("out.csv.training/training/words.json");
    // The words that were counted are used, and training begins; then it is interrupted in a step.
    let said = interrupted_at("training: step", &with(&["--resume"]));
    assert!(!said.contains("counting words"), "{said}");
    assert_eq!(
        counted.split("\"tilts\"").next(),
        place.read("out.csv.training/training/words.json").split("\"tilts\"").next()
    );
    let said = interrupted_at("training: step", &with(&["--resume"]));
    assert!(!said.contains("fitting the words"), "{said}");
    assert!(!place.path("out.csv").exists());
}

#[test]
fn synthesis_ends_while_it_writes_and_writes_when_it_is_resumed() {
    let place = Place::new();
    let row = |i: usize| format!("{i},the movie was {} and we liked it\n", ["great", "lovely", "dull"][i % 3]);
    let data = place.file("in.csv", "id,text\n".to_owned() + &(0..60).map(row).collect::<String>());
    let out = place.name("out.csv");
    let command =
        ["synthesize", "--data", &data, "--out", &out, "--epsilon", "5", "--delta", "1e-4", "--max-tokens", "20"];
    let command = [&command[..], &["--threads", "1", "--words", "1"]].concat();
    interrupted_at("writing texts", &[&command[..], &["--count", "200000"]].concat());
    assert!(!place.path("out.csv").exists());
    let resumed = run(&[&command[..], &["--count", "5", "--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(place.read("out.csv").lines().count(), 6);
}

#[test]
fn training_keeps_the_steps_that_were_made() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "5", "--texts", "100", "--out", &demo]);
    let out = place.name("model");
    let command = ["train", "adept", "--data", &demo, "--out", &out, "--steps", "100000", "--threads", "1"];
    let said = interrupted_at("reconstruction: step", &command);
    assert!(said.contains("hint: go on with the same command and `--resume`"), "{said}");
    assert!(place.path("model/training/reconstruction/latest").exists());
    assert!(!place.path("model/adept").exists());
    let said = interrupted_at("reconstruction: step", &[&command[..], &["--resume"]].concat());
    assert!(!said.contains("reconstruction: step 1 of"), "it began anew: {said}");
}

#[test]
fn training_a_tagger_leaves_nothing() {
    let place = Place::new();
    let sentence = "Anna B-PER\nlives O\nin O\nParis B-LOC\n. O\n\n";
    let data = place.file("marked.txt", sentence.repeat(20_000));
    let command = ["train", "entities", "--data", &data, "--out", &place.name("tagger"), "--epochs", "1000"];
    interrupted_at("pass 1 of", &command);
    assert!(!place.path("tagger").exists());
}

#[test]
fn an_evaluation_ends_in_the_middle_of_an_attack() {
    let place = Place::new();
    let (demo, released) = (place.name("demo.csv"), place.name("released.csv"));
    run(&["demo", "--authors", "50", "--texts", "200", "--out", &demo]);
    run(&["anonymize", &demo, "-o", &released, "--method", "random", "--no-run-file"]);
    let before = place.entries();
    let report = place.name("report.html");
    let mut child = allonym()
        .args(["evaluate", "--original", &demo, "--released", &released, "--report", &report])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&mut child, "-TERM");
    assert_eq!(place.entries(), before);
}
