//! `allonym vocabulary`: prints a vocabulary file, from the public list or, marked for ever, from private texts.

use allonym::Failure;
use allonym::io::{Columns, Compression, Format, Limits, Output, Table};
use allonym::text::vocabulary::WordsMayLeak;
use allonym::text::{Document, Vocabulary};
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym vocabulary --size 5000 -o small.txt
  allonym vocabulary --size 5000 --count-from reviews.csv --words-may-leak -o counted.txt

A vocabulary counted from texts that are to be released leaks: each word in it says that somebody wrote it.
It carries the mark `private`, and `allonym anonymize` refuses it unless told otherwise.";

/// Print a vocabulary file
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct MakeVocabulary {
    /// How many words [default: all of the English list; 20000 when counting]
    #[arg(long, value_name = "N")]
    size: Option<usize>,

    /// Count the words of a file instead of taking them from the public list
    #[arg(long, value_name = "FILE", requires = "words_may_leak")]
    count_from: Option<PathBuf>,

    /// Accept that the words of the file may become known
    #[arg(long, requires = "count_from")]
    words_may_leak: bool,

    /// The format of that file, if its name does not tell
    #[arg(long, requires = "count_from")]
    format: Option<Format>,

    /// The column of that file that holds the text
    #[arg(long, default_value = "text", value_name = "NAME", requires = "count_from")]
    text_column: String,

    /// The file to write; `-` is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    out: PathBuf,
}

impl MakeVocabulary {
    pub(super) fn run(self) -> Result<(), Failure> {
        let size = self.size.unwrap_or_else(Vocabulary::english_size);
        let vocabulary = match &self.count_from {
            None => Vocabulary::english(size)?,
            Some(_) => self.counted(size)?,
        };
        if self.count_from.as_deref().is_some_and(|input| allonym::io::same_file(input, &self.out)) {
            return Err(Failure::refusal("the output is the file that is counted", "choose another output"));
        }
        let mut output = Output::create(&self.out, Compression::of_path(&self.out))?;
        output.write(vocabulary.to_file().as_bytes())?;
        Ok(output.finish()?)
    }

    fn counted(&self, size: usize) -> Result<Vocabulary, Failure> {
        let path = self.count_from.clone().unwrap_or_default();
        let format = Format::settle(self.format, &path)?;
        let columns = Columns { text: self.text_column.clone(), ..Columns::default() };
        let mut reader = allonym::io::open(&path, format, Table::default(), &columns, &Limits::default())?;
        let mut failed = None;
        // Batch by batch, so that memory holds the counts and not the texts.
        let batches = std::iter::from_fn(|| {
            reader.next().unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        });
        let documents = batches.flat_map(|batch| batch.texts).map(|text| text.map(|text| Document::read(&text)));
        let counted = Vocabulary::counted_from_private_texts(documents, size, WordsMayLeak);
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(counted?),
        }
    }
}
