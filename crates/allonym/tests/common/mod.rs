//! Runs the program as a person would, with nothing of the surroundings leaking in.
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, without settings from the environment.
pub(crate) fn allonym() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allonym"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ALLONYM_")) {
        command.env_remove(name);
    }
    command
}

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// What is about files, columns and errors is tried with the mechanism that costs no time, unless another is named.
fn quick<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let named = |name: &&str| {
        name.starts_with("--method") || name.starts_with("--mechanism") || *name == "--config" || *name == "--model"
    };
    let random: &[&str] = match arguments.first() {
        Some(&"anonymize") if !arguments.iter().any(named) => &["--method", "random"],
        _ => &[],
    };
    [arguments, random].concat()
}

/// Runs with arguments.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    allonym().args(quick(arguments)).stdin(Stdio::null()).output().unwrap().into()
}

/// Runs with arguments and bytes on standard input.
pub(crate) fn run_with_input(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut child = allonym()
        .args(quick(arguments))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The program may end before it has read everything; that is for the test to judge.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output.into()
}

/// A directory for one test.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file with the given contents; returns its path as text.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The path of a file that may not exist yet, as text.
    pub(crate) fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files here, in order.
    pub(crate) fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Runs here as somebody whom permissions bind: the superuser may do anything, so as nobody.
    #[cfg(unix)]
    pub(crate) fn run_without_rights(&self, arguments: &[&str]) -> Outcome {
        use std::os::unix::fs::MetadataExt;
        use std::os::unix::process::CommandExt;
        // The program is copied, because a user without rights may not reach the build directory.
        let program = self.path("allonym");
        if !program.exists() {
            std::fs::copy(env!("CARGO_BIN_EXE_allonym"), &program).unwrap();
        }
        let mut command = Command::new(&program);
        command.args(arguments).env_clear().current_dir(self.root());
        if std::fs::metadata(self.root()).unwrap().uid() == 0 {
            command.uid(65_534).gid(65_534);
        }
        command.output().unwrap().into()
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }
}

/// A small corpus, and where a model may go.
fn corpus() -> (Place, String, String) {
    let place = Place::new();
    let (demo, out) = (place.name("demo.csv"), place.name("model"));
    assert_eq!(run(&["demo", "--authors", "5", "--texts", "20", "--out", &demo]).code, Some(0));
    (place, demo, out)
}

/// A tiny model, trained by the program itself, once for each test file.
pub(crate) fn model() -> &'static str {
    static MODEL: std::sync::OnceLock<(Place, String)> = std::sync::OnceLock::new();
    let (_, path) = MODEL.get_or_init(|| {
        let (place, demo, out) = corpus();
        let outcome = train(&place, &demo, &out, &["--public"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (place, out)
    });
    path
}

/// A file of word vectors, which say nothing about the words.
pub(crate) fn vectors(place: &Place) -> String {
    let words = ["the", "was", "great", "awful", "it", "food", "very", "good", "bad", "and", "."];
    let line = |(row, word): (usize, &&str)| {
        let numbers: Vec<String> = (0..8).map(|column| ((row * 7 + column * 5) % 9).to_string()).collect();
        format!("{word} {}\n", numbers.join(" "))
    };
    place.file("vectors.txt", words.iter().enumerate().map(line).collect::<String>())
}

/// Trains a tiny model on a file.
pub(crate) fn train(place: &Place, data: &str, out: &str, more: &[&str]) -> Outcome {
    let vectors = vectors(place);
    let small = ["--preset", "attention", "--cells", "12", "--latent", "8", "--vocabulary-size", "300"];
    let short = ["--max-tokens", "12", "--steps", "60", "--reward-steps", "20", "--batch", "8", "--rate", "0.01"];
    let files = ["train", "er-ae", "--data", data, "--embeddings", &vectors, "--out", out, "--threads", "2"];
    run(&[&files[..], &small, &short, more].concat())
}

/// A tiny model with a latent vector, trained by the program itself, once for each test file.
pub(crate) fn latent_model() -> &'static str {
    static MODEL: std::sync::OnceLock<(Place, String)> = std::sync::OnceLock::new();
    let (_, path) = MODEL.get_or_init(|| {
        let (place, demo, out) = corpus();
        let small = ["--cells", "24", "--latent", "8", "--vocabulary-size", "200", "--max-tokens", "12"];
        // Long enough to write something that depends on what it read.
        let short = ["--steps", "300", "--batch", "16", "--rate", "0.02", "--threads", "2", "--public"];
        let outcome = run(&[&["train", "adept", "--data", &demo, "--out", &out][..], &small, &short].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (place, out)
    });
    path
}
