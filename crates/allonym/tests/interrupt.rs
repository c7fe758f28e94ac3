//! A run that is stopped leaves no half-written file under the final name, and the input as it was.
#![cfg(unix)]

mod common;

use common::{Place, allonym};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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

#[test]
fn ctrl_c_takes_the_half_written_file_away() {
    for name in ["-INT", "-TERM"] {
        let place = Place::new();
        place.file("out.csv", "an older release\n");
        let mut child = begin(&place, "out.csv");
        signal(&child, name);
        let stdin = child.stdin.take();
        assert_eq!(child.wait().unwrap().code(), Some(130));
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
