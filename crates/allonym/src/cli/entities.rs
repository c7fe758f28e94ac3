//! `allonym entities`: which names a text has.

use super::{print, print_json};
use allonym::Failure;
use allonym::entities::{Finder, Tested, bundled_tagger, test_entities};
use allonym::io::{Columns, Format, Limits, Table};
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
    /// The file to read; `-` is standard input
    #[arg(default_value = "-")]
    input: PathBuf,

    /// Test on files in which people marked the names: a token and its label on each line
    #[arg(long, value_name = "FILE", conflicts_with = "input", num_args = 1..)]
    test: Vec<PathBuf>,

    /// A tagger that `allonym train entities` wrote [default: the program's]
    #[arg(long, value_name = "DIR")]
    tagger: Option<PathBuf>,

    /// Take more for a name or less [default: 1, as `generalize` does; 0 for a test]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    eagerness: Option<f32>,

    /// The format, if the name does not tell: csv, tsv, jsonl, parquet, lines or files
    #[arg(long)]
    format: Option<Format>,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,

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
        let format = Format::settle(self.format, &self.input)?;
        let columns = Columns { text: self.text_column.clone(), ..Columns::default() };
        let mut reader = allonym::io::open(&self.input, format, Table::default(), &columns, &Limits::default())?;
        while let Some(batch) = reader.next()? {
            for (record, text) in (batch.first..).zip(batch.texts) {
                let text = text.declassify("entities: shown to the text's owner");
                print(&self.lines(record, &text, &finder))?;
            }
        }
        Ok(())
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
        let tagger = match Finder::tagger(self.tagger.as_deref(), eagerness)? {
            Finder::Tagger(recogniser) => recogniser.tagger().clone(),
            Finder::Given(_) => bundled_tagger()?,
        };
        for file in &self.test {
            let tested = test_entities(&tagger, file, eagerness)?;
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
