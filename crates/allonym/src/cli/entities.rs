//! `allonym entities`: which names a text has.

use super::reading::TextFlags;
use super::{print, print_json};
use allonym::Failure;
use allonym::entities::{Finder, Tested, read_tagger, test_entities};
use clap::Args;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  printf 'Ann Lee lives in Leeds; call 0113 496 0000.\\n' | allonym entities
  allonym entities notes.csv --text-column note --json
  allonym entities --test annotated.conll

Columns: record (from 1), first byte and byte after the last within the text, kind, name. The output shows the text: it is for you alone.";

/// Show the names of a text, or test how well they are found
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Entities {
    #[command(flatten)]
    texts: TextFlags,

    /// Test on files in which people marked the names: a token and its label on each line
    #[arg(long, value_name = "FILE", conflicts_with = "input", num_args = 1..)]
    test: Vec<PathBuf>,

    /// A tagger that `allonym train entities` wrote [default: the program's]
    #[arg(long, value_name = "DIR")]
    tagger: Option<PathBuf>,

    /// Take more for a name or less [default: 1, as `generalize` does; 0 for a test]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    eagerness: Option<f32>,

    /// Of a test, leave out descriptions that are marked as names (`my father`)
    #[arg(long, requires = "test")]
    names_only: bool,

    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    record: u64,
    start: usize,
    end: usize,
    kind: &'a str,
    name: &'a str,
}

impl Entities {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.eagerness.is_some_and(|eagerness| !eagerness.is_finite()) {
            return Err(Failure::new("`eagerness` is no number", "1 is usual"));
        }
        if !self.test.is_empty() {
            return self.tests();
        }
        let finder = Finder::tagger(self.tagger.as_deref(), self.eagerness.unwrap_or(1.0))?;
        self.texts.each(|record, text| print(&self.lines(record, &text.for_terminal_or_private_file(), &finder)))
    }

    fn lines(&self, record: u64, text: &str, finder: &Finder) -> String {
        let mut out = String::new();
        for entity in finder.find(record, text).unwrap_or_default() {
            let (start, end) = (entity.span.start, entity.span.end);
            let line = Line { record, start, end, kind: entity.kind.name(), name: &text[entity.span] };
            // Writing to a String does not fail.
            let _ = if self.json {
                writeln!(out, "{}", serde_json::to_string(&line).unwrap_or_default())
            } else {
                let name = line.name.split_whitespace().collect::<Vec<_>>().join(" ");
                writeln!(out, "{record}\t{start}\t{end}\t{}\t{name}", line.kind)
            };
        }
        out
    }

    fn tests(&self) -> Result<(), Failure> {
        let eagerness = self.eagerness.unwrap_or(0.0);
        let tagger = read_tagger(self.tagger.as_deref())?;
        for file in &self.test {
            let tested = test_entities(&tagger, file, eagerness, self.names_only)?;
            if self.json {
                print_json(&tested)?;
            } else {
                print(&told(&file.display().to_string(), &tested))?;
            }
        }
        Ok(())
    }
}

fn told(file: &str, tested: &Tested) -> String {
    let mut text = format!(
        "{file}: {} tokens\n  {:<14}{:>8}{:>11}{:>9}{:>8}\n",
        tested.tokens, "", "F1", "precision", "recall", "there"
    );
    for (kind, f1, precision, recall, there) in &tested.kinds {
        let _ = writeln!(text, "  {kind:<14}{f1:>8.3}{precision:>11.3}{recall:>9.3}{there:>8}");
    }
    let _ = writeln!(
        text,
        "  {:.1} % of the tokens of names are found as a name of some kind; lists of names alone: F1 {:.3}; {:.0} tokens a second",
        100.0 * tested.coverage,
        tested.lists_alone,
        tested.tokens_a_second
    );
    text
}
