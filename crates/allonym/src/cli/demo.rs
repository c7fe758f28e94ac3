//! `allonym demo`: writes a corpus of reviews by synthetic authors.

use allonym::Failure;
use allonym::demo::Demo;
use allonym::io::{Compression, Output, push_row};
use clap::Args;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  allonym demo --authors 20 --texts 50 --out demo.csv --seed 7
  allonym demo | allonym anonymize --format csv --length public

The columns are id, author, label and text. What a review says does not depend on its author; how it says it does.
The same seed gives the same corpus.";

/// Write a corpus of short reviews by synthetic authors with habits of their own
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct MakeDemo {
    /// How many authors
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    authors: u32,

    /// How many texts of each
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    texts: u32,

    /// The file to write (.csv, .csv.gz, .csv.zst); `-` is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    out: PathBuf,

    /// Which corpus
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

impl MakeDemo {
    pub(super) fn run(self) -> Result<(), Failure> {
        if allonym::io::Format::of_path(&self.out).is_some_and(|format| format != allonym::io::Format::Csv) {
            return Err(Failure::new("the demo corpus is a CSV file", "name it .csv, .csv.gz or .csv.zst"));
        }
        let demo = Demo { authors: self.authors as usize, texts: self.texts as usize, seed: self.seed };
        write(&demo, &self.out)
    }
}

/// Writes a corpus as CSV.
pub(super) fn write(demo: &Demo, path: &Path) -> Result<(), Failure> {
    let mut output = Output::create(path, Compression::of_path(path))?;
    output.write(b"id,author,label,text\n")?;
    let mut row = Vec::new();
    for record in demo.records() {
        row.clear();
        push_row([&record.id, &record.author, record.label, &record.text], b',', &mut row);
        output.write(&row)?;
    }
    Ok(output.finish()?)
}
